package io.tenfold.raid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The default design: what is raised is a list of windows, and only I/O inside one is turned away; who is inside is counted
 * by stripe, so that entering and leaving write no line that another thread writes.
 *
 * <p>A raise waits for I/O in the 64 MiB regions that its window touches (and in those that share a count with them), not for
 * all that is inside. Measured against the three designs of the kernel in docs/barrier.md.
 */
final class WindowedBarrier implements IoBarrier, WindowRaiser.Gate {
    /*
     * State. raised: what is kept out (ranges) and the parity by which newcomers count; immutable, replaced under the lock.
     *   cells: for each stripe two rows of counts, one a parity; a row has a count for each class of regions (region number
     *   modulo 16), and one for I/O over more than one region. A ticket is the place of a count within its stripe.
     *   field  | written by           | write mode   | read by              | read     | pairs with
     *   raised | raisers, in the lock | volatile     | who enters           | volatile | B1, B2
     *   cell   | the stripe's thread  | volatile add | raisers, in the lock | volatile | B1, B2, WindowRaiser R1
     *
     * Invariants
     *   I1  A cell is at least the number of those who got in by it and have not left. (More for a moment: who is about to
     *       be turned away counts itself first.)
     *   I2  While a window is raised nobody is inside who did not pass(). Whoever got in without having seen the window had
     *       counted itself before the window was shown (B1), in one of the two cells of its class. A window is raised only
     *       after each cell of its classes, of either parity, has been seen at zero at some moment after it was shown. The
     *       moments may differ. So all these have left.
     *   I3  For a freeze all newcomers are turned away, so the number of those inside only falls. The sum of cells read one
     *       after another is at least the number inside at the end of the reading: at most `held` means at most `held`.
     *   I2 and I3 do not depend on the parity that anybody counted by: it is for progress.
     * Order
     *   B1  Dekker's. Who enters changes its cell, then reads `raised`; the raiser stores `raised`, then reads the cells. All
     *       are volatile and so in one order that all agree on: either who enters sees the window, or the raiser sees the
     *       count. (The change is an atomic add, though nobody else writes the cell: on x86-64 that is one
     *       instruction in place of a store and a fence.) With a release store of the cell both may miss:
     *       BarrierWeakened.EnteredByRelease. The first look at `raised`, before counting, only spares raisers the counts of
     *       those who are turned away.
     *   B2  What was done inside before leave() is visible to the raiser that saw the zero; what the raiser did before
     *       lower() is visible to who then enters. Both are a volatile store and a volatile load of the value stored, or of
     *       a later one by the same thread or in the same lock. Pinned by BarrierStress.LeaveAgainstRaise.
     * Progress. Entering and leaving end after a fixed number of steps (plus a wake while somebody drains). A raise first
     *   waits for the cells of the parity that newcomers do not use, then turns the parity over and waits for the others; so
     *   it never waits for who comes later, but for the few that read the parity just before it was turned. That needs one
     *   window at a time to drain (WindowRaiser W2). I/O that stays outside the window may come without end.
     */
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    private static final int REGION_SHIFT = 26;
    private static final int CLASSES = 16;

    /** The count of I/O over more than one region: every window waits for it. */
    private static final int MANY = CLASSES;

    private static final int ROW = 24;

    /** Longs of a stripe: two rows, and 128 bytes to the next stripe's. */
    private static final int STRIDE = 2 * ROW + 16;

    private final ReentrantLock lock = new ReentrantLock();
    private final int stripes;
    private final long[] cells;
    private final WindowRaiser raiser;
    private volatile Raised raised = new Raised(0, new long[0]);

    WindowedBarrier(int stripes) {
        this.stripes = stripes;
        cells = new long[(stripes + 1) * STRIDE];
        raiser = new WindowRaiser(stripes, this);
    }

    @Override
    public int tryEnter(int stripe, long offset, long length) {
        Raised seen = raised;
        if (seen.covers(offset, length)) {
            return TURNED_AWAY;
        }
        int ticket = seen.row + classOf(offset, length);
        count(stripe, ticket, 1); // B1
        Raised now = raised; // B1, B2
        if (now == seen || !now.covers(offset, length)) {
            return ticket;
        }
        leave(stripe, ticket);
        return TURNED_AWAY;
    }

    @Override
    public int pass(int stripe, long offset, long length) {
        int ticket = raised.row + classOf(offset, length);
        count(stripe, ticket, 1);
        return ticket;
    }

    @Override
    public void leave(int stripe, int ticket) {
        long left = count(stripe, ticket, -1); // B2
        raiser.left(left == 0);
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
    public void show(List<BarrierWindow> windows) {
        long[] ranges = new long[2 * windows.size()];
        for (int i = 0; i < windows.size(); i++) {
            ranges[2 * i] = windows.get(i).from;
            ranges[2 * i + 1] = windows.get(i).to;
        }
        raised = new Raised(raised.row, ranges); // B1, B2
    }

    @Override
    public boolean hasDrained(BarrierWindow window) {
        if (window.freeze) {
            return inside() <= window.held; // I3
        }
        if (window.step == 0) {
            if (!isEmpty(window, ROW - raised.row)) {
                return false;
            }
            raised = new Raised(ROW - raised.row, raised.ranges);
            window.step = 1;
        }
        return isEmpty(window, ROW - raised.row); // I2
    }

    /** Whether each count of a row that I/O inside the window may have counted by has been seen at zero. */
    private boolean isEmpty(BarrierWindow window, int row) {
        long first = window.from >>> REGION_SHIFT;
        long last = Math.min((window.to - 1) >>> REGION_SHIFT, first + CLASSES - 1);
        for (int stripe = 0; stripe < stripes; stripe++) {
            for (long region = first; region <= last; region++) {
                if (counted(stripe, row + (int) (region & CLASSES - 1)) != 0) {
                    return false;
                }
            }
            if (counted(stripe, row + MANY) != 0) {
                return false;
            }
        }
        return true;
    }

    private long inside() {
        long sum = 0;
        for (int stripe = 0; stripe < stripes; stripe++) {
            for (int ticket = 0; ticket < 2 * ROW; ticket++) {
                sum += counted(stripe, ticket);
            }
        }
        return sum;
    }

    private long counted(int stripe, int ticket) {
        return (long) CELL.getVolatile(cells, (stripe + 1) * STRIDE + ticket); // B1, B2
    }

    private long count(int stripe, int ticket, long amount) {
        int cell = (stripe + 1) * STRIDE + ticket;
        long value = (long) CELL.getAndAdd(cells, cell, amount) + amount; // B1, B2
        if (value < 0) {
            CELL.setVolatile(cells, cell, 0L);
            throw new IllegalStateException("more left than had entered: stripe=" + stripe + ", ticket=" + ticket);
        }
        return value;
    }

    private static int classOf(long offset, long length) {
        long region = offset >>> REGION_SHIFT;
        return (offset + length - 1) >>> REGION_SHIFT == region ? (int) (region & CLASSES - 1) : MANY;
    }

    /** What is kept out, {@code from} and {@code to} by turns, and where newcomers count. */
    private static final class Raised {
        final int row;
        final long[] ranges;

        Raised(int row, long[] ranges) {
            this.row = row;
            this.ranges = ranges;
        }

        boolean covers(long offset, long length) {
            for (int i = 0; i < ranges.length; i += 2) {
                if (offset < ranges[i + 1] && offset + length > ranges[i]) {
                    return true;
                }
            }
            return false;
        }
    }
}
