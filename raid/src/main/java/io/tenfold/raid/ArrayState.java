package io.tenfold.raid;

import java.util.List;
import java.util.Optional;

/**
 * How an open array is, for people and monitors. What it is doing and how well it is are separate.
 *
 * @param condition what it does for its users
 * @param roles how many roles it has
 * @param degraded how many of them lack a member with valid data
 * @param failed members that failed since it was opened, in order
 * @param events the counter of superblock updates
 * @param readErrors members' reads that failed
 * @param readsRescued of those, reads that another copy then answered
 * @param readsLost reads that no copy could answer
 * @param blocksRepaired blocks that a member could not read, and that were rewritten from another copy
 * @param writeErrors members' writes and flushes that failed
 * @param badRanges how many ranges the members' bad-block logs name
 * @param copiesAgree whether all copies are known to agree, but for what writes under way are changing
 * @param sync the pass that is under way, or that a stop ended before it was done
 * @param overlaps how often writes had to wait for others that touch the same blocks
 */
public record ArrayState(
        Condition condition,
        int roles,
        int degraded,
        List<FailedMember> failed,
        long events,
        boolean copiesAgree,
        Optional<SyncProgress> sync,
        long readErrors,
        long readsRescued,
        long readsLost,
        long blocksRepaired,
        long writeErrors,
        long badRanges,
        long overlaps) {
    public ArrayState {
        failed = List.copyOf(failed);
    }

    /** What an array does for its users. */
    public enum Condition {
        /** Nobody writes, and the superblocks say so. */
        CLEAN,
        /** It takes writes, and the superblocks say that copies may differ. */
        ACTIVE,
        /** A write failed on a copy: copies may differ until they are compared after the next start. */
        UNSYNCED,
        /** It takes no writes because it was opened so. */
        READ_ONLY,
        /** Superblocks cannot be written where they must be: it takes no writes any more. */
        BROKEN,
        /** Too few members are left: it takes no writes, and reads only what is left. */
        OFFLINE,
        /** It was stopped. */
        STOPPED
    }

    /**
     * A member that is asked no more.
     *
     * @param name of its device
     * @param role its role, or -1 for a spare
     * @param cause what it failed at, with the values
     */
    public record FailedMember(String name, int role, String cause) {}
}
