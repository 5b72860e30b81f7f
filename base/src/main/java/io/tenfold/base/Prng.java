package io.tenfold.base;

/**
 * Random numbers that one seed determines for ever: SplitMix64 (Steele, Lea, Flood 2014). Not for secrets.
 *
 * <p>Threads: one.
 */
public final class Prng {
    private long state;

    /** A sequence; the same seed gives the same one on every machine and in every version. */
    public Prng(long seed) {
        state = seed;
    }

    /** The next 64 random bits. */
    public long nextLong() {
        state += 0x9E3779B97F4A7C15L;
        long z = state;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /**
     * The next number in {@code [0, bound)}. The bias of a bound far below 2<sup>64</sup> is not noticeable.
     *
     * @param bound above 0
     */
    public long below(long bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException("bound must be above 0: bound=" + bound);
        }
        return Math.unsignedMultiplyHigh(nextLong(), bound);
    }

    /** The next number in {@code [0, bound)}. */
    public int below(int bound) {
        return (int) below((long) bound);
    }

    /** True once in {@code n} on average. */
    public boolean oneIn(int n) {
        return below(n) == 0;
    }
}
