package io.tenfold.raid;

import java.util.List;

/** Who is told of the passes over an array. Called on the conductor's thread; must not block. */
public interface SyncListener {
    /** Somebody who does not care. */
    SyncListener NONE = new SyncListener() {
        @Override
        public void started(SyncProgress progress) {}

        @Override
        public void ended(SyncProgress progress, Outcome outcome, List<String> causes) {}
    };

    /** How a pass ends. */
    enum Outcome {
        /** All is done, and the superblocks say so. */
        DONE,
        /** The array is stopped: the superblocks say how far it came, and the next start goes on there. */
        STOPPED,
        /** It cannot be done now. The next start tries again. */
        GIVEN_UP
    }

    /** A pass begins. */
    void started(SyncProgress progress);

    /**
     * A pass has ended.
     *
     * @param causes why it was given up, and members that could not be written, one a line
     */
    void ended(SyncProgress progress, Outcome outcome, List<String> causes);
}
