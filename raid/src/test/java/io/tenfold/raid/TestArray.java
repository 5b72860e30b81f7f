package io.tenfold.raid;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Superblocks of an array for tests of the volume, written byte by byte after the format's description and not by the code
 * under test: version 1.2, data from 64 KiB on, an empty bad-block log before it.
 *
 * @param memberBytes how much of each member the array uses
 * @param logBytes of the bad-block log; 0: there is none
 */
record TestArray(Layout layout, int members, int chunkBytes, long memberBytes, int logBytes) {
    TestArray(Layout layout, int members, int chunkBytes, long memberBytes) {
        this(layout, members, chunkBytes, memberBytes, LOG_BYTES);
    }

    TestArray withoutLog() {
        return new TestArray(layout, members, chunkBytes, memberBytes, 0);
    }

    static final long DATA_OFFSET = 64 << 10;
    static final long SUPERBLOCK_AT = 4096;
    static final int SLOTS = 128;
    static final long LOG_AT = 12 << 10;
    static final int LOG_BYTES = 4096;

    /** Room behind the data, where other metadata would be looked for. */
    private static final int TAIL_BYTES = 128 << 10;

    private static final int SECTOR = 512;

    Geometry geometry() {
        return new Geometry(layout, members, chunkBytes, memberBytes);
    }

    /** Bytes that a member's device must have. */
    long deviceBytes() {
        return DATA_OFFSET + (memberBytes + 4095) / 4096 * 4096 + TAIL_BYTES;
    }

    /** The superblock of the member with a role, 512 bytes. */
    byte[] superblock(int role, long events, boolean clean) {
        byte[] bytes = new byte[256 + 2 * SLOTS];
        ByteBuffer fields = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        fields.putInt(0, 0xa92b4efc).putInt(4, 1);
        fields.put(16, "tenfold-test-set".getBytes(StandardCharsets.US_ASCII));
        fields.put(32, "sim:test".getBytes(StandardCharsets.US_ASCII));
        fields.putLong(64, 1_767_225_600L);
        fields.putInt(72, 10).putInt(76, layout.word());
        fields.putLong(80, memberBytes / SECTOR);
        fields.putInt(88, chunkBytes / SECTOR).putInt(92, members);
        fields.putLong(128, DATA_OFFSET / SECTOR).putLong(136, memberBytes / SECTOR);
        fields.putLong(144, SUPERBLOCK_AT / SECTOR);
        fields.putInt(160, role);
        fields.put(168, "member-number-%02d".formatted(role).getBytes(StandardCharsets.US_ASCII));
        if (logBytes > 0) {
            fields.putShort(186, (short) (logBytes / SECTOR)).putInt(188, (int) (LOG_AT - SUPERBLOCK_AT) / SECTOR);
        }
        fields.putLong(192, 1_767_225_600L).putLong(200, events).putLong(208, clean ? -1 : 0);
        fields.putInt(220, SLOTS);
        Arrays.fill(bytes, 256, bytes.length, (byte) 0xff);
        for (int i = 0; i < members; i++) {
            fields.putShort(256 + 2 * i, (short) i);
        }
        fields.putInt(216, checksum(fields));
        return bytes;
    }

    private static int checksum(ByteBuffer fields) {
        long sum = 0;
        for (int at = 0; at < fields.capacity(); at += 4) {
            sum += fields.getInt(at) & 0xffff_ffffL;
        }
        return (int) ((sum & 0xffff_ffffL) + (sum >>> 32));
    }
}
