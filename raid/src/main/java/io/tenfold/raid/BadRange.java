package io.tenfold.raid;

/**
 * A range of a member that its bad-block log names as unreadable.
 *
 * @param startBytes counted from the member's first byte, not from its data
 * @param lengthBytes above 0
 */
public record BadRange(long startBytes, long lengthBytes) {}
