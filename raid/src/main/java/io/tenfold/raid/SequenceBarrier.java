package io.tenfold.raid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * A baseline, RAID10's barrier since 2022: a sequence lock lets I/O enter without the lock where nothing is raised, and
 * waiters are looked for only where there are some. Stops the whole array for any window.
 */
final class SequenceBarrier implements IoBarrier, WindowRaiser.Gate {
    /*
     * State. sequence: odd while the lock is held, changed by its holder alone. inside: an atomic count. closed: written
     *   with the lock held.
     * Invariant. While anything is shown nobody gets in but by pass(). Who enters without the lock counts itself, then reads
     *   `sequence`, and stays only if that is what it was when `closed` was read to be false.
     * Order
     *   Q1  Dekker's. Who enters changes `inside`, then reads `sequence`; the raiser changes `sequence` (lock()), then
     *       reads `inside`. All volatile: either who enters sees the change and takes its count back, or the raiser sees
     *       the count. BarrierWeakened.SequenceReadBeforeCounting is a twin without.
     *   Q2  Who takes its count back looks for a waiting raiser like any that leaves: WindowRaiser R1. The kernel's first
     *       version did not, and hung.
     */
    private static final VarHandle INSIDE;

    static {
        try {
            INSIDE = MethodHandles.lookup().findVarHandle(SequenceBarrier.class, "inside", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SpinLock lock = new SpinLock();
    private final WindowRaiser raiser;

    @SuppressWarnings("unused") // By INSIDE.
    private volatile long inside;

    private volatile long sequence;
    private volatile boolean closed;

    SequenceBarrier(int stripes) {
        raiser = new WindowRaiser(stripes, this);
    }

    @Override
    public int tryEnter(int stripe, long offset, long length) {
        long seen = sequence;
        if ((seen & 1) == 0 && !closed) {
            INSIDE.getAndAdd(this, 1L); // Q1
            if (sequence == seen) { // Q1
                return 0;
            }
            leave(stripe, 0); // Q2
        }
        return enterLocked();
    }

    private int enterLocked() {
        lock();
        boolean in = !closed;
        if (in) {
            INSIDE.getAndAdd(this, 1L);
        }
        unlock();
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
        raiser.left(before == 1);
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
        long even = sequence;
        sequence = even + 1; // Q1
    }

    @Override
    public void unlock() {
        long odd = sequence;
        sequence = odd + 1;
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
