package io.tenfold.sim;

/**
 * How fast a flash disk is. Published figures follow from it: 4 KiB reads a second with a full queue are units divided by the
 * mean, a read alone takes the mean, and long reads come at the bus's rate.
 *
 * @param sizeBytes capacity, a multiple of 4096
 * @param units reads that it works on at the same time
 * @param unitNanosMin shortest time that one of them takes, above 0
 * @param unitNanosMean what they take on the average, at least the shortest: what is above it is exponentially distributed
 * @param busBytesPerSecond rate at which results leave the disk, one after the other
 * @param depth most requests in flight on one channel; more get "no room"
 * @param transferBytesMax longest request, a multiple of 4096
 */
public record SimFlashModel(
        long sizeBytes,
        int units,
        long unitNanosMin,
        long unitNanosMean,
        long busBytesPerSecond,
        int depth,
        int transferBytesMax) {
    public SimFlashModel {
        if (sizeBytes <= 0 || sizeBytes % 4096 != 0 || transferBytesMax <= 0 || transferBytesMax % 4096 != 0) {
            throw new IllegalArgumentException("sizes must be multiples of 4096 above 0: sizeBytes=" + sizeBytes
                    + ", transferBytesMax=" + transferBytesMax);
        }
        if (units < 1 || depth < 1 || busBytesPerSecond < 1_000_000) {
            throw new IllegalArgumentException("units and depth must be above 0 and the bus carry 1 MB/s: units="
                    + units + ", depth=" + depth + ", busBytesPerSecond=" + busBytesPerSecond);
        }
        if (unitNanosMin < 1 || unitNanosMean < unitNanosMin) {
            throw new IllegalArgumentException(
                    "times must be above 0 and the mean not below the shortest: unitNanosMin=" + unitNanosMin
                            + ", unitNanosMean=" + unitNanosMean);
        }
    }

    /** Something like an NVMe disk of 2016: 400 000 random reads of 4 KiB a second, 80 us alone, 2.8 GB/s. */
    public static SimFlashModel nvme() {
        return new SimFlashModel(1L << 30, 32, 60_000, 80_000, 2_800_000_000L, 1024, 1 << 20);
    }

    /** Something like a SATA disk: 100 us alone, 520 MB/s. */
    public static SimFlashModel sata() {
        return new SimFlashModel(1L << 30, 8, 80_000, 100_000, 520_000_000L, 32, 1 << 20);
    }

    /** The same disk with a number of units that take another time. */
    public SimFlashModel withUnits(int count, long nanosMin, long nanosMean) {
        return new SimFlashModel(sizeBytes, count, nanosMin, nanosMean, busBytesPerSecond, depth, transferBytesMax);
    }
}
