package io.tenfold.raid;

/**
 * How far a pass over an array has come.
 *
 * @param kind what it is for
 * @param role the role that is being filled, or -1
 * @param member the member that is being filled, or empty
 * @param fromBytes where it began: an address of the array; of the member's data where one is filled
 * @param doneBytes of these, counted from 0 and not from where it began, this much is done
 * @param totalBytes how much there is
 * @param rewrittenBytes bytes of copies that were written
 * @param mismatchedBytes bytes of copies that differed from the first good one
 * @param unreadableBytes bytes of the array that no copy gave
 */
public record SyncProgress(
        SyncKind kind,
        int role,
        String member,
        long fromBytes,
        long doneBytes,
        long totalBytes,
        long rewrittenBytes,
        long mismatchedBytes,
        long unreadableBytes) {}
