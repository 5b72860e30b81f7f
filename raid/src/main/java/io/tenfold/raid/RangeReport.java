package io.tenfold.raid;

/**
 * What a channel found out about a range of a member.
 *
 * @param start in bytes, from the member's first byte
 * @param end behind its last byte
 * @param bad a write failed there, and what the range holds is not to be believed; otherwise a write succeeded
 */
record RangeReport(Member member, long start, long end, boolean bad) {}
