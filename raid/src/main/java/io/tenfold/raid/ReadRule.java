package io.tenfold.raid;

/** Which of several good copies answers a read. Where copies may differ it is always the first, whatever the rule. */
public enum ReadRule {
    /** The one that is expected to answer first, as {@link ReadBalance} finds it. */
    BALANCED,

    /** The first: the same bytes on every run, even where copies that should agree do not. */
    FIRST_COPY,

    /**
     * What Linux did in 2016, for comparison: the first member that is idle (near layouts), or the lowest address (far and
     * offset layouts), or else the member whose head is nearest, on flash as on disks.
     */
    NEAREST_HEAD
}
