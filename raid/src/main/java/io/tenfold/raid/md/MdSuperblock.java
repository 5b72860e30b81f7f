package io.tenfold.raid.md;

import java.util.List;

/**
 * What a superblock of any version says about its array and its member, as it stands there: nothing is to be trusted
 * before {@link #problems} was seen to be empty. Sectors have 512 bytes; addresses count from the start of the member.
 *
 * <p>Immutable.
 */
public sealed interface MdSuperblock permits Superblock1, Superblock090 {
    /** Bytes of a sector, whatever the device's block. */
    int SECTOR = 512;

    /** Roles from this on are no places in the array. */
    int ROLE_MAX = 0xfeff;

    /** A member that keeps a journal. */
    int ROLE_JOURNAL = 0xfffd;

    /** A member that has failed. */
    int ROLE_FAULTY = 0xfffe;

    /** A spare, a member that was taken out, or a number that nobody has. */
    int ROLE_SPARE = 0xffff;

    /** {@link #resyncOffset} of an array whose copies all agree. */
    long CLEAN = -1;

    /** {@code 0.90}, {@code 1.0}, {@code 1.1} or {@code 1.2}. */
    String version();

    /** Where on the member it was found, in bytes. */
    long placeBytes();

    /**
     * Each check that it failed, precisely: what, the value, the bound. Empty if it can be trusted as far as it can be
     * checked alone.
     */
    List<String> problems();

    /** What is wrong beside it but leaves it usable, such as a bitmap and a bad-block log that overlap. */
    List<String> warnings();

    /** Identity of the array, 16 bytes. */
    byte[] setUuid();

    /** The array's name, often {@code host:name}; empty if it has none. */
    String name();

    /** When the array was made, in microseconds since 1970. */
    long createdMicros();

    /** When this was last written, in microseconds since 1970. */
    long updatedMicros();

    /** RAID level; negative: linear (-1), multipath (-4), container (-100). */
    int level();

    /** Layout word. */
    int layout();

    /** Sectors of each member that the array uses. */
    long sizeSectors();

    /** Sectors of a chunk; 0 where the level has none. */
    long chunkSectors();

    /** Number of roles; during a reshape, the new number. */
    long raidDisks();

    /** Feature bits of version 1; 0 for 0.90. */
    int featureMap();

    /** Whether a reshape is under way. */
    boolean reshaping();

    /** Whether it goes from the end of the array to its start. */
    boolean reshapesBackwards();

    /** Array sector that the reshape has come to. */
    long reshapePosition();

    /** New number of roles minus old. */
    int deltaDisks();

    /** Layout word of the new geometry. */
    int newLayout();

    /** Sectors of a chunk in the new geometry. */
    long newChunkSectors();

    /** Level of the new geometry. */
    int newLevel();

    /** What is added to {@link #dataOffset} in the new geometry, in sectors. */
    int newOffset();

    /** First sector of data. */
    long dataOffset();

    /** Sectors from there on that data may use. */
    long dataSize();

    /** Whether the member holds data only below {@link #recoveryOffset}. */
    boolean recovering();

    /** Sectors of data, from {@link #dataOffset} on, that were rebuilt. */
    long recoveryOffset();

    /** Whether the member is to replace the active one of the same role. */
    boolean replacement();

    /** This member's number in the table of roles. */
    long devNumber();

    /** Slots in the table of roles. */
    int roleSlots();

    /** The role of a member by its number: 0 to {@link #ROLE_MAX}, or one of the constants above. */
    int role(long devNumber);

    /** Identity of the member, 16 bytes; empty for 0.90, which has none. */
    byte[] deviceUuid();

    /** Reads go elsewhere if they can. */
    boolean writeMostly();

    /** Do not retry for long on this member. */
    boolean failFast();

    /** Counter of updates. */
    long events();

    /** Array sectors known to agree; {@link #CLEAN} for all. */
    long resyncOffset();

    /** Sectors from the superblock to the write-intent bitmap, or 0 if there is none. */
    long bitmapOffset();

    /** Sectors from the superblock to the bad-block log, or 0 if there is none. */
    long badBlockLogOffset();

    /** Sectors of the bad-block log. */
    int badBlockLogSize();

    /** Whether the log has entries. */
    boolean badBlockLogInUse();

    /** A bad-block log counts in units of a sector shifted left by this. */
    int badBlockShift();

    /** The checksum as stored. */
    int storedChecksum();

    /** The checksum as it should be. */
    int computedChecksum();

    /** The role that it claims for its own member. */
    default int ownRole() {
        return role(devNumber());
    }

    /** Whether the role is a place in an array of so many roles. */
    default boolean isActive(int role) {
        return role <= ROLE_MAX && role < raidDisks();
    }

    /** Number of roles before the reshape, or all the time. */
    default long oldRaidDisks() {
        return reshaping() ? raidDisks() - deltaDisks() : raidDisks();
    }
}
