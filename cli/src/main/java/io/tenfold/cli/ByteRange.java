package io.tenfold.cli;

/**
 * A range of an array.
 *
 * @param offset bytes from its start
 * @param length bytes
 */
record ByteRange(long offset, long length) {
    long end() {
        return offset + length;
    }
}
