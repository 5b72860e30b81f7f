package io.tenfold.system;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The version-1 superblock of a member image, for tests that craft one. It shares no code with the program: field places
 * are written down here again.
 */
final class Superblock {
    /** Where metadata 1.2 lies. */
    static final long PLACE_1_2 = 4096;

    static final Field FEATURE_MAP = new Field(8, 4);
    static final Field SET_UUID = new Field(16, 8);
    static final Field LEVEL = new Field(72, 4);
    static final Field LAYOUT = new Field(76, 4);
    static final Field SIZE = new Field(80, 8);
    static final Field CHUNK = new Field(88, 4);
    static final Field RAID_DISKS = new Field(92, 4);
    static final Field DATA_OFFSET = new Field(128, 8);
    static final Field DATA_SIZE = new Field(136, 8);
    static final Field DEV_NUMBER = new Field(160, 4);
    static final Field UTIME = new Field(192, 8);
    static final Field EVENTS = new Field(200, 8);
    static final Field RESYNC_OFFSET = new Field(208, 8);
    private static final int CHECKSUM = 216;
    private static final int MAX_DEV = 220;
    private static final int ROLES = 256;

    private final Path member;
    private final long place;
    private final ByteBuffer bytes = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);

    /** A number of 4 or 8 bytes and its place. */
    record Field(int offset, int bytes) {}

    private Superblock(Path member, long place) throws IOException {
        this.member = member;
        this.place = place;
        try (FileChannel file = FileChannel.open(member, StandardOpenOption.READ)) {
            file.read(bytes, place);
        }
    }

    /** The superblock of a member with metadata 1.2. */
    static Superblock of(Path member) throws IOException {
        return new Superblock(member, PLACE_1_2);
    }

    long get(Field field) {
        return field.bytes() == 4 ? bytes.getInt(field.offset()) : bytes.getLong(field.offset());
    }

    /** Changes a field, in memory alone. */
    Superblock set(Field field, long value) {
        if (field.bytes() == 4) {
            bytes.putInt(field.offset(), (int) value);
        } else {
            bytes.putLong(field.offset(), value);
        }
        return this;
    }

    /** Role that this superblock gives to a device number: a slot, 0xffff for a spare, 0xfffe for a faulty one. */
    int role(int device) {
        return bytes.getShort(ROLES + 2 * device) & 0xffff;
    }

    Superblock setRole(int device, int role) {
        bytes.putShort(ROLES + 2 * device, (short) role);
        return this;
    }

    /** Writes it back, with the right checksum. */
    void write() throws IOException {
        bytes.putInt(CHECKSUM, 0);
        long sum = 0;
        int end = ROLES + 2 * bytes.getInt(MAX_DEV);
        int at = 0;
        for (; at + 4 <= end; at += 4) {
            sum += bytes.getInt(at) & 0xffff_ffffL;
        }
        if (at < end) {
            sum += bytes.getShort(at) & 0xffff;
        }
        bytes.putInt(CHECKSUM, (int) (sum + (sum >>> 32)));
        try (FileChannel file = FileChannel.open(member, StandardOpenOption.WRITE)) {
            file.write(bytes.duplicate().position(0).limit(4096), place);
        }
    }
}
