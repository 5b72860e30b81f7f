package io.tenfold.sim;

/**
 * One cache line of a {@link NumaMachine}: which cores have it, and when the transfer under way ends. A line that one core
 * alone uses never moves; a line that is only read moves once to each core; a line that several change moves for every
 * change, one after another.
 */
public final class NumaLine {
    private final NumaModel model;

    /** Bit c: core c has it. */
    private long holders;

    /** One core, the only holder, has changed it. */
    private boolean changed;

    private long freeAt;
    private long transfers;

    NumaLine(NumaModel model) {
        this.model = model;
    }

    /** How often it has moved from one core to another. The first use of it does not count. */
    public long transfers() {
        return transfers;
    }

    /** Reads it, from some moment on, and answers when that is done. */
    long read(int core, long now) {
        if ((holders & 1L << core) != 0) {
            return now + model.loadNanos();
        }
        if (holders == 0) {
            holders = 1L << core;
            return now + model.nodeTransferNanos();
        }
        long done = Math.max(now, freeAt) + nanosFrom(core, false);
        if (changed) { // Whoever changed it answers one after another; copies are given to many at once.
            freeAt = done;
            changed = false;
        }
        holders |= 1L << core;
        transfers++;
        return done;
    }

    /** Changes it, from some moment on, and answers when that is done. */
    long change(int core, long now) {
        if (holders == 1L << core) {
            changed = true;
            return now + model.atomicNanos();
        }
        long nanos = model.nodeTransferNanos();
        if (holders != 0) {
            nanos = nanosFrom(core, true);
            transfers++;
        }
        freeAt = Math.max(now, freeAt) + nanos;
        holders = 1L << core;
        changed = true;
        return freeAt;
    }

    /** Of those that have it: the nearest, who gives it; or the farthest, whose copy must be gone before it is changed. */
    private long nanosFrom(int core, boolean farthest) {
        long nanos = farthest ? 0 : Long.MAX_VALUE;
        for (long left = holders & ~(1L << core); left != 0; left &= left - 1) {
            long one = model.transferNanos(Long.numberOfTrailingZeros(left), core);
            nanos = farthest ? Math.max(nanos, one) : Math.min(nanos, one);
        }
        return nanos;
    }
}
