package io.tenfold.block.canary;

/** Reads the machine's clock on purpose. */
public final class ReadsTheClock {
    /** Time without a Clock. */
    public long now() {
        return System.nanoTime();
    }
}
