package io.tenfold.raid.md;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A member's bad-block log as it is written: up to 512 entries of 8 bytes, the lower 10 bits a length, the rest an address
 * that counts from the start of the member, data_offset included. An entry of ones ends it.
 */
public final class BadBlockLog {
    /** Bytes of an entry. */
    public static final int ENTRY = 8;

    /** The largest log there is, in sectors. */
    public static final int SECTORS_MAX = 8;

    /** The longest range that an entry is written with, in units; more would fit, but this is what kernels write. */
    private static final long LENGTH_MAX = 512;

    private static final int LENGTH_BITS = 10;
    private static final long END = -1;

    private BadBlockLog() {}

    /**
     * A range of the member that cannot be read.
     *
     * @param start first sector, counted from the start of the member
     * @param length sectors, above 0
     */
    public record Range(long start, long length) {}

    /**
     * The entries of a log.
     *
     * @param bytes the log, a multiple of 8 bytes
     * @param shift units are sectors shifted left by this, 0 to 16
     * @param memberSectors no range ends beyond
     * @param problems gets a line for each entry that cannot be
     */
    public static List<Range> parse(byte[] bytes, int shift, long memberSectors, List<String> problems) {
        List<Range> ranges = new ArrayList<>();
        for (int at = 0; at + ENTRY <= bytes.length; at += ENTRY) {
            long entry = LittleEndian.i64(bytes, at);
            if (entry == END) {
                break;
            }
            long start = entry >>> LENGTH_BITS;
            long length = (entry & ((1L << LENGTH_BITS) - 1)) << shift;
            if (start > memberSectors >>> shift || length == 0 || length > memberSectors - (start << shift)) {
                problems.add("bad-block log entry is not within the member: entry=" + at / ENTRY + ", start=" + start
                        + ", length=" + length + ", shift=" + shift + ", member has " + memberSectors + " sectors");
                continue;
            }
            ranges.add(new Range(start << shift, length));
        }
        return ranges;
    }

    /**
     * The entry for a range.
     *
     * @param range in whole units, no longer than an entry can say
     * @param shift as in {@link #parse}
     */
    public static long entry(Range range, int shift) {
        return range.start() >>> shift << LENGTH_BITS | range.length() >>> shift;
    }

    /**
     * The entries that name a range: of whole units, so perhaps of a little more than that.
     *
     * @param shift as in {@link #parse}
     */
    public static List<Long> entries(Range range, int shift) {
        long first = range.start() >>> shift;
        long end = (range.start() + range.length() + (1L << shift) - 1) >>> shift;
        List<Long> entries = new ArrayList<>();
        for (long at = first; at < end; at += LENGTH_MAX) {
            entries.add(at << LENGTH_BITS | Math.min(LENGTH_MAX, end - at));
        }
        return entries;
    }

    /** The bytes of a log with these entries, at most as many as there is room for, and the end behind them. */
    public static byte[] bytes(List<Long> entries, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) END);
        for (int i = 0; i < entries.size(); i++) {
            LittleEndian.put64(bytes, ENTRY * i, entries.get(i));
        }
        return bytes;
    }
}
