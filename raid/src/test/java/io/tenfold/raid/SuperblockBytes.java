package io.tenfold.raid;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The bytes of a version-1 superblock, to be changed at will; the checksum is put right by arithmetic of its own. */
final class SuperblockBytes {
    static final int CHECKSUM = 216;

    private final ByteBuffer bytes;

    SuperblockBytes(byte[] area) {
        bytes = ByteBuffer.wrap(area.clone()).order(ByteOrder.LITTLE_ENDIAN);
    }

    SuperblockBytes put8(int at, int value) {
        bytes.put(at, (byte) value);
        return this;
    }

    SuperblockBytes put16(int at, int value) {
        bytes.putShort(at, (short) value);
        return this;
    }

    SuperblockBytes put32(int at, int value) {
        bytes.putInt(at, value);
        return this;
    }

    SuperblockBytes put64(int at, long value) {
        bytes.putLong(at, value);
        return this;
    }

    SuperblockBytes featureMap(int value) {
        return put32(8, value);
    }

    SuperblockBytes recoveryOffset(long sectors) {
        return put64(152, sectors);
    }

    SuperblockBytes updatedMicros(long micros) {
        return put64(192, (micros / 1_000_000) | ((micros % 1_000_000) << 40));
    }

    SuperblockBytes events(long value) {
        return put64(200, value);
    }

    SuperblockBytes resyncOffset(long sectors) {
        return put64(208, sectors);
    }

    SuperblockBytes role(int number, int role) {
        return put16(256 + 2 * number, role);
    }

    /** The bytes with the right checksum, if the table is of a possible size; as they are otherwise. */
    byte[] done() {
        long slots = bytes.getInt(220) & 0xffff_ffffL;
        if (slots <= (bytes.capacity() - 256) / 2) {
            bytes.putInt(CHECKSUM, 0);
            long sum = 0;
            for (int at = 0; at < 256 + 2 * slots; at += 2) { // By halves of words, unlike the reader.
                long half = bytes.getShort(at) & 0xffffL;
                sum += at % 4 == 0 ? half : half << 16;
            }
            bytes.putInt(CHECKSUM, (int) ((sum & 0xffff_ffffL) + (sum >>> 32)));
        }
        return bytes.array().clone();
    }
}
