package io.tenfold.raid;

import io.tenfold.base.Waiter;

/** Counts wakes; never parks. */
final class RecordedWaiter implements Waiter {
    private int wakes;

    @Override
    public void park(long nanosMax) {
        throw new AssertionError("parked in a test that must not block");
    }

    @Override
    public void wake() {
        wakes++;
    }

    /** Whether it was woken since it was last asked. */
    boolean woken() {
        boolean any = wakes > 0;
        wakes = 0;
        return any;
    }
}
