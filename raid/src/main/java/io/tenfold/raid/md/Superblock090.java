package io.tenfold.raid.md;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A superblock of version 0.90: 1024 words in the byte order of the machine that wrote it, 64 to 128 KiB before the
 * member's end. Read only; the member's data starts at its first byte.
 */
public final class Superblock090 implements MdSuperblock {
    /** Bytes of a superblock. */
    public static final int AREA = 4096;

    /** The most descriptors of members. */
    public static final int MEMBERS_MAX = 27;

    private static final int RESERVED = 65536;
    private static final long SECTORS_MAX = Long.MAX_VALUE / SECTOR;

    private static final int FAULTY = 1;
    private static final int ACTIVE = 1 << 1;
    private static final int SYNC = 1 << 2;
    private static final int REMOVED = 1 << 3;
    private static final int WRITE_MOSTLY = 1 << 9;
    private static final int FAIL_FAST = 1 << 10;

    private static final int STATE_CLEAN = 1;
    private static final int STATE_BITMAP = 1 << 8;

    private static final int WORD_CHECKSUM = 38;
    private static final int WORD_DESCRIPTORS = 128;
    private static final int WORD_THIS = 992;
    private static final int DESCRIPTOR_WORDS = 32;
    private static final int MINOR_RESHAPING = 91;

    private final byte[] bytes;
    private final ByteBuffer words;
    private final ByteOrder order;
    private final long placeBytes;
    private final List<String> problems = new ArrayList<>();

    private Superblock090(byte[] bytes, ByteOrder order, long placeBytes) {
        this.bytes = bytes;
        this.order = order;
        this.placeBytes = placeBytes;
        words = ByteBuffer.wrap(bytes).order(order);
    }

    /** Where a superblock lies on a member, in bytes; negative if the member is too small. */
    public static long placeOf(long memberBytes) {
        return (memberBytes & -RESERVED) - RESERVED;
    }

    /** The order in which the first word is the magic, or null. */
    static ByteOrder orderOf(byte[] area) {
        int first = LittleEndian.i32(area, 0);
        if (first == Superblock1.MAGIC) {
            return ByteOrder.LITTLE_ENDIAN;
        }
        return Integer.reverseBytes(first) == Superblock1.MAGIC ? ByteOrder.BIG_ENDIAN : null;
    }

    /**
     * Takes an area for a superblock and checks it.
     *
     * @param area {@link #AREA} bytes that begin with the magic, copied
     * @param placeBytes where on the member it was found
     */
    public static Superblock090 read(byte[] area, long placeBytes) {
        ByteOrder order = orderOf(area);
        if (area.length != AREA || order == null) {
            throw new IllegalArgumentException("not a superblock: length=" + area.length);
        }
        Superblock090 superblock = new Superblock090(area.clone(), order, placeBytes);
        superblock.check();
        return superblock;
    }

    private void check() {
        if (word(1) != 0 || (word(2) != 90 && word(2) != MINOR_RESHAPING)) {
            problems.add("version is not 0.90: major=" + unsigned(1) + ", minor=" + unsigned(2));
            return;
        }
        if (storedChecksum() != computedChecksum()) {
            problems.add("checksum is wrong: stored=0x" + Integer.toHexString(storedChecksum()) + ", computed=0x"
                    + Integer.toHexString(computedChecksum()));
            return;
        }
        if (events() < 0) {
            problems.add("event count is absurd: events=" + Long.toUnsignedString(events()));
        }
        if (devNumber() >= MEMBERS_MAX) {
            problems.add("member's number is out of range: number=" + devNumber() + ", max=" + (MEMBERS_MAX - 1));
        }
        if (sizeSectors() > dataSize()) {
            problems.add("member is truncated, or its superblock is wrong: data ends at sector " + sizeSectors()
                    + ", superblock at " + dataSize());
        }
        checkShape("", layout(), chunkSectors(), raidDisks());
        if (reshaping()) {
            if (level() == 10 && newLevel() != 10) {
                problems.add("reshape to another level: newLevel=" + newLevel() + ", level=10");
            }
            checkShape("before the reshape, ", layout(), chunkSectors(), oldRaidDisks());
            checkShape("after the reshape, ", newLayout(), newChunkSectors(), raidDisks());
            if (reshapePosition() < 0 || reshapePosition() > SECTORS_MAX) {
                problems.add("reshape position is absurd: reshapePosition=" + Long.toUnsignedString(reshapePosition()));
            }
        }
    }

    private void checkShape(String prefix, int layout, long chunkSectors, long raidDisks) {
        if (raidDisks < 1 || raidDisks > MEMBERS_MAX) {
            problems.add(prefix + "raidDisks is out of range: raidDisks=" + raidDisks + ", max=" + MEMBERS_MAX);
        } else if (level() == 10) {
            MdGeometry.check(prefix, layout, chunkSectors, raidDisks, problems);
        }
    }

    private int word(int index) {
        return words.getInt(4 * index);
    }

    private long unsigned(int index) {
        return word(index) & 0xffff_ffffL;
    }

    /** Two words, the lower in the place where the writing machine had it. */
    private long twoWords(int index) {
        return words.getLong(4 * index);
    }

    /** Which byte order it is in. */
    public ByteOrder order() {
        return order;
    }

