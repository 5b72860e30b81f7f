package io.tenfold.raid;

import java.util.List;

/**
 * A baseline, RAID10's barrier before 2016: one lock around all counts, taken on entering and on leaving, and every leave
 * goes through the list of waiters, which has a lock of its own. Stops the whole array for any window.
 */
final class SpinlockBarrier implements IoBarrier, WindowRaiser.Gate {
    /*
     * State. inside and closed are read and written with the lock held, so all orders are the lock's. closed is volatile
     * for the sake of EntryWaiters E1 alone.
     * Invariant. While anything is shown, nobody gets in but by pass(); so once `inside` has been seen at zero, it stays.
     * Wake-ups. WindowRaiser R1: `drainers` is stored before the lock is taken for the look at `inside`, or within it; who
     *   leaves takes the lock first and reads `drainers` after. One of the two comes second in the lock.
     */
    private final SpinLock lock = new SpinLock();
    private final SpinLock waitList = new SpinLock();
    private final WindowRaiser raiser;
    private long inside;
    private volatile boolean closed;

    SpinlockBarrier(int stripes) {
        raiser = new WindowRaiser(stripes, this);
    }

    @Override
    public int tryEnter(int stripe, long offset, long length) {
        lock.lock();
        boolean in = !closed;
        if (in) {
            inside++;
        }
        lock.unlock();
        return in ? 0 : TURNED_AWAY;
    }

    @Override
    public int pass(int stripe, long offset, long length) {
        lock.lock();
        inside++;
        lock.unlock();
        return 0;
    }

    @Override
    public void leave(int stripe, int ticket) {
        lock.lock();
        boolean wasInside = inside > 0;
        if (wasInside) {
            inside--;
        }
        lock.unlock();
        if (!wasInside) {
            throw new IllegalStateException("more left than had entered: stripe=" + stripe);
        }
        waitList.lock();
        raiser.left(true);
        waitList.unlock();
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
