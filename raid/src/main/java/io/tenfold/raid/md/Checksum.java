package io.tenfold.raid.md;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The sum that guards an md superblock. A sum, not a CRC: it does not notice words that changed places. */
final class Checksum {
    private Checksum() {}

    /**
     * The sum of the first {@code length} bytes as 32-bit words, the word at {@code field} counting as zero, folded to 32
     * bits; two bytes left over count as one 16-bit word.
     *
     * @param length even
     * @param field a multiple of 4 below length
     */
    static int of(byte[] bytes, int length, int field, ByteOrder order) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(order);
        long sum = 0;
        int at = 0;
        for (; at + 4 <= length; at += 4) {
            if (at != field) {
                sum += buffer.getInt(at) & 0xffff_ffffL;
            }
        }
        if (at < length) {
            sum += buffer.getShort(at) & 0xffff;
        }
        return (int) (sum + (sum >>> 32));
    }
}
