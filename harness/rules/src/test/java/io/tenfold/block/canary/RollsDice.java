package io.tenfold.block.canary;

/** Uses the machine's randomness on purpose. */
public final class RollsDice {
    /** Randomness without a seed. */
    public double roll() {
        return Math.random();
    }
}
