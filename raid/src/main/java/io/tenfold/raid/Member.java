package io.tenfold.raid;

import io.tenfold.block.BlockDevice;
import java.util.Arrays;

/**
 * One member as the volume uses it. Immutable; whether it still counts is in the {@link Roster}.
 *
 * <p>Addresses count from the start of the member's data, but for those that say otherwise.
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

    /** Bad ranges in addresses of the device, ascending: starts and ends. */
    private final long[] badStarts;

    private final long[] badEnds;

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
        BadRange[] bad = report.badRanges().toArray(BadRange[]::new);
        Arrays.sort(bad, (a, b) -> Long.compare(a.startBytes(), b.startBytes()));
        badStarts = Arrays.stream(bad).mapToLong(BadRange::startBytes).toArray();
        badEnds = Arrays.stream(bad)
                .mapToLong(range -> range.startBytes() + range.lengthBytes())
                .toArray();
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

    private boolean isBad(long deviceAddress, long length) {
        for (int i = 0; i < badStarts.length && badStarts[i] < deviceAddress + length; i++) {
            if (badEnds[i] > deviceAddress) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return device.name();
    }
}
