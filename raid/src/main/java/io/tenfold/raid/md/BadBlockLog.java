package io.tenfold.raid.md;

import static io.tenfold.raid.md.MdSuperblock.SECTOR;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads a member's bad-block log: up to 512 entries of 8 bytes, the lower 10 bits a length, the rest an address that
 * counts from the start of the member, data_offset included.
 */
public final class BadBlockLog {
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
        for (int at = 0; at + 8 <= bytes.length; at += 8) {
            long entry = LittleEndian.i64(bytes, at);
            if (entry == END) {
                break;
            }
            long start = entry >>> LENGTH_BITS;
            long length = (entry & ((1L << LENGTH_BITS) - 1)) << shift;
            if (start > memberSectors >>> shift || length == 0 || length > memberSectors - (start << shift)) {
                problems.add("bad-block log entry is not within the member: entry=" + at / 8 + ", start=" + start
                        + ", length=" + length + ", shift=" + shift + ", member has " + memberSectors + " sectors");
                continue;
            }
            ranges.add(new Range(start << shift, length));
        }
        return ranges;
    }

    /** Bytes of the log of a superblock whose problems are none. */
    static int bytesOf(MdSuperblock superblock) {
        return superblock.badBlockLogSize() * SECTOR;
    }
}
