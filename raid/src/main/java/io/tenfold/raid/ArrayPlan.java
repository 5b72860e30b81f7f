package io.tenfold.raid;

import io.tenfold.block.BlockDevice;
import java.util.List;
import java.util.Optional;

/**
 * An array as it is to be run: what assembling its members came to. Nothing was written for it.
 *
 * <p>Immutable; any thread.
 *
 * @param uuid identity of the array
 * @param name as stored, often {@code host:name}; may be empty
 * @param version of the superblocks: {@code 0.90}, {@code 1.0}, {@code 1.1}, {@code 1.2}
 * @param level 10, or 1, which is the near layout with as many copies as members
 * @param geometry where copies lie; before the reshape, if there is one
 * @param sizeBytes size of the array. For level 10 that of the geometry; for level 1 it may end within the last chunk
 * @param reshape the reshape under way
 * @param members those that hold data, in the order of roles, a replacement after the one it replaces
 * @param missing roles that no member fills in full
 * @param spares members that stand by
 * @param leftOut members of the array that are not used, and why
 * @param events the freshest member's counter of updates
 * @param checkpointBytes below this address of the array the copies agree; the array's size if it is clean
 * @param bitmap the freshest member's write-intent bitmap
 * @param needsRun a member is missing that the superblocks do not know to be: mdadm starts such an array only when told
 *     to, as it may be at hand still
 * @param whyReadOnly why the array must not be written to; empty if it may
 * @param notes what else a user should know
 */
public record ArrayPlan(
        MdUuid uuid,
        String name,
        String version,
        int level,
        Geometry geometry,
        long sizeBytes,
        Optional<Reshape> reshape,
        List<Member> members,
        List<Integer> missing,
        List<MemberReport> spares,
        List<LeftOut> leftOut,
        long events,
        long checkpointBytes,
        Optional<BitmapReport> bitmap,
        boolean needsRun,
        List<String> whyReadOnly,
        List<String> notes) {
    /** {@link Member#recoveredBytes} of a member that is in sync. */
    public static final long IN_SYNC = Long.MAX_VALUE;

    public ArrayPlan {
        members = List.copyOf(members);
        missing = List.copyOf(missing);
        spares = List.copyOf(spares);
        leftOut = List.copyOf(leftOut);
        whyReadOnly = List.copyOf(whyReadOnly);
        notes = List.copyOf(notes);
    }

    /** How many roles there are; during a reshape, after it. */
    public int roles() {
        return reshape.map(r -> r.geometry().members()).orElse(geometry.members());
    }

    /** How many roles lack a member that is in sync, as the kernel counts. */
    public int degraded() {
        return missing.size();
    }

    /** Whether all copies were known to agree when the superblocks were written last. */
    public boolean isClean() {
        return checkpointBytes == sizeBytes;
    }

    /** Whether the array may be written to. */
    public boolean isWritable() {
        return whyReadOnly.isEmpty();
    }

    /** What messages call it: the name without the host, or the identity. */
    public String label() {
        return Wording.label(name, uuid);
    }

    /**
     * A member in its role.
     *
     * @param role its place in the array, from 0
     * @param report what was found on it
     * @param dataOffsetBytes where its data starts, from the member's first byte
     * @param newDataOffsetBytes the same in the new geometry of a reshape; else equal
     * @param dataBytes how many bytes from there on belong to data
     * @param recoveredBytes only data below this, counted from the data's start, is valid; {@link #IN_SYNC}: all of it
     * @param replacement it is to replace the member before it in the list, and does not count before it has all
     */
    public record Member(
            int role,
            MemberReport report,
            long dataOffsetBytes,
            long newDataOffsetBytes,
            long dataBytes,
            long recoveredBytes,
            boolean replacement) {
        /** Where it lies. */
        public BlockDevice device() {
            return report.device();
        }

        /** Its superblock. */
        public Superblock superblock() {
            return report.superblock().orElseThrow();
        }

        /** Its number in the table of roles. */
        public int devNumber() {
            return (int) superblock().devNumber();
        }

        /** Whether all its data is valid. */
        public boolean isInSync() {
            return recoveredBytes == IN_SYNC;
        }

        /** Reads go elsewhere if they can. */
        public boolean isWriteMostly() {
            return superblock().isWriteMostly();
        }

        /** What its bad-block log names, in addresses of the member. */
        public List<BadRange> badRanges() {
            return report.badRanges();
        }
    }

    /**
     * A reshape that was under way when the members were written last.
     *
     * @param geometry where copies lie after it
     * @param positionBytes array address that it has come to
     * @param backwards it goes from the end to the start: what lies at or above the position is in the new geometry;
     *     otherwise what lies below it
     */
    public record Reshape(Geometry geometry, long positionBytes, boolean backwards) {
        /** Whether a byte of the array is to be looked for in the new geometry. */
        public boolean isReshaped(long arrayOffset) {
            return backwards ? arrayOffset >= positionBytes : arrayOffset < positionBytes;
        }
    }
}
