package io.tenfold.raid;

import io.tenfold.raid.md.MdSuperblock;
import io.tenfold.raid.md.Superblock090;
import io.tenfold.raid.md.Superblock1;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a member's superblock says, of any version, as it stands on the member. One with {@link #problems} may say
 * anything: its numbers are for showing only. Numbers called sectors count 512 bytes; addresses count from the member's
 * first byte.
 *
 * <p>Threads: any; immutable.
 */
public final class Superblock {
    /** {@link #role}: a member that keeps a journal. */
    public static final int ROLE_JOURNAL = MdSuperblock.ROLE_JOURNAL;

    /** {@link #role}: a member that has failed. */
    public static final int ROLE_FAULTY = MdSuperblock.ROLE_FAULTY;

    /** {@link #role}: a spare, a member that was taken out, or a number that nobody has. */
    public static final int ROLE_SPARE = MdSuperblock.ROLE_SPARE;

    private final MdSuperblock raw;

    Superblock(MdSuperblock raw) {
        this.raw = raw;
    }

    /** The bytes behind it, for those who write them back. */
    MdSuperblock raw() {
        return raw;
    }

    /** {@code 0.90}, {@code 1.0}, {@code 1.1} or {@code 1.2}. */
    public String version() {
        return raw.version();
    }

    /** Whether its words are in big-endian order: 0.90 from such a machine. */
    public boolean bigEndian() {
        return raw instanceof Superblock090 old && old.order() == ByteOrder.BIG_ENDIAN;
    }

    /** Where it lies, in sectors. */
    public long superOffsetSectors() {
        return raw.placeBytes() / MdSuperblock.SECTOR;
    }

    /** Each check that it failed: what, the value, the bound. Empty if it can be trusted. */
    public List<String> problems() {
        return raw.problems();
    }

    /** What is wrong beside it but leaves it usable for reading. */
    public List<String> warnings() {
        return raw.warnings();
    }

    /** The checksum as stored. */
    public int storedChecksum() {
        return raw.storedChecksum();
    }

    /** The checksum that the other bytes ask for. */
    public int computedChecksum() {
        return raw.computedChecksum();
    }

    /** Identity of the array. */
    public MdUuid arrayUuid() {
        return MdUuid.of(raw.setUuid());
    }

    /** Identity of the member; version 0.90 has none. */
    public Optional<MdUuid> deviceUuid() {
        byte[] uuid = raw.deviceUuid();
        return uuid.length == 0 ? Optional.empty() : Optional.of(MdUuid.of(uuid));
    }

    /** The array's name as stored, often {@code host:name}; empty for 0.90 and where there is none. */
    public String name() {
        return raw.name();
    }

    /** When the array was made, in microseconds since 1970. */
    public long createdMicros() {
        return raw.createdMicros();
    }

    /** When this was last written, in microseconds since 1970. */
    public long updatedMicros() {
        return raw.updatedMicros();
    }

    /** Counter of updates. */
    public long events() {
        return raw.events();
    }

    /** RAID level: 10, 1, 0, 4, 5, 6; negative as md numbers the others. */
    public int level() {
        return raw.level();
    }

    /** The layout word as it stands; means something for level 10 alone here. */
    public int layoutWord() {
        return raw.layout();
    }

    /** The layout in words; empty for another level or a word that means nothing. */
    public Optional<Layout> layout() {
        return level() == 10 ? layoutOf(raw.layout()) : Optional.empty();
    }

