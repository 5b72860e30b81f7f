package io.tenfold.raid;

import static io.tenfold.raid.md.MdSuperblock.SECTOR;

import io.tenfold.block.BlockDevice;
import io.tenfold.raid.md.BadBlockLog;
import io.tenfold.raid.md.MdSuperblock;
import java.util.List;

/**
 * One member as the volume uses it. Whether it still counts is in the {@link Roster}.
 *
 * <p>Addresses count from the start of the member's data, but for those that say otherwise.
 *
 * <p>Threads: any. All is immutable but the table of bad ranges, which the conductor replaces as a whole.
 */
final class Member {
    /** {@link #role} of a spare. */
    static final int NO_ROLE = -1;

    private final int index;
    private final int role;
    private final boolean replacement;
    private final int devNumber;
    private final BlockDevice device;
    private final Superblock superblock;
    private final long dataOffset;
    private final long newDataOffset;
    private final long validBytes;
    private final boolean writeMostly;
    private final boolean rotational;
    private final List<BadRange> logged;

    /** Written by the conductor alone, before it calls the reports handled that led to it. */
    private volatile BadRanges bad;

    /** The conductor: a range that is bad could not be written to the log. */
    private volatile boolean logOverflowed;

    private Member(
            int index,
            int role,
            boolean replacement,
            MemberReport report,
            long dataOffset,
            long newDataOffset,
            long validBytes) {
        this.index = index;
        this.role = role;
        this.replacement = replacement;
        this.device = report.device();
        this.superblock = report.superblock().orElseThrow();
        this.devNumber = Math.toIntExact(superblock.devNumber());
        this.dataOffset = dataOffset;
        this.newDataOffset = newDataOffset;
        this.validBytes = validBytes;
        writeMostly = superblock.isWriteMostly();
        rotational = device.limits().rotational();
        logged = report.badRanges();
        bad = BadRanges.of(logged);
    }

    static Member of(int index, ArrayPlan.Member member) {
        return new Member(
                index,
                member.role(),
                member.replacement(),
                member.report(),
                member.dataOffsetBytes(),
                member.newDataOffsetBytes(),
                member.recoveredBytes());
    }

    static Member spare(int index, MemberReport report) {
        return new Member(index, NO_ROLE, false, report, 0, 0, 0);
    }

    /** Its place in the volume's tables. */
    int index() {
        return index;
    }

    /** Its role in the array, or {@link #NO_ROLE}. */
    int role() {
        return role;
    }

    /** Whether it stands beside another member of the same role, to replace it one day. */
    boolean isReplacement() {
        return replacement;
    }

    /** Its number in the superblocks' table of roles. */
    int devNumber() {
        return devNumber;
    }

    BlockDevice device() {
        return device;
    }

    /** The superblock with which it was assembled. */
    Superblock superblock() {
        return superblock;
    }

    /** Whether all its data is valid, so that it may be the only one. */
    boolean isInSync() {
        return role != NO_ROLE && validBytes == ArrayPlan.IN_SYNC;
    }

    /** Whether it is to be read only where nobody else can be. */
    boolean isWriteMostly() {
        return writeMostly;
    }

    /** Whether seeks cost it time. */
    boolean isRotational() {
        return rotational;
    }

    /** The device's address of a data address. */
    long deviceAddress(long address, boolean reshaped) {
        return address + (reshaped ? newDataOffset : dataOffset);
    }

    /** Whether the data of a range is valid and not known to be bad. */
    boolean holds(long address, long length, boolean reshaped) {
        return address + length <= validBytes && !isBad(deviceAddress(address, reshaped), length);
    }

    /** Whether no block of a range is known to be bad; its data may be not valid yet. */
    boolean isKnownGood(long address, long length) {
        return !isBad(deviceAddress(address, false), length);
    }

    /** Whether any block of a range is known to be bad, by the device's address. */
    boolean isBad(long deviceAddress, long length) {
        return bad.touches(deviceAddress, length);
    }

    /** What is known to be bad, in addresses of the device. */
    BadRanges badRanges() {
        return bad;
    }

    /** What its log named when the array was assembled, in the order of the log. */
    List<BadRange> loggedRanges() {
        return logged;
    }

    /** The conductor: from now on this is known to be bad. */
    void publish(BadRanges known) {
        bad = known;
    }

    /** Whether it has a bad-block log that can be written by itself. */
    boolean hasLog() {
        return canKeepLog(superblock.raw(), device.limits().blockBytes());
    }

    /** Whether a member's superblock names a log that whole blocks of the device hold. */
    static boolean canKeepLog(MdSuperblock superblock, int blockBytes) {
        int length = superblock.badBlockLogSize() * SECTOR;
        return superblock.badBlockLogOffset() != 0
                && length > 0
                && superblock.badBlockLogSize() <= BadBlockLog.SECTORS_MAX
                && length % blockBytes == 0
                && (superblock.placeBytes() + superblock.badBlockLogOffset() * SECTOR) % blockBytes == 0;
    }

    /** Whether its log lacks a range that is bad. */
    boolean hasLogOverflowed() {
        return logOverflowed;
    }

    /** The conductor: its log has no room for what is bad. */
    void logOverflowed() {
        logOverflowed = true;
    }

    @Override
    public String toString() {
        return device.name();
    }
}
