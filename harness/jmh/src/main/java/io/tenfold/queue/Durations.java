package io.tenfold.queue;

import java.util.Arrays;

/**
 * How long something took, many times over: counts by size, 64 to each power of two, so that a quantile is at most 1/64 above
 * the true one; the longest is exact. Records without allocating. Threads: one.
 */
final class Durations {
    private static final int FINE_BITS = 6;
    private static final int FINE = 1 << FINE_BITS;

    private final long[] counts = new long[(Long.SIZE - FINE_BITS) * FINE];
    private long count;
    private long longest;

    void record(long nanos) {
        long value = Math.max(0, nanos);
        counts[bucket(value)]++;
        count++;
        longest = Math.max(longest, value);
    }

    void add(Durations other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
        count += other.count;
        longest = Math.max(longest, other.longest);
    }

    void clear() {
        Arrays.fill(counts, 0);
        count = 0;
        longest = 0;
    }

    /** The least value that a share of all do not exceed, rounded up to its bucket's end; 0 if there are none. */
    long quantile(double share) {
        long rank = Math.max(1, (long) Math.ceil(share * count));
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= rank) {
                return Math.min(end(i), longest);
            }
        }
        return longest;
    }

    /** "count median longest", in nanoseconds. */
    @Override
    public String toString() {
        return count + " " + quantile(0.5) + " " + longest;
    }

    private static int bucket(long value) {
        if (value < FINE) {
            return (int) value;
        }
        int shift = Long.SIZE - 1 - FINE_BITS - Long.numberOfLeadingZeros(value);
        return shift * FINE + (int) (value >> shift); // value >> shift is FINE to 2 * FINE - 1.
    }

    private static long end(int bucket) {
        if (bucket < 2 * FINE) {
            return bucket;
        }
        int shift = bucket / FINE - 1;
        return ((bucket - (long) shift * FINE + 1) << shift) - 1;
    }
}
