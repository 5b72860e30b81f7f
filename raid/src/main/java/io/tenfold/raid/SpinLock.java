package io.tenfold.raid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock that is waited for by looking again and again, as in a kernel; for the designs that stand for the kernel's. A thread
 * here may lose its processor while it holds the lock, which a kernel forbids; so who waits long yields.
 */
final class SpinLock {
    /*
     * State. 1 while held. Order: lock() is a volatile CAS, unlock() a release store: what was done under the lock before is
     * visible to who takes it next. No progress is promised to any one thread.
     */
    private static final VarHandle HELD;
    private static final int SPINS_MAX = 64;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // By HELD.
    private volatile int held;

    @SuppressWarnings("ThreadPriorityCheck") // A hint: where it does nothing, this only spins for longer.
    void lock() {
        int spins = 0;
        while ((int) HELD.getOpaque(this) != 0 || !HELD.compareAndSet(this, 0, 1)) {
            if (spins++ < SPINS_MAX) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    void unlock() {
        HELD.setRelease(this, 0);
    }
}
