package io.tenfold.raid;

/**
 * How many read errors a member may have: more than {@link #MAX} is too many, and what was counted is halved with every hour
 * without one, as the kernel does it.
 *
 * <p>Threads: one.
 */
final class ReadErrorLimit {
    /** So many are forgiven. */
    static final long MAX = 20;

    private static final long HOUR_NANOS = 3600L * 1_000_000_000;

    private final long[] errors;
    private final long[] lastNanos;

    ReadErrorLimit(int members) {
        errors = new long[members];
        lastNanos = new long[members];
    }

    /** Counts an error; whether that is one too many. */
    boolean isExceededBy(int member, long nowNanos) {
        long hours = (nowNanos - lastNanos[member]) / HOUR_NANOS;
        errors[member] = (errors[member] >> Math.min(hours, Long.SIZE - 1)) + 1;
        lastNanos[member] = nowNanos;
        return errors[member] > MAX;
    }
}
