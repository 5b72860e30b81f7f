package io.tenfold.nbd.wire;

/**
 * What an export says of itself on the wire.
 *
 * @param sizeBytes its size, a multiple of blockBytesMin
 * @param flags transmission flags, {@link Wire#HAS_FLAGS} among them
 * @param blockBytesMin what offsets and lengths must be multiples of; a power of two, 1 to 65536
 * @param blockBytesPreferred the least that is efficient; a power of two, at least 512 and blockBytesMin, at most
 *     {@link Wire#PAYLOAD_BYTES_MAX}
 */
public record ExportFacts(long sizeBytes, int flags, int blockBytesMin, int blockBytesPreferred) {
    public ExportFacts {
        if (Integer.bitCount(blockBytesMin) != 1 || blockBytesMin > 1 << 16) {
            throw new IllegalArgumentException(
                    "minimum block must be a power of two, 1 to 65536: blockBytesMin=" + blockBytesMin);
        }
        if (Integer.bitCount(blockBytesPreferred) != 1
                || blockBytesPreferred < Math.max(512, blockBytesMin)
                || blockBytesPreferred > Wire.PAYLOAD_BYTES_MAX) {
            throw new IllegalArgumentException("preferred block must be a power of two, 512 to 33554432, at least the"
                    + " minimum: blockBytesPreferred=" + blockBytesPreferred + ", blockBytesMin=" + blockBytesMin);
        }
        if (sizeBytes < 0 || sizeBytes % blockBytesMin != 0) {
            throw new IllegalArgumentException("size must be a multiple of the minimum block: sizeBytes=" + sizeBytes
                    + ", blockBytesMin=" + blockBytesMin);
        }
        if ((flags & Wire.HAS_FLAGS) == 0 || flags >>> 16 != 0) {
            throw new IllegalArgumentException("flags must be 16 bits with bit 0 set: flags=" + flags);
        }
    }

    /** Whether that flag is advertised. */
    public boolean has(int flag) {
        return (flags & flag) != 0;
    }
}
