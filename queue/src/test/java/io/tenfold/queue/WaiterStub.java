package io.tenfold.queue;

import io.tenfold.base.Waiter;

/** Tells of a wake; parks never. */
record WaiterStub(Runnable woken) implements Waiter {
    static final Waiter SILENT = new WaiterStub(() -> {});

    @Override
    public void park(long nanosMax) {
        throw new AssertionError("parked in a test that must not block");
    }

    @Override
    public void wake() {
        woken.run();
    }
}
