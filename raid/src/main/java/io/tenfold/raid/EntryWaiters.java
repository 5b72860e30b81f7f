package io.tenfold.raid;

import io.tenfold.base.Waiter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who was turned away from an {@link IoBarrier} and waits: a count for each stripe, and whom to wake.
 *
 * <p>An event loop that keeps a request for later calls {@link #start}, tries once more, and goes on with other work. When it
 * is woken it tries all that it keeps, and for each that gets in, or is given up, calls {@link #stop}.
 */
public final class EntryWaiters {
    /*
     * State. Cell (stripe + 1) * STRIDE: how many of that stripe wait; written by its thread alone.
     *   field       | written by         | write mode | read by                     | read mode | pairs with
     *   cell        | the stripe's thread | volatile   | raisers, anybody who lowers | volatile  | E1, E2
     *   owners[i]   | the stripe's thread | plain      | who saw its cell above 0    | plain     | the cell's first store
     * Order
     *   E1  No wake of an entry is lost. Dekker's: the waiter stores its cell, then reads what is raised (its next try); who
     *       lowers stores what is raised, then reads the cells. All are volatile, so either the try gets in or the wake
     *       comes. A wake is sticky, so it may come before the park. With the cell as a release store both may miss:
     *       BarrierWeakened.WaitingEntryAnnouncedByRelease.
     *   E2  No turn is lost. stop() stores its cell, then reads who is next to raise; the raiser stores that it is next,
     *       then reads the cells (WindowRaiser.mayBegin). BarrierWeakened.LastWaiterGoesByRelease.
     */
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** 128 bytes: the pair of lines that an adjacent-line prefetcher brings in. */
    private static final int STRIDE = 16;

    private final long[] cells;
    private final Waiter[] owners;
    private final WindowRaiser raiser;

    EntryWaiters(int stripes, WindowRaiser raiser) {
        cells = new long[(stripes + 2) * STRIDE];
        owners = new Waiter[stripes];
        this.raiser = raiser;
    }

    /** Names whom to wake when what waits on a stripe should try again. The stripe's thread, before it waits. */
    public void attach(int stripe, Waiter owner) {
        owners[stripe] = owner;
    }

    /**
     * Announces one that waits. It tries again after this and before its thread parks.
     *
     * @throws IllegalStateException if nobody is attached to the stripe
     */
    public void start(int stripe) {
        if (owners[stripe] == null) {
            throw new IllegalStateException("a waiter must be attached before waiting: stripe=" + stripe);
        }
        add(stripe, 1); // E1
    }

    /** Takes the announcement of one back: it got in, or was given up. */
    public void stop(int stripe) {
        add(stripe, -1); // E2
        raiser.wakeNext();
    }

    /** Parks the stripe's thread until it is woken. */
    void park(int stripe) {
        owners[stripe].park(Long.MAX_VALUE);
    }

    /** Whether anybody waits. */
    boolean anybody() {
        for (int stripe = 0; stripe < owners.length; stripe++) {
            if (waits(stripe)) {
                return true;
            }
        }
        return false;
    }

    /** Wakes all stripes on which somebody waits. After what is raised has changed. */
    void wake() {
        for (int stripe = 0; stripe < owners.length; stripe++) {
            if (waits(stripe)) {
                owners[stripe].wake();
            }
        }
    }

    private boolean waits(int stripe) {
        return (long) CELL.getVolatile(cells, (stripe + 1) * STRIDE) != 0; // E1, E2
    }

    private void add(int stripe, long amount) {
        int cell = (stripe + 1) * STRIDE;
        long waiting = (long) CELL.get(cells, cell) + amount;
        if (waiting < 0) {
            throw new IllegalStateException("more stopped waiting than had started: stripe=" + stripe);
        }
        CELL.setVolatile(cells, cell, waiting);
    }
}
