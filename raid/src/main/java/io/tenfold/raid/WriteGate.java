package io.tenfold.raid;

/**
 * What keeps writes out while the superblocks say that the array is clean: a writer enters and leaves, the conductor
 * opens when "dirty" is stable on all members, and closes before it writes "clean". Entering costs a store to the writer's
 * own stripe, no shared line.
 *
 * <p>Nobody waits inside. A writer that finds the gate closed parks its write and tells the conductor; the conductor that
 * finds writes under way leaves the gate open.
 */
class WriteGate {
    /*
     * State. open: written by the conductor. ENTERED and LEFT of each stripe: written by its channel; their difference is
     *   what that channel has in flight, failed entries for a moment included.
     *
     * Invariants
     *   G1  After close() has answered true and until open(), no writer that got in has not left.
     * Order
     *   O1  Dekker's: a writer stores ENTERED, then reads `open`; the conductor stores `open`, then reads ENTERED. All are
     *       volatile, so at least one sees the other: the writer stays out, or close() sees it and answers false. With a
     *       release store in place of the volatile one both may miss each other: WriteGateStress shows it on a weakened
     *       twin. A stripe that is added later is covered too: its list is read between the store of `open` and the
     *       reads of ENTERED, and a channel is in the list before it enters for the first time.
     *   O2  LEFT is read before ENTERED: a stripe whose two values are then equal had nothing in flight at the moment
     *       when LEFT was read, because neither ever goes back. What a writer did before it left is visible to the
     *       conductor that read its LEFT.
     * Progress. Each call ends after a fixed number of steps. That close() fails because of an entry that failed at the
     *   same time is harmless here: somebody wants to write. But that somebody was turned away from a gate that is open
     *   again: the conductor wakes the channels after a close() that failed as after open().
     */
    private volatile boolean open;

    /** Whether writers get in. */
    boolean isOpen() {
        return open;
    }

    /** A writer, before it starts; if false it does not start. */
    boolean enter(Stripe stripe) {
        stripe.add(Stripe.ENTERED, 1); // O1
        if (open) { // O1
            return true;
        }
        stripe.add(Stripe.LEFT, 1);
        return false;
    }

    /** A writer that got in, when all is done. */
    void leave(Stripe stripe) {
        stripe.add(Stripe.LEFT, 1); // O2
    }

    /** Lets writers in. The conductor; it wakes the channels afterwards. */
    void open() {
        open = true;
    }

    /**
     * Keeps writers out from now on, if none is inside. The conductor.
     *
     * @return true: closed, and all who were inside have left; false: still open
     */
    boolean close(Stripes stripes) {
        open = false; // O1
        for (Stripe stripe : stripes.all()) {
            if (isInside(stripe)) {
                open = true;
                return false;
            }
        }
        return true;
    }

    private static boolean isInside(Stripe stripe) {
        long left = stripe.get(Stripe.LEFT); // O2: first
        return stripe.get(Stripe.ENTERED) != left; // O1
    }

    /** Where the stripes are: read anew each time, as channels come and go. */
    @FunctionalInterface
    interface Stripes {
        Stripe[] all();
    }
}
