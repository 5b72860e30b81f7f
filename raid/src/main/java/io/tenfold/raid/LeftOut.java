package io.tenfold.raid;

/**
 * A member of an array that is not used for it.
 *
 * @param member which
 * @param reason what kind of reason
 * @param role the role that it claims; -1 if none
 * @param text the reason in words, with the counts and times it rests on
 */
public record LeftOut(MemberReport member, Reason reason, int role, String text) {
    /** Kinds of reasons. */
    public enum Reason {
        /** It missed updates: others went on without it. */
        STALE,
        /** An older or equal copy of a member that is used. */
        DUPLICATE,
        /** Its superblock cannot be trusted. */
        BROKEN,
        /** It contradicts the others. */
        CONFLICT,
        /** It keeps no data. */
        JOURNAL
    }
}