    /** All 4096 bytes as read. A copy. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Whether the checksum and the frame let any number count. */
    @Override
    public List<String> problems() {
        return List.copyOf(problems);
    }

    @Override
    public List<String> warnings() {
        return List.of();
    }

    @Override
    public String version() {
        return "0.90";
    }

    @Override
    public long placeBytes() {
        return placeBytes;
    }

    @Override
    public byte[] setUuid() {
        return ByteBuffer.allocate(16)
                .putInt(word(5))
                .putInt(word(13))
                .putInt(word(14))
                .putInt(word(15))
                .array();
    }

    @Override
    public String name() {
        return "";
    }

    @Override
    public long createdMicros() {
        return unsigned(6) * 1_000_000;
    }

    @Override
    public long updatedMicros() {
        return unsigned(32) * 1_000_000;
    }

    @Override
    public int level() {
        return word(7);
    }

    @Override
    public int layout() {
        return word(64);
    }

    @Override
    public long sizeSectors() {
        return 2 * unsigned(8);
    }

    @Override
    public long chunkSectors() {
        return unsigned(65) / SECTOR;
    }

    @Override
    public long raidDisks() {
        return unsigned(10);
    }

    @Override
    public int featureMap() {
        return 0;
    }

    @Override
    public boolean reshaping() {
        // mdadm and the kernel leave minor 91 only while one is under way; the position is all ones otherwise.
        return word(2) == MINOR_RESHAPING && reshapePosition() != -1;
    }

    @Override
    public boolean reshapesBackwards() {
        return deltaDisks() < 0;
    }

    @Override
    public long reshapePosition() {
        return twoWords(44);
    }

    @Override
    public int newLevel() {
        return word(46);
    }

    @Override
    public int deltaDisks() {
        return word(47);
    }

    @Override
    public int newLayout() {
        return word(48);
    }

    @Override
    public long newChunkSectors() {
        return unsigned(49) / SECTOR;
    }

    @Override
    public int newOffset() {
        return 0;
    }

    @Override
    public long dataOffset() {
        return 0;
    }

    @Override
    public long dataSize() {
        return placeBytes / SECTOR;
    }

    @Override
    public boolean recovering() {
        int state = stateOf(devNumber());
        return (state & (FAULTY | SYNC)) == 0 && (state & ACTIVE) != 0;
    }

    @Override
    public long recoveryOffset() {
        return 0;
    }

    @Override
    public boolean replacement() {
        return false;
    }

    @Override
    public long devNumber() {
        return unsigned(WORD_THIS);
    }

    @Override
    public int roleSlots() {
        return MEMBERS_MAX;
    }

    private int stateOf(long number) {
        return number >= 0 && number < MEMBERS_MAX ? descriptor((int) number, 4) : 0;
    }

    private int descriptor(int number, int field) {
        return word(WORD_DESCRIPTORS + DESCRIPTOR_WORDS * number + field);
    }

    @Override
    public int role(long number) {
        int state = stateOf(number);
        if ((state & (FAULTY | REMOVED)) != 0) {
            return ROLE_FAULTY;
        }
        if ((state & (SYNC | ACTIVE)) == 0) {
            return ROLE_SPARE;
        }
        int role = descriptor((int) number, 3);
        return role >= 0 && role < MEMBERS_MAX ? role : ROLE_SPARE;
    }

    @Override
    public byte[] deviceUuid() {
        return new byte[0];
    }

    @Override
    public boolean writeMostly() {
        return (stateOf(devNumber()) & WRITE_MOSTLY) != 0;
    }

    @Override
    public boolean failFast() {
        return (stateOf(devNumber()) & FAIL_FAST) != 0;
    }

    @Override
    public long events() {
        return twoWords(39);
    }

    @Override
    public long resyncOffset() {
        if ((word(33) & STATE_CLEAN) != 0) {
            return CLEAN;
        }
        // A checkpoint counts only if it was written with these events.
        return twoWords(41) == events() ? unsigned(43) : 0;
    }

    @Override
    public long bitmapOffset() {
        return (word(33) & STATE_BITMAP) != 0 ? AREA / SECTOR : 0;
    }

    @Override
    public long badBlockLogOffset() {
        return 0;
    }

    @Override
    public int badBlockLogSize() {
        return 0;
    }

    @Override
    public boolean badBlockLogInUse() {
        return false;
    }

    @Override
    public int badBlockShift() {
        return 0;
    }

    @Override
    public int storedChecksum() {
        return word(WORD_CHECKSUM);
    }

    @Override
    public int computedChecksum() {
        return Checksum.of(bytes, AREA, 4 * WORD_CHECKSUM, order);
    }

    /** The minor version: 90, or 91 while a reshape is under way. */
    public int minor() {
        return word(2);
    }

    /** The number that the array's device prefers. */
    public long preferredMinor() {
        return unsigned(11);
    }

    /** Counts that it keeps: active, working, failed, spare. */
    public long[] counts() {
        return new long[] {unsigned(34), unsigned(35), unsigned(36), unsigned(37)};
    }

    /** Descriptors in use, and all below {@link #raidDisks}: number, major, minor, raid disk, state. */
    public int[] descriptor(int number) {
        int[] fields = new int[5];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = descriptor(number, i);
        }
        return fields;
    }
}
