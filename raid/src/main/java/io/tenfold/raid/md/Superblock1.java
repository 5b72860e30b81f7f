package io.tenfold.raid.md;

import static io.tenfold.raid.md.LittleEndian.i32;
import static io.tenfold.raid.md.LittleEndian.i64;
import static io.tenfold.raid.md.LittleEndian.u16;
import static io.tenfold.raid.md.LittleEndian.u32;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * A version-1 superblock (1.0, 1.1, 1.2): 256 bytes, then a table of 16-bit roles, all little-endian, in an area of 4096
 * bytes. It keeps the bytes as they were read and changes only what {@link #edit} is told to.
 *
 * @see <a href="https://raid.wiki.kernel.org/index.php/RAID_superblock_formats">the formats</a>
 */
public final class Superblock1 implements MdSuperblock {
    /** Bytes of the area in which a superblock lies. */
    public static final int AREA = 4096;

    /** What it begins with, in either version. */
    public static final int MAGIC = 0xa92b4efc;

    /** The most slots of the table. */
    public static final int SLOTS_MAX = 1920;

    /** Internal bitmap present. */
    public static final int FEATURE_BITMAP = 0x1;

    /** The member is not fully in sync; recovery_offset says how far it is. */
    public static final int FEATURE_RECOVERY_OFFSET = 0x2;

    /** A reshape is under way. */
    public static final int FEATURE_RESHAPE = 0x4;

    /** The bad-block log is not empty. */
    public static final int FEATURE_BAD_BLOCKS = 0x8;

    /** The member replaces the active one of the same role. */
    public static final int FEATURE_REPLACEMENT = 0x10;

    /** The reshape runs backwards though the number of members stays. */
    public static final int FEATURE_RESHAPE_BACKWARDS = 0x20;

    /** new_offset is valid. */
    public static final int FEATURE_NEW_OFFSET = 0x40;

    /** The recovery under way is guided by the bitmap. */
    public static final int FEATURE_RECOVERY_BITMAP = 0x80;

    /** Several machines share the array. */
    public static final int FEATURE_CLUSTERED = 0x100;

    /** Has a journal; partial parity logs; raid0's layout. Other levels' alone. */
    public static final int FEATURES_OF_OTHER_LEVELS = 0x1e00;

    /** All that have a meaning. */
    public static final int FEATURES_KNOWN = 0x1fff;

    static final int HEADER = 256;
    static final int AT_MAJOR = 4;
    static final int AT_FEATURES = 8;
    static final int AT_PAD0 = 12;
    static final int AT_SET_UUID = 16;
    static final int AT_NAME = 32;
    static final int NAME_LENGTH = 32;
    static final int AT_CTIME = 64;
    static final int AT_LEVEL = 72;
    static final int AT_LAYOUT = 76;
    static final int AT_SIZE = 80;
    static final int AT_CHUNK = 88;
    static final int AT_RAID_DISKS = 92;
    static final int AT_BITMAP_OFFSET = 96;
    static final int AT_NEW_LEVEL = 100;
    static final int AT_RESHAPE_POSITION = 104;
    static final int AT_DELTA_DISKS = 112;
    static final int AT_NEW_LAYOUT = 116;
    static final int AT_NEW_CHUNK = 120;
    static final int AT_NEW_OFFSET = 124;
    static final int AT_DATA_OFFSET = 128;
    static final int AT_DATA_SIZE = 136;
    static final int AT_SUPER_OFFSET = 144;
    static final int AT_RECOVERY_OFFSET = 152;
    static final int AT_DEV_NUMBER = 160;
    static final int AT_DEVICE_UUID = 168;
    static final int AT_DEV_FLAGS = 184;
    static final int AT_BBLOG_SHIFT = 185;
    static final int AT_BBLOG_SIZE = 186;
    static final int AT_BBLOG_OFFSET = 188;
    static final int AT_UTIME = 192;
    static final int AT_EVENTS = 200;
    static final int AT_RESYNC_OFFSET = 208;
    static final int AT_CHECKSUM = 216;
    static final int AT_MAX_DEV = 220;
    static final int AT_LOGICAL_BLOCK = 224;
    static final int AT_PAD = 228;

    private static final int FLAG_WRITE_MOSTLY = 1;
    private static final int FLAG_FAIL_FAST = 2;
    private static final int SECONDS_BITS = 40;

    private final byte[] bytes;
    private final int minor;
    private final long placeBytes;
    private final List<String> problems;
    private final List<String> warnings;

    private Superblock1(byte[] bytes, int minor, long placeBytes, Superblock1Check check) {
        this.bytes = bytes;
        this.minor = minor;
        this.placeBytes = placeBytes;
        if (check == null) {
            problems = List.of();
            warnings = List.of();
        } else {
            check.run(this);
            problems = List.copyOf(check.problems());
            warnings = List.copyOf(check.warnings());
        }
    }

    /** Where a superblock of minor version 0, 1 or 2 lies on a member, in bytes; negative if the member is too small. */
    public static long placeOf(int minor, long memberBytes) {
        long sectors = memberBytes / SECTOR;
        return switch (minor) {
            case 0 -> ((sectors - 16) & -8) * SECTOR;
            case 1 -> 0;
            case 2 -> 8 * SECTOR;
            default -> throw new IllegalArgumentException("minor version must be 0, 1 or 2: minor=" + minor);
        };
    }

    /** Whether an area begins as a superblock does. */
    static boolean hasMagic(byte[] area) {
        return i32(area, 0) == MAGIC;
    }

    /**
     * Takes an area for a superblock and checks it.
     *
     * @param area {@link #AREA} bytes, copied
     * @param minor by the place at which it was found
     * @param placeBytes where on the member it was found
     * @param memberBytes the member's size
     */
    public static Superblock1 read(byte[] area, int minor, long placeBytes, long memberBytes) {
        if (area.length != AREA) {
            throw new IllegalArgumentException("an area has " + AREA + " bytes: length=" + area.length);
        }
        return new Superblock1(area.clone(), minor, placeBytes, new Superblock1Check(memberBytes / SECTOR));
    }

    /** All 4096 bytes, as they stand or shall stand on the member. A copy. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** How many of them it uses: the fixed fields and the table. */
    public int lengthBytes() {
        return HEADER + 2 * roleSlots();
    }

    /** 0, 1 or 2: where on a member it lies. */
    public int minor() {
        return minor;
    }

    @Override
    public String version() {
        return "1." + minor;
    }

    @Override
    public long placeBytes() {
        return placeBytes;
    }

    @Override
    public List<String> problems() {
        return problems;
    }

    @Override
    public List<String> warnings() {
        return warnings;
    }

    /** Major version; 1. */
    long majorVersion() {
        return u32(bytes, AT_MAJOR);
    }

    @Override
    public int featureMap() {
        return i32(bytes, AT_FEATURES);
    }

    private boolean has(int feature) {
        return (featureMap() & feature) != 0;
    }

    @Override
    public byte[] setUuid() {
        return Arrays.copyOfRange(bytes, AT_SET_UUID, AT_SET_UUID + 16);
    }

    @Override
    public String name() {
        int length = 0;
        while (length < NAME_LENGTH && bytes[AT_NAME + length] != 0) {
            length++;
        }
        String text = new String(bytes, AT_NAME, length, StandardCharsets.UTF_8);
        // What goes to a terminal must not command it.
        return text.codePoints()
                .map(c -> Character.isISOControl(c) ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private long micros(int at) {
        long word = i64(bytes, at);
        return (word & ((1L << SECONDS_BITS) - 1)) * 1_000_000 + (word >>> SECONDS_BITS);
    }

    @Override
    public long createdMicros() {
        return micros(AT_CTIME);
    }

    @Override
    public long updatedMicros() {
        return micros(AT_UTIME);
    }

    @Override
    public int level() {
        return i32(bytes, AT_LEVEL);
    }

    @Override
    public int layout() {
        return i32(bytes, AT_LAYOUT);
    }

    @Override
    public long sizeSectors() {
        return i64(bytes, AT_SIZE);
    }

    @Override
    public long chunkSectors() {
        return u32(bytes, AT_CHUNK);
    }

    @Override
    public long raidDisks() {
        return u32(bytes, AT_RAID_DISKS);
    }

    @Override
    public long bitmapOffset() {
        return has(FEATURE_BITMAP) ? i32(bytes, AT_BITMAP_OFFSET) : 0;
    }

    @Override
    public boolean reshaping() {
        return has(FEATURE_RESHAPE);
    }

    @Override
    public boolean reshapesBackwards() {
        return deltaDisks() < 0 || has(FEATURE_RESHAPE_BACKWARDS);
    }

    @Override
    public int newLevel() {
        return i32(bytes, AT_NEW_LEVEL);
    }

    @Override
    public long reshapePosition() {
        return i64(bytes, AT_RESHAPE_POSITION);
    }

    @Override
    public int deltaDisks() {
        return i32(bytes, AT_DELTA_DISKS);
    }

    @Override
    public int newLayout() {
        return i32(bytes, AT_NEW_LAYOUT);
    }

    @Override
    public long newChunkSectors() {
        return u32(bytes, AT_NEW_CHUNK);
    }

    @Override
    public int newOffset() {
        return has(FEATURE_NEW_OFFSET) ? i32(bytes, AT_NEW_OFFSET) : 0;
    }

    @Override
    public long dataOffset() {
        return i64(bytes, AT_DATA_OFFSET);
    }

    @Override
    public long dataSize() {
        return i64(bytes, AT_DATA_SIZE);
    }

    /** Where it says that it lies, in sectors. */
    long superOffset() {
        return i64(bytes, AT_SUPER_OFFSET);
    }

    @Override
    public boolean recovering() {
        return has(FEATURE_RECOVERY_OFFSET);
    }

    @Override
    public long recoveryOffset() {
        return i64(bytes, AT_RECOVERY_OFFSET);
    }

    @Override
    public boolean replacement() {
        return has(FEATURE_REPLACEMENT);
    }

    @Override
    public long devNumber() {
        return u32(bytes, AT_DEV_NUMBER);
    }

    @Override
    public byte[] deviceUuid() {
        return Arrays.copyOfRange(bytes, AT_DEVICE_UUID, AT_DEVICE_UUID + 16);
    }

    @Override
    public boolean writeMostly() {
        return (bytes[AT_DEV_FLAGS] & FLAG_WRITE_MOSTLY) != 0;
    }

    @Override
    public boolean failFast() {
        return (bytes[AT_DEV_FLAGS] & FLAG_FAIL_FAST) != 0;
    }

    @Override
    public int badBlockShift() {
        return bytes[AT_BBLOG_SHIFT] & 0xff;
    }

    @Override
    public int badBlockLogSize() {
        return u16(bytes, AT_BBLOG_SIZE);
    }

    @Override
    public long badBlockLogOffset() {
        return i32(bytes, AT_BBLOG_OFFSET);
    }

    @Override
    public boolean badBlockLogInUse() {
        return has(FEATURE_BAD_BLOCKS);
    }

    @Override
    public long events() {
        return i64(bytes, AT_EVENTS);
    }

    @Override
    public long resyncOffset() {
        return i64(bytes, AT_RESYNC_OFFSET);
    }

    @Override
    public int storedChecksum() {
        return i32(bytes, AT_CHECKSUM);
    }

    @Override
    public int computedChecksum() {
        return checksum(bytes);
    }

    private static int checksum(byte[] bytes) {
        return Checksum.of(bytes, HEADER + 2 * slots(bytes), AT_CHECKSUM, ByteOrder.LITTLE_ENDIAN);
    }

    /** Slots of the table as stored, any number. */
    long maxDev() {
        return u32(bytes, AT_MAX_DEV);
    }

    private static int slots(byte[] bytes) {
        return (int) Math.min(SLOTS_MAX, u32(bytes, AT_MAX_DEV));
    }

    @Override
    public int roleSlots() {
        return slots(bytes);
    }

    @Override
    public int role(long devNumber) {
        return devNumber >= 0 && devNumber < roleSlots() ? u16(bytes, HEADER + 2 * (int) devNumber) : ROLE_SPARE;
    }

    /** Bytes of the array's logical block, or 0: not said. Newer kernels write it. */
    public long logicalBlockBytes() {
        return u32(bytes, AT_LOGICAL_BLOCK);
    }

    /** The word that must be zero. */
    long pad0() {
        return u32(bytes, AT_PAD0);
    }

    /** Offset of the first byte that must be zero and is not, or -1. */
    int nonZeroPadding() {
        for (int at = AT_PAD; at < HEADER; at++) {
            if (bytes[at] != 0) {
                return at;
            }
        }
        return -1;
    }

    /** A copy to be changed, field by field; the checksum follows by itself. */
    public Editor edit() {
        return new Editor(bytes.clone(), minor, placeBytes);
    }

    /** A superblock of zeroes with magic, major version and an empty table, to be filled in. */
    static Editor blank(int minor, long placeBytes, int slots) {
        byte[] bytes = new byte[AREA];
        LittleEndian.put32(bytes, 0, MAGIC);
        LittleEndian.put32(bytes, AT_MAJOR, 1);
        LittleEndian.put64(bytes, AT_SUPER_OFFSET, placeBytes / SECTOR);
        LittleEndian.put32(bytes, AT_MAX_DEV, slots);
        Arrays.fill(bytes, HEADER, HEADER + 2 * slots, (byte) 0xff);
        return new Editor(bytes, minor, placeBytes);
    }

    /** Changes fields of a copy. Units as in {@link MdSuperblock}. */
    public static final class Editor {
        private final byte[] bytes;
        private final int minor;
        private final long placeBytes;

        private Editor(byte[] bytes, int minor, long placeBytes) {
            this.bytes = bytes;
            this.minor = minor;
            this.placeBytes = placeBytes;
        }

        /** Sets the feature bits. */
        public Editor featureMap(int value) {
            return put32(AT_FEATURES, value);
        }

        /** Sets the counter of updates. */
        public Editor events(long value) {
            return put64(AT_EVENTS, value);
        }

        /** Sets the resync checkpoint. */
        public Editor resyncOffset(long sectors) {
            return put64(AT_RESYNC_OFFSET, sectors);
        }

        /** Sets the recovery checkpoint; the feature bit is a field of its own. */
        public Editor recoveryOffset(long sectors) {
            return put64(AT_RECOVERY_OFFSET, sectors);
        }

        /** Sets the time of the last update. */
        public Editor updatedMicros(long micros) {
            return put64(AT_UTIME, time(micros));
        }

        /** Sets a member's role. */
        public Editor role(int devNumber, int role) {
            if (devNumber < 0 || devNumber >= slots(bytes)) {
                throw new IllegalArgumentException(
                        "number is not in the table: devNumber=" + devNumber + ", slots=" + slots(bytes));
            }
            LittleEndian.put16(bytes, HEADER + 2 * devNumber, role);
            return this;
        }

        Editor created(long micros) {
            return put64(AT_CTIME, time(micros));
        }

        Editor setUuid(UUID uuid) {
            return putUuid(AT_SET_UUID, uuid);
        }

        Editor deviceUuid(UUID uuid) {
            return putUuid(AT_DEVICE_UUID, uuid);
        }

        private Editor putUuid(int at, UUID uuid) {
            put64(at, Long.reverseBytes(uuid.getMostSignificantBits()));
            return put64(at + 8, Long.reverseBytes(uuid.getLeastSignificantBits()));
        }

        Editor name(byte[] utf8) {
            System.arraycopy(utf8, 0, bytes, AT_NAME, utf8.length);
            return this;
        }

        Editor put8(int at, int value) {
            bytes[at] = (byte) value;
            return this;
        }

        Editor put16(int at, int value) {
            LittleEndian.put16(bytes, at, value);
            return this;
        }

        Editor put32(int at, int value) {
            LittleEndian.put32(bytes, at, value);
            return this;
        }

        Editor put64(int at, long value) {
            LittleEndian.put64(bytes, at, value);
            return this;
        }

        private static long time(long micros) {
            long seconds = (micros / 1_000_000) & ((1L << SECONDS_BITS) - 1);
            return seconds | ((micros % 1_000_000) << SECONDS_BITS);
        }

        /** The superblock with these fields and the checksum that they need. */
        public Superblock1 done() {
            byte[] copy = bytes.clone();
            LittleEndian.put32(copy, AT_CHECKSUM, checksum(copy));
            return new Superblock1(copy, minor, placeBytes, null);
        }
    }
}
