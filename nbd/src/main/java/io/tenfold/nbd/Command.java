package io.tenfold.nbd;

import io.tenfold.base.BufferPool.Buffer;
import io.tenfold.block.IoStatus;
import io.tenfold.nbd.wire.RequestHeader;
import io.tenfold.nbd.wire.Wire;
import java.util.Arrays;

/**
 * One request of a client, from its header to the last byte of its reply. A reused, mutable object of one shard.
 *
 * <p>Its buffers hold a read's or write's data, all but the last {@link io.tenfold.base.BufferPool#BYTES_MAX} long. They
 * belong to the device while {@link #inDevice}, and to the stream while a payload is received or a reply sent.
 */
final class Command {
    Connection connection;
    int type;
    boolean fua;
    boolean noHole;
    boolean fastZero;
    long cookie;
    long offset;
    long length;

    /** The reply's error. */
    int error;

    Buffer[] buffers = new Buffer[1];
    int bufferCount;

    /** What the buffers count in the shard's budget. */
    long reservedBytes;

    /** How much of a write's payload is here. */
    long filledBytes;

    /** How much of a read's data has been put into sends. */
    long repliedBytes;

    // Owned by ExportChannel.
    boolean inDevice;
    long cutBytes;
    int pieces;
    IoStatus status;
    boolean byHand;
    boolean anyPieceDone;

    /** The next in a {@link CommandQueue}, or among the free ones. */
    Command next;

    /** Makes this the client's request, without data yet. */
    void start(Connection owner, RequestHeader header, int outcome) {
        connection = owner;
        type = header.type();
        fua = header.has(Wire.FLAG_FUA);
        noHole = header.has(Wire.FLAG_NO_HOLE);
        fastZero = header.has(Wire.FLAG_FAST_ZERO);
        cookie = header.cookie();
        offset = header.offset();
        length = header.length();
        error = outcome;
        filledBytes = 0;
        repliedBytes = 0;
    }

    void add(Buffer buffer) {
        if (bufferCount == buffers.length) {
            buffers = Arrays.copyOf(buffers, bufferCount * 2);
        }
        buffers[bufferCount++] = buffer;
    }

    /** How many bytes of data follow the reply's header. */
    long replyDataBytes() {
        return type == Wire.CMD_READ && error == Wire.OK ? length : 0;
    }

    @Override
    public String toString() {
        return "type=" + type + ", cookie=0x" + Long.toHexString(cookie) + ", offset=" + offset + ", length=" + length
                + ", error=" + error;
    }
}
