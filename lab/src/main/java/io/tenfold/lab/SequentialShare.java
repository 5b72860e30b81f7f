package io.tenfold.lab;

import io.tenfold.block.Request;
import io.tenfold.sim.SimHdd;

/** Counts, from a disk's trace, how many of its requests were handed to it right after the one that ends where they start. */
final class SequentialShare implements SimHdd.Trace {
    private long dispatches;
    private long sequential;
    private long lastEnd = -1;
    private long bytes;
    private long firstNanos;
    private long lastNanos;
    private boolean counting;

    /** What went before is forgotten, but for where the last dispatch ended. */
    void begin(long nanos) {
        counting = true;
        firstNanos = nanos;
    }

    @Override
    public void dispatched(long nanos, Request request) {
        if (counting) {
            dispatches++;
            sequential += request.offset() == lastEnd ? 1 : 0;
        }
        lastEnd = request.end();
    }

    @Override
    public void completed(long nanos, Request request) {
        if (counting) {
            bytes += request.length();
            lastNanos = nanos;
        }
    }

    long dispatches() {
        return dispatches;
    }

    /** In percent. */
    double percent() {
        return 100.0 * sequential / dispatches;
    }

    double bytesPerSecond() {
        return bytes * 1e9 / (lastNanos - firstNanos);
    }
}
