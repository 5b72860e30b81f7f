package io.tenfold.raid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What one channel alone writes and others read, in cache lines of its own: what it has in flight, what it waits for,
 * what it has counted.
 */
final class Stripe {
    /*
     * State. Cells of longs, each written by the channel's thread alone.
     *   cell            | write mode | read by       | read mode | pairs with
     *   ENTERED         | volatile   | the conductor | volatile  | WriteGate O1
     *   LEFT            | volatile   | the conductor | volatile  | WriteGate O2
     *   WAITS_FOR_GATE  | volatile   | the conductor | volatile  | a wake of the conductor, which follows
     *   WAITS_FOR_RANGE | volatile   | any channel   | volatile  | WriteRanges O2: set before its `waiting`
     *   counters        | opaque     | anybody       | opaque    | nothing: they are for showing
     */
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** 128 bytes: the pair of lines that an adjacent-line prefetcher brings in. */
    private static final int PADDING = 16;

    static final int ENTERED = PADDING;
    static final int LEFT = PADDING + 1;
    static final int WAITS_FOR_GATE = PADDING + 2;
    static final int WAITS_FOR_RANGE = PADDING + 3;
    private static final int FIRST_COUNTER = PADDING + 4;

    /** Counters: members' reads that failed; reads that another copy then answered; reads that no copy could answer. */
    static final int READ_ERRORS = 0;

    static final int READS_RESCUED = 1;
    static final int READS_LOST = 2;

    /** Counter: members' writes and flushes that failed. */
    static final int WRITE_ERRORS = 3;

    /** Counter: times that writes began to wait for others that touch the same blocks. */
    static final int OVERLAPS = 4;

    /** Counter: requests of users. */
    static final int REQUESTS = 5;

    /** How many counters there are. */
    static final int COUNTERS = 6;

    private final long[] cells = new long[FIRST_COUNTER + COUNTERS + PADDING];

    /** Adds to a cell that others rely on. The owner alone. */
    void add(int cell, long amount) {
        CELL.setVolatile(cells, cell, (long) CELL.get(cells, cell) + amount);
    }

    /** Sets a cell that others rely on. The owner alone. */
    void set(int cell, long value) {
        CELL.setVolatile(cells, cell, value);
    }

    /** A cell that others rely on. */
    long get(int cell) {
        return (long) CELL.getVolatile(cells, cell);
    }

    /** Adds 1 to a counter. The owner alone. */
    void count(int counter) {
        int cell = FIRST_COUNTER + counter;
        CELL.setOpaque(cells, cell, (long) CELL.get(cells, cell) + 1);
    }

    /** What a counter has come to. */
    long counted(int counter) {
        return (long) CELL.getOpaque(cells, FIRST_COUNTER + counter);
    }
}
