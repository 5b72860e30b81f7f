package io.tenfold.raid;

import io.tenfold.base.Waiter;

/**
 * A window as its owner holds it, raised or not: made once, raised and lowered any number of times through
 * {@link WindowRaiser}. Its owner is who is woken when there is something new to poll.
 */
public final class BarrierWindow {
    /** Where a window is in its life. */
    enum State {
        IDLE,
        /** Waits for its turn. Nobody is kept out yet. */
        QUEUED,
        /** Keeps I/O out, and waits for what is inside. */
        DRAINING,
        /** Nothing is inside. */
        RAISED
    }

    final Waiter owner;

    /** All below: guarded by the barrier's lock. */
    State state = State.IDLE;

    long from;
    long to;
    boolean forced;
    boolean freeze;

    /** How many that are inside a freeze does not wait for. */
    int held;

    /** The design's own: how far draining has come. */
    int step;

    /** A window that is not raised; {@code owner} is woken whenever its owner has to poll it. */
    public BarrierWindow(Waiter owner) {
        this.owner = owner;
    }
}
