package io.tenfold.queue;

import io.tenfold.base.Waiter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Lets many in at little cost, until somebody closes it; he is told when the last has left.
 *
 * <p>Each who enters names a stripe of his own, so that those who enter share no line that is written. For the idea of an
 * early look by those who close, and not a count that all share, see the kernel's per-CPU reference counts.
 *
 * <p>Threads: a stripe belongs to one thread. Any may close and open, several at a time: it is open when each has opened.
 */
final class Gate {
    /*
     * State. CLOSED: how many keep it closed. Cell of a stripe: how many are inside by it, written by its thread alone.
     *   closers: who is to be woken when somebody leaves.
     * Invariants
     *   G1  While enter() answered true and leave() has not followed, the stripe's cell counts it.
     *   G2  A close() that returned is followed by no enter() that answers true, until it is opened.
     *   G3  Once nobody is inside, close() returns.
     * Order. Cells and CLOSED are volatile mode, so there is one order of all accesses.
     *   O1  enter: write the cell, then read CLOSED. close: write CLOSED, then read the cells. So either enter sees the gate
     *       closed, or close sees the one inside (G2). This needs a full fence on both sides: release and acquire would let
     *       each read what was before. Pinned by GateStress.EnterAgainstClose.
     *   O2  leave: write the cell, then read CLOSED and wake. close: write CLOSED, then read the cells, then park. So either
     *       close sees nobody, or who leaves sees CLOSED and wakes, after closers has the one to wake (G3). An enter that
     *       takes its count back is a leave: close may have seen that count. Pinned by GateStress.LeaveAgainstClose.
     * Progress. enter and leave are wait-free while it is open.
     */
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** 128 bytes: the pair of lines that an adjacent-line prefetcher brings in. */
    private static final int STRIDE = 16;

    private static final int CLOSED = STRIDE;

    private final long[] cells;
    private final int stripes;
    private final CopyOnWriteArrayList<Waiter> closers = new CopyOnWriteArrayList<>();

    /** An open gate with nobody inside. */
    Gate(int stripes) {
        this.stripes = stripes;
        cells = new long[(stripes + 3) * STRIDE];
    }

    /** Lets {@code count} in, or none. */
    boolean enter(int stripe, int count) {
        int cell = cell(stripe);
        CELL.setVolatile(cells, cell, (long) CELL.get(cells, cell) + count); // G1, O1
        if ((long) CELL.getVolatile(cells, CLOSED) == 0) {
            return true;
        }
        leave(stripe, count);
        return false;
    }

    /** As many of those who entered by this stripe are out. */
    void leave(int stripe, int count) {
        int cell = cell(stripe);
        CELL.setVolatile(cells, cell, (long) CELL.get(cells, cell) - count);
        if ((long) CELL.getVolatile(cells, CLOSED) != 0) { // O2
            for (Waiter closer : closers) {
                closer.wake();
            }
        }
    }

    /** Lets nobody in any more, and parks the caller until nobody is inside. */
    void close(Waiter caller) {
        shut(caller);
        while (!isEmpty()) {
            caller.park(Long.MAX_VALUE);
        }
        closers.remove(caller);
    }

    /** The first step of {@link #close}: lets nobody in any more, and has the caller woken by those who leave. */
    void shut(Waiter caller) {
        closers.add(caller); // O2
        CELL.getAndAdd(cells, CLOSED, 1L); // O1
    }

    /**
     * Undoes one {@link #close}.
     *
     * @return whether it is open now, so that those who were not let in must be told
     * @throws IllegalStateException if it is open already
     */
    boolean open() {
        long before;
        do {
            before = (long) CELL.getVolatile(cells, CLOSED);
            if (before == 0) {
                throw new IllegalStateException("opened more often than closed: closed=0");
            }
        } while (!CELL.compareAndSet(cells, CLOSED, before, before - 1));
        return before == 1;
    }

    /** Whether nobody is inside. Of meaning while it is closed. */
    boolean isEmpty() {
        for (int stripe = 0; stripe < stripes; stripe++) {
            if ((long) CELL.getVolatile(cells, cell(stripe)) != 0) {
                return false;
            }
        }
        return true;
    }

    private static int cell(int stripe) {
        return (stripe + 2) * STRIDE;
    }
}
