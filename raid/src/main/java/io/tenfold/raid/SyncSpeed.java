package io.tenfold.raid;

/**
 * How fast a pass may go: with I/O of users about, a little; otherwise a lot. A window is due when what the last one moved has
 * had its time.
 *
 * <p>Rates are md's {@code speed_limit_min} and {@code speed_limit_max}, for each member. Threads: one.
 */
final class SyncSpeed {
    /** Bytes a second on each member while users are about. */
    static final long BUSY_BYTES_PER_SECOND = 1000 << 10;

    /** Bytes a second on each member while nobody is. */
    static final long IDLE_BYTES_PER_SECOND = 200_000L << 10;

    /** Users are about for so long after their last request. */
    static final long BUSY_NANOS = 100_000_000;

    /** Bytes of a window; smaller while users are about, as they wait for one. */
    static final int IDLE_WINDOW_BYTES = 1 << 20;

    static final int BUSY_WINDOW_BYTES = 64 << 10;

    /** Time that was not used is lost beyond this. */
    private static final long BURST_NANOS = 50_000_000;

    private long lastDueNanos;
    private long lastBytes;
    private long seenRequests;
    private long busyNanos;

    SyncSpeed(long nowNanos, long requests) {
        lastDueNanos = nowNanos;
        busyNanos = nowNanos - BUSY_NANOS;
        seenRequests = requests;
    }

    /**
     * Looks whether users are about.
     *
     * @param requests how many they have made so far
     */
    boolean isBusy(long nowNanos, long requests) {
        if (requests != seenRequests) {
            seenRequests = requests;
            busyNanos = nowNanos;
        }
        return nowNanos - busyNanos < BUSY_NANOS;
    }

    /** How long it is until the next window may start; 0 or less: it may. */
    long waitNanos(long nowNanos, boolean busy) {
        return lastDueNanos + nanos(lastBytes, busy) - nowNanos;
    }

    /** A window starts, which will move so many bytes on each member. */
    void started(long nowNanos, boolean busy, long bytes) {
        lastDueNanos = Math.max(lastDueNanos + nanos(lastBytes, busy), nowNanos - BURST_NANOS);
        lastBytes = bytes;
    }

    private static long nanos(long bytes, boolean busy) {
        return bytes * 1_000_000_000L / (busy ? BUSY_BYTES_PER_SECOND : IDLE_BYTES_PER_SECOND);
    }
}
