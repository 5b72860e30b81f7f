package io.tenfold.nbd.wire;

import java.lang.foreign.MemorySegment;

/**
 * What a client says in the handshake: its flags, then options one by one. Takes whatever bytes are there and says how
 * many it has used; an option's data is never copied, and data too long to be of use is passed over without being kept.
 *
 * <p>Threads: one.
 */
public final class OptionParser {
    /** Longest option data that is looked at: more than any option that is served can need. */
    public static final int DATA_BYTES_MAX = 32 << 10;

    /** Longest option data that is passed over to stay in step; a client with more is not worth it. */
    static final int SKIP_BYTES_MAX = 16 << 20;

    /** Bytes of an option before its data. */
    private static final int HEAD_BYTES = 16;

    /** What has been found. */
    public enum Event {
        /** Nothing yet; more bytes are needed. */
        INCOMPLETE,
        /** The client's flags: {@link #noZeroes()}. */
        FLAGS,
        /** An option with its data: {@link #option()}, {@link #dataOffset()}, {@link #dataBytes()}. */
        OPTION,
        /** The end of an option whose data was too long, and is gone: {@link #option()}. */
        TOO_BIG,
        /** Something after which no sense can be made of what follows: {@link #problem()}. */
        BROKEN
    }

    private boolean flagsSeen;
    private boolean noZeroes;
    private long skipLeft;

    private int option;
    private long dataOffset;
    private int dataBytes;
    private String problem;
    private long used;

    /** A parser at the start of a connection. */
    public OptionParser() {}

    /** Looks for the next event in {@code [from, to)} of the memory. */
    public Event next(MemorySegment in, long from, long to) {
        used = 0;
        if (!flagsSeen) {
            return flags(in, from, to);
        }
        return skipLeft > 0 ? skip(to - from) : option(in, from, to);
    }

    private Event flags(MemorySegment in, long from, long to) {
        if (to - from < 4) {
            return Event.INCOMPLETE;
        }
        int flags = in.get(Wire.INT, from);
        if ((flags & ~(Wire.FIXED_NEWSTYLE | Wire.NO_ZEROES)) != 0) {
            return broken("unknown handshake flags: flags=0x" + Integer.toHexString(flags));
        }
        used = 4;
        flagsSeen = true;
        noZeroes = (flags & Wire.NO_ZEROES) != 0;
        return Event.FLAGS;
    }

    private Event option(MemorySegment in, long from, long to) {
        if (to - from < HEAD_BYTES) {
            return Event.INCOMPLETE;
        }
        long magic = in.get(Wire.LONG, from);
        if (magic != Wire.IHAVEOPT) {
            return broken("wrong magic of an option: magic=0x" + Long.toHexString(magic));
        }
        option = in.get(Wire.INT, from + 8);
        long length = Integer.toUnsignedLong(in.get(Wire.INT, from + 12));
        if (length > longestOf(option)) {
            return broken("option is too long: option=" + Integer.toUnsignedString(option) + ", bytes=" + length);
        }
        if (length > DATA_BYTES_MAX) {
            used = HEAD_BYTES;
            skipLeft = length;
            return skip(to - from - HEAD_BYTES);
        }
        if (to - from - HEAD_BYTES < length) {
            return Event.INCOMPLETE;
        }
        used = HEAD_BYTES + length;
        dataOffset = from + HEAD_BYTES;
        dataBytes = (int) length;
        return Event.OPTION;
    }

    /** EXPORT_NAME has no reply that could say no, so there is nothing to stay in step for. */
    private static long longestOf(int option) {
        return option == Wire.OPT_EXPORT_NAME ? Wire.NAME_BYTES_MAX : SKIP_BYTES_MAX;
    }

    private Event skip(long available) {
        long now = Math.min(available, skipLeft);
        skipLeft -= now;
        used += now;
        return skipLeft == 0 ? Event.TOO_BIG : Event.INCOMPLETE;
    }

    private Event broken(String what) {
        problem = what;
        return Event.BROKEN;
    }

    /** How many bytes the last {@link #next} has used up; those of {@link Event#OPTION}'s data may still be looked at. */
    public long used() {
        return used;
    }

    /** Whether the client does without the padding after EXPORT_NAME. */
    public boolean noZeroes() {
        return noZeroes;
    }

    /** The option's number. */
    public int option() {
        return option;
    }

    /** Where the option's data starts in the memory. */
    public long dataOffset() {
        return dataOffset;
    }

    /** How long the option's data is. */
    public int dataBytes() {
        return dataBytes;
    }

    /** What is wrong, for the log. */
    public String problem() {
        return problem;
    }
}
