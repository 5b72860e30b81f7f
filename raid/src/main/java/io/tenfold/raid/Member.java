package io.tenfold.raid;

import static io.tenfold.raid.md.MdSuperblock.SECTOR;

import io.tenfold.block.BlockDevice;
import io.tenfold.block.DeviceLimits;
import io.tenfold.raid.md.BadBlockLog;
import io.tenfold.raid.md.MdSuperblock;
import io.tenfold.raid.md.Superblock1;
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
    private final boolean canServe;
    private final boolean writeMostly;
    private final boolean rotational;
    private final MemberReport report;

    private final Bad bad;

    /** What is known to be bad: one for all states of a member. */
    private static final class Bad {
        /** Written by the conductor alone, before it calls the reports handled that led to it. */
        volatile BadRanges ranges;

        /** The conductor: a range that is bad could not be written to the log. */
        volatile boolean logOverflowed;

        Bad(BadRanges ranges) {
            this.ranges = ranges;
        }
    }

    private Member(
            int index,
            int role,
            boolean replacement,
            MemberReport report,
            long dataOffset,
            long newDataOffset,
            long validBytes,
            boolean canServe,
            Bad bad) {
        this.index = index;
        this.role = role;
        this.replacement = replacement;
        this.device = report.device();
        this.superblock = report.superblock().orElseThrow();
        this.devNumber = Math.toIntExact(superblock.devNumber());
        this.dataOffset = dataOffset;
        this.newDataOffset = newDataOffset;
        this.validBytes = validBytes;
        this.canServe = canServe;
        this.report = report;
        writeMostly = superblock.isWriteMostly();
        rotational = device.limits().rotational();
        this.bad = bad;
    }

    static Member of(int index, ArrayPlan.Member member) {
        return new Member(
                index,
                member.role(),
                member.replacement(),
                member.report(),
                member.dataOffsetBytes(),
                member.newDataOffsetBytes(),
                member.recoveredBytes(),
                true,
                new Bad(BadRanges.of(member.report().badRanges())));
    }

    /**
     * A member without a role.
     *
     * @param usedBytes how much data a role takes
     * @param blockBytes what addresses and memory are multiples of
     */
    static Member spare(int index, MemberReport report, long usedBytes, int blockBytes) {
        MdSuperblock own = report.superblock().orElseThrow().raw();
        DeviceLimits device = report.device().limits();
        long offset = own.dataOffset() * SECTOR;
        boolean canServe = own instanceof Superblock1
                && report.warnings().isEmpty()
                && !own.badBlockLogInUse()
                && own.dataSize() * SECTOR >= usedBytes
                && offset % blockBytes == 0
                && blockOf(device) <= blockBytes;
        return new Member(
                index, NO_ROLE, false, report, offset, offset, 0, canServe, new Bad(BadRanges.of(report.badRanges())));
    }

    /** What addresses and memory of a device must be multiples of. */
    static int blockOf(DeviceLimits limits) {
        return Math.max(limits.blockBytes(), limits.memoryAlignment());
    }

    /** The same member in another state. */
    Member as(int newRole, boolean asReplacement, long newValidBytes) {
        return new Member(
                index, newRole, asReplacement, report, dataOffset, newDataOffset, newValidBytes, canServe, bad);
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

    /** Whether it has a role, or could take one. */
    boolean canServe() {
        return canServe;
    }

    /** Data below this is valid; {@link ArrayPlan#IN_SYNC}: all of it. */
    long validBytes() {
        return validBytes;
    }

    /** Whether the data at an address is valid, or would be if it were not bad. */
    boolean isValidAt(long address) {
        return address < validBytes;
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

    /** Whether any block of a range is known to be bad, by the device's address. */
    boolean isBad(long deviceAddress, long length) {
        return bad.ranges.touches(deviceAddress, length);
    }

    /** What is known to be bad, in addresses of the device. */
    BadRanges badRanges() {
        return bad.ranges;
    }

    /** What its log named when the array was assembled, in the order of the log. */
    List<BadRange> loggedRanges() {
        return report.badRanges();
    }

    /** The conductor: from now on this is known to be bad. */
    void publish(BadRanges known) {
        bad.ranges = known;
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
        return bad.logOverflowed;
    }

    /** The conductor: its log has no room for what is bad. */
    void logOverflowed() {
        bad.logOverflowed = true;
    }

    @Override
    public String toString() {
        return device.name();
    }
}
