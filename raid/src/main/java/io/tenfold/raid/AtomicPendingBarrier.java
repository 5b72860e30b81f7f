package io.tenfold.raid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * A baseline, RAID10's barrier from 2016 to 2022: entering takes the lock, leaving only takes one from an atomic count, and
 * goes through the list of waiters when that is zero or a freeze waits. Stops the whole array for any window.
 */
final class AtomicPendingBarrier implements IoBarrier, WindowRaiser.Gate {
    /*
     * State. inside: raised with the lock held (but by pass), lowered without. closed: written with the lock held.
     * Invariant. While anything is shown, nobody gets in but by pass(): entering reads `closed` in the lock. So once
     *   `inside` has been seen at zero, it stays.
     * Order. Leaving is a volatile read-modify-write of `inside`, then a volatile read of `drainers`; the raiser stores
     *   `drainers`, then reads `inside`: WindowRaiser R1. What was done inside is visible to who read the zero, as every
     *   change of `inside` is a read-modify-write.
     */
    private static final VarHandle INSIDE;

    static {
        try {
            INSIDE = MethodHandles.lookup().findVarHandle(AtomicPendingBarrier.class, "inside", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SpinLock lock = new SpinLock();
    private final SpinLock waitList = new SpinLock();
    private final WindowRaiser raiser;

    @SuppressWarnings("unused") // By INSIDE.
    private volatile long inside;

    private volatile boolean closed;

    AtomicPendingBarrier(int stripes) {
        raiser = new WindowRaiser(stripes, this);
    }

    @Override
    public int tryEnter(int stripe, long offset, long length) {
        lock.lock();
        boolean in = !closed;
        if (in) {
            INSIDE.getAndAdd(this, 1L);
        }
        lock.unlock();
        return in ? 0 : TURNED_AWAY;
    }

    @Override
    public int pass(int stripe, long offset, long length) {
        INSIDE.getAndAdd(this, 1L);
        return 0;
    }

    @Override
    public void leave(int stripe, int ticket) {
        long before = (long) INSIDE.getAndAdd(this, -1L);
        if (before <= 0) {
            INSIDE.getAndAdd(this, 1L);
            throw new IllegalStateException("more left than had entered: stripe=" + stripe);
        }
        if (before == 1 || raiser.freezes()) {
            waitList.lock();
            raiser.left(before == 1);
            waitList.unlock();
        }
    }

    @Override
    public EntryWaiters waiters() {
        return raiser.waiters();
    }

    @Override
    public WindowRaiser windows() {
        return raiser;
    }

    @Override
    public void lock() {
        lock.lock();
    }

    @Override
    public void unlock() {
        lock.unlock();
    }

    @Override
    public void show(List<BarrierWindow> raised) {
        closed = !raised.isEmpty();
    }

    @Override
    public boolean hasDrained(BarrierWindow window) {
        return inside <= window.held;
    }
}
