package io.tenfold.nbd.wire;

import java.lang.foreign.MemorySegment;

/** A request as it came, before anybody has judged it. Reused: the data path allocates nothing. */
public final class RequestHeader {
    private int flags;
    private int type;
    private long cookie;
    private long offset;
    private long length;

    /** A header of zeroes. */
    public RequestHeader() {}

    /**
     * Takes the {@link Wire#REQUEST_BYTES} at that place.
     *
     * @return false if they do not start with the magic, so that no sense can be made of what follows
     */
    public boolean read(MemorySegment in, long at) {
        if (in.get(Wire.INT, at) != Wire.REQUEST_MAGIC) {
            return false;
        }
        flags = Short.toUnsignedInt(in.get(Wire.SHORT, at + 4));
        type = Short.toUnsignedInt(in.get(Wire.SHORT, at + 6));
        cookie = in.get(Wire.LONG, at + 8);
        offset = in.get(Wire.LONG, at + 16);
        length = Integer.toUnsignedLong(in.get(Wire.INT, at + 24));
        return true;
    }

    /** The command's flags. */
    public int flags() {
        return flags;
    }

    /** Whether that flag is set. */
    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** The command. */
    public int type() {
        return type;
    }

    /** What the reply must carry; the client's own. */
    public long cookie() {
        return cookie;
    }

    /** Bytes from the export's start; below 0 is 2<sup>63</sup> and more. */
    public long offset() {
        return offset;
    }

    /** Bytes, 0 to 2<sup>32</sup> - 1. */
    public long length() {
        return length;
    }

    @Override
    public String toString() {
        return "type=" + type + ", flags=0x" + Integer.toHexString(flags) + ", cookie=0x" + Long.toHexString(cookie)
                + ", offset=" + Long.toUnsignedString(offset) + ", length=" + length;
    }
}
