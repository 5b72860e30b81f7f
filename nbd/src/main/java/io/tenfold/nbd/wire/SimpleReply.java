package io.tenfold.nbd.wire;

import java.lang.foreign.MemorySegment;

/** The reply to a request, before its data. */
public final class SimpleReply {
    private SimpleReply() {}

    /** Writes {@link Wire#REPLY_BYTES} bytes. */
    public static void write(MemorySegment out, long at, int error, long cookie) {
        out.set(Wire.INT, at, Wire.SIMPLE_REPLY_MAGIC);
        out.set(Wire.INT, at + 4, error);
        out.set(Wire.LONG, at + 8, cookie);
    }
}
