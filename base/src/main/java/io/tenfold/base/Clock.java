package io.tenfold.base;

/**
 * Time, as the code that asks for it is told: real or simulated.
 *
 * <p>Threads: any.
 */
public interface Clock {
    /** Nanoseconds since an arbitrary moment; never goes back. For durations and deadlines. */
    long nanos();

    /** Microseconds since 1970-01-01T00:00Z; may jump. For what is written to disk or shown to people. */
    long epochMicros();

    /** The machine's clock. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
