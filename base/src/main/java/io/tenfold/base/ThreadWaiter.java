package io.tenfold.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/** A waiter for a plain thread, which must be the one that made it. */
final class ThreadWaiter implements Waiter {
    /*
     * State. woken: a wake has come that no park has answered.
     * Order. Both ends are volatile read-modify-writes of `woken` (wake sets it, park takes it), so what the waker wrote
     *   before is visible after park, and unpark comes after the flag is set: a park that read false either sleeps and
     *   is unparked, or finds the permit.
     */
    private static final VarHandle WOKEN;

    static {
        try {
            WOKEN = MethodHandles.lookup().findVarHandle(ThreadWaiter.class, "woken", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Thread owner = Thread.currentThread();

    @SuppressWarnings("unused") // By WOKEN.
    private volatile boolean woken;

    @Override
    public void park(long nanosMax) {
        assert Thread.currentThread() == owner : "parked by another thread: " + Thread.currentThread();
        if ((boolean) WOKEN.getAndSet(this, false) || nanosMax <= 0) {
            return;
        }
        if (nanosMax == Long.MAX_VALUE) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, nanosMax);
        }
        WOKEN.getAndSet(this, false);
    }

    @Override
    public void wake() {
        if (!(boolean) WOKEN.getAndSet(this, true)) {
            LockSupport.unpark(owner);
        }
    }
}
