package io.tenfold.nbd;

import io.tenfold.nbd.wire.Wire;

/**
 * How much clients may take of the server.
 *
 * @param connectionsMax most connections at a time, over all shards; above 0
 * @param memoryBytesMax most bytes of request data in memory on one shard, and half of that for one connection; at least
 *     64 MiB, so that the largest request always fits. Beside it each connection has 256 KiB to receive into, and up to
 *     1 MiB while it sends
 * @param handshakeNanosMax longest time from connecting to choosing an export; above 0
 * @param stallNanosMax how long a client may leave memory that others wait for in the server's hands, by not sending the
 *     rest of a write or not taking a reply, before it is cut off; above 0
 */
public record NbdLimits(int connectionsMax, long memoryBytesMax, long handshakeNanosMax, long stallNanosMax) {
    private static final long SECOND = 1_000_000_000L;

    public NbdLimits {
        if (connectionsMax < 1) {
            throw new IllegalArgumentException("connectionsMax must be above 0: connectionsMax=" + connectionsMax);
        }
        if (memoryBytesMax < 2L * Wire.PAYLOAD_BYTES_MAX) {
            throw new IllegalArgumentException("memoryBytesMax must be at least " + 2L * Wire.PAYLOAD_BYTES_MAX
                    + ": memoryBytesMax=" + memoryBytesMax);
        }
        if (handshakeNanosMax <= 0 || stallNanosMax <= 0) {
            throw new IllegalArgumentException("time limits must be above 0: handshakeNanosMax=" + handshakeNanosMax
                    + ", stallNanosMax=" + stallNanosMax);
        }
    }

    /** 256 connections, 128 MiB, 10 s for a handshake, 30 s for a stall. */
    public static NbdLimits usual() {
        return new NbdLimits(256, 128L << 20, 10 * SECOND, 30 * SECOND);
    }

    /** What one connection may hold. */
    long connectionBytesMax() {
        return memoryBytesMax / 2;
    }
}
