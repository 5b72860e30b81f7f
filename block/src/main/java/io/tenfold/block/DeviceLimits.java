package io.tenfold.block;

/**
 * What a device can take in one request. A submitter keeps to it; a queue splits by it.
 *
 * @param blockBytes smallest unit: offsets and lengths are multiples of it; a power of two, 512 to 65536
 * @param memoryAlignment what the address and the length of each segment must be multiples of; a power of two, 1 to 65536
 * @param transferBytesMax longest read or write, a multiple of blockBytes
 * @param segmentsMax most memory segments in one request, 1 or more
 * @param discardBytesMax longest discard, a multiple of blockBytes; 0: the device does not discard
 * @param zeroBytesMax longest write-zeroes, a multiple of blockBytes; 0: the device cannot, write zeroes instead
 * @param optimalBytes preferred unit of large transfers (an array: chunk times data members); a multiple of blockBytes
 * @param rotational seeks cost time
 * @param readOnly the device takes no request that {@linkplain Op#changes() changes} it
 */
public record DeviceLimits(
        int blockBytes,
        int memoryAlignment,
        int transferBytesMax,
        int segmentsMax,
        long discardBytesMax,
        long zeroBytesMax,
        int optimalBytes,
        boolean rotational,
        boolean readOnly) {
    public DeviceLimits {
        requirePowerOfTwo("blockBytes", blockBytes, 512);
        requirePowerOfTwo("memoryAlignment", memoryAlignment, 1);
        requireMultiple("transferBytesMax", transferBytesMax, blockBytes, 1);
        requireMultiple("discardBytesMax", discardBytesMax, blockBytes, 0);
        requireMultiple("zeroBytesMax", zeroBytesMax, blockBytes, 0);
        requireMultiple("optimalBytes", optimalBytes, blockBytes, 1);
        if (segmentsMax < 1) {
            throw new IllegalArgumentException("segmentsMax must be above 0: segmentsMax=" + segmentsMax);
        }
    }

    /** Limits of memory: blocks of 512 bytes, any alignment, 1 GiB a request. */
    public static DeviceLimits ofMemory() {
        return new DeviceLimits(512, 1, 1 << 30, 1024, 1L << 40, 1L << 40, 4096, false, false);
    }

    /** The same limits for a device that takes no writes. */
    public DeviceLimits asReadOnly() {
        return new DeviceLimits(
                blockBytes, memoryAlignment, transferBytesMax, segmentsMax, 0, 0, optimalBytes, rotational, true);
    }

    private static void requirePowerOfTwo(String name, int value, int min) {
        if (value < min || value > 65536 || Integer.bitCount(value) != 1) {
            throw new IllegalArgumentException(
                    name + " must be a power of two, " + min + " to 65536: " + name + "=" + value);
        }
    }

    private static void requireMultiple(String name, long value, int unit, long min) {
        if (value < min || value % unit != 0) {
            throw new IllegalArgumentException(name + " must be a multiple of blockBytes, at least " + min + ": " + name
                    + "=" + value + ", blockBytes=" + unit);
        }
    }
}
