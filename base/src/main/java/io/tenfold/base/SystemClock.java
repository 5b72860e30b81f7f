package io.tenfold.base;

import java.time.Instant;

/** The machine's clock: the one place that reads it. */
enum SystemClock implements Clock {
    INSTANCE;

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long epochMicros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }
}
