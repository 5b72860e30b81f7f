package io.tenfold.raid;

/**
 * A range of the array that a member could not read, in one chunk.
 *
 * @param member its index
 * @param start in bytes of the array
 * @param length in bytes
 */
record ReadFailure(int member, long start, long length) {}
