package io.tenfold.raid;

/** What a pass over an array is for. */
public enum SyncKind {
    /** After a stop out of order: copies that differ from the first good one are rewritten. */
    RESYNC,
    /** A member that lacks data is filled from the others. */
    RECOVERY,
    /** A member beside one that works is filled, and takes its role in the end. */
    REPLACEMENT,
    /** Copies are compared, and differences counted. */
    CHECK,
    /** Copies are compared, and rewritten where they differ from the first good one. */
    REPAIR;

    /** Whether it fills one member; otherwise it compares all. */
    boolean fills() {
        return this == RECOVERY || this == REPLACEMENT;
    }

    /** Whether it changes copies that differ. */
    boolean rewrites() {
        return this != CHECK;
    }
}