    private static Optional<Layout> layoutOf(int word) {
        try {
            return Optional.of(Layout.ofWord(word));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /** Sectors of a chunk; 0 for levels that have none. */
    public long chunkSectors() {
        return raw.chunkSectors();
    }

    /** Number of roles; during a reshape the new one. */
    public long raidDisks() {
        return raw.raidDisks();
    }

    /** Sectors of each member that the array uses. */
    public long sizeSectors() {
        return raw.sizeSectors();
    }

    /** First sector of data. */
    public long dataOffsetSectors() {
        return raw.dataOffset();
    }

    /** Sectors from there on that data may use. */
    public long dataSizeSectors() {
        return raw.dataSize();
    }

    /** Feature bits of version 1; 0 for 0.90. */
    public int featureMap() {
        return raw.featureMap();
    }

    /** Array sectors known to agree, or -1: all, the array is clean. */
    public long resyncOffsetSectors() {
        return raw.resyncOffset();
    }

    /** Whether it says that all copies agree. */
    public boolean isClean() {
        return raw.resyncOffset() == MdSuperblock.CLEAN;
    }

    /** Whether only the data below {@link #recoveryOffsetSectors} was rebuilt. */
    public boolean isRecovering() {
        return raw.recovering();
    }

    /** Sectors of data that were rebuilt. */
    public long recoveryOffsetSectors() {
        return raw.recoveryOffset();
    }

    /** Whether the member is to replace the one of the same role. */
    public boolean isReplacement() {
        return raw.replacement();
    }

    /** Whether a reshape is under way. */
    public boolean isReshaping() {
        return raw.reshaping();
    }

    /** Whether the reshape goes from the array's end to its start. */
    public boolean reshapesBackwards() {
        return raw.reshapesBackwards();
    }

    /** Array sector that the reshape has come to. */
    public long reshapePositionSectors() {
        return raw.reshapePosition();
    }

    /** New number of roles minus old. */
    public int deltaDisks() {
        return raw.deltaDisks();
    }

    /** Layout word after the reshape. */
    public int newLayoutWord() {
        return raw.newLayout();
    }

    /** The layout after the reshape, in words. */
    public Optional<Layout> newLayout() {
        return level() == 10 ? layoutOf(raw.newLayout()) : Optional.empty();
    }

    /** Sectors of a chunk after the reshape. */
    public long newChunkSectors() {
        return raw.newChunkSectors();
    }

    /** What is added to {@link #dataOffsetSectors} after the reshape, in sectors; 0 if nothing. */
    public int newOffsetSectors() {
        return raw.newOffset();
    }

    /** The member's number in the table of roles. */
    public long devNumber() {
        return raw.devNumber();
    }

    /** Slots in the table of roles. */
    public int roleSlots() {
        return raw.roleSlots();
    }

    /** A member's role by its number: a place in the array, or one of the constants of this class. */
    public int role(int devNumber) {
        return raw.role(devNumber);
    }

    /** The role that it claims for its own member. */
    public int ownRole() {
        return raw.ownRole();
    }

    /** Whether a role is a place in this array. */
    public boolean isActive(int role) {
        return raw.isActive(role);
    }

    /** How many members have a role, in the order of roles as mdadm prints it: A one, R two (replacing), . none. */
    public String arrayState() {
        int roles = Math.clamp(raidDisks(), 0, Geometry.MEMBERS_MAX);
        int[] holders = new int[roles];
        for (int number = 0; number < roleSlots(); number++) {
            int role = role(number);
            if (role < roles) {
                holders[role]++;
            }
        }
        StringBuilder text = new StringBuilder(roles);
        for (int count : holders) {
            text.append(count == 0 ? '.' : count == 1 ? 'A' : 'R');
        }
        return text.toString();
    }

    /** Reads go elsewhere if they can. */
    public boolean isWriteMostly() {
        return raw.writeMostly();
    }

    /** Errors are to be reported soon rather than retried. */
    public boolean isFailFast() {
        return raw.failFast();
    }

    /** Sectors from the superblock to the write-intent bitmap, negative if before it; 0 if there is none. */
    public long bitmapOffsetSectors() {
        return raw.bitmapOffset();
    }

    /** Sectors from the superblock to the bad-block log; 0 if there is none. */
    public long badBlockLogOffsetSectors() {
        return raw.badBlockLogOffset();
    }

    /** Sectors of the bad-block log. */
    public int badBlockLogSectors() {
        return raw.badBlockLogSize();
    }

    /** Whether the bad-block log has entries. */
    public boolean badBlockLogInUse() {
        return raw.badBlockLogInUse();
    }

    /** Bytes of the array's logical block; 0 if not said. */
    public long logicalBlockBytes() {
        return raw instanceof Superblock1 one ? one.logicalBlockBytes() : 0;
    }

    /** What only version 0.90 has; empty for others. */
    public Optional<Legacy> legacy() {
        if (!(raw instanceof Superblock090 old)) {
            return Optional.empty();
        }
        List<Descriptor> descriptors = new ArrayList<>();
        for (int number = 0; number < Superblock090.MEMBERS_MAX; number++) {
            int[] fields = old.descriptor(number);
            descriptors.add(new Descriptor(fields[0], fields[1], fields[2], fields[3], fields[4]));
        }
        long[] counts = old.counts();
        return Optional.of(
                new Legacy(old.minor(), old.preferredMinor(), counts[0], counts[1], counts[2], counts[3], descriptors));
    }

    /**
     * What only version 0.90 has.
     *
     * @param minorVersion 90, or 91 during a reshape
     * @param preferredMinor number of the device that the array likes to be
     * @param descriptors all 27
     */
    public record Legacy(
            int minorVersion,
            long preferredMinor,
            long active,
            long working,
            long failed,
            long spare,
            List<Descriptor> descriptors) {
        public Legacy {
            descriptors = List.copyOf(descriptors);
        }
    }

    /**
     * What version 0.90 keeps of a member.
     *
     * @param state bit 0 faulty, 1 active, 2 sync, 3 removed, 9 write-mostly, 10 fail-fast
     */
    public record Descriptor(int number, int major, int minor, int raidDisk, int state) {}
}
