package io.tenfold.sim;

/**
 * A spinning disk by the figures that its maker publishes.
 *
 * @param sizeBytes capacity, a multiple of 4096
 * @param rpm turns a minute
 * @param heads surfaces: tracks of one cylinder
 * @param outerBytesPerSecond rate at which the outermost track passes the head, above or equal to the next
 * @param innerBytesPerSecond the same of the innermost
 * @param seekNanosMin from one cylinder to the next
 * @param seekNanosAverage over all pairs of cylinders
 * @param seekNanosFull from the first cylinder to the last
 * @param headSwitchNanos from one surface to the next of the same cylinder
 * @param writeSettleNanos how much longer the head settles before a write, after a seek or a switch
 * @param commandNanos from a command's arrival to the head's first move, if the disk was idle; else hidden behind the
 *     command before
 * @param depth most commands in the disk's own queue (native command queuing: 32)
 * @param ageNanosMax a command that has waited longer is next, wherever it is
 * @param transferBytesMax longest command, a multiple of 4096
 */
public record SimHddModel(
        long sizeBytes,
        int rpm,
        int heads,
        long outerBytesPerSecond,
        long innerBytesPerSecond,
        long seekNanosMin,
        long seekNanosAverage,
        long seekNanosFull,
        long headSwitchNanos,
        long writeSettleNanos,
        long commandNanos,
        int depth,
        long ageNanosMax,
        int transferBytesMax) {
    private static final long SECOND = 1_000_000_000;

    public SimHddModel {
        if (sizeBytes <= 0 || sizeBytes % 4096 != 0 || transferBytesMax <= 0 || transferBytesMax % 4096 != 0) {
            throw new IllegalArgumentException("sizes must be multiples of 4096 above 0: sizeBytes=" + sizeBytes
                    + ", transferBytesMax=" + transferBytesMax);
        }
        if (rpm < 1 || heads < 1 || depth < 1) {
            throw new IllegalArgumentException(
                    "rpm, heads and depth must be above 0: rpm=" + rpm + ", heads=" + heads + ", depth=" + depth);
        }
        if (innerBytesPerSecond < 1_000_000 || outerBytesPerSecond < innerBytesPerSecond) {
            throw new IllegalArgumentException("rates must be at least 1 MB/s and the outer not below the inner: outer="
                    + outerBytesPerSecond + ", inner=" + innerBytesPerSecond);
        }
        if (seekNanosMin < 0 || headSwitchNanos < 0 || writeSettleNanos < 0 || commandNanos < 0 || ageNanosMax < 0) {
            throw new IllegalArgumentException("times must not be below 0: seekNanosMin=" + seekNanosMin
                    + ", headSwitchNanos=" + headSwitchNanos + ", writeSettleNanos=" + writeSettleNanos
                    + ", commandNanos=" + commandNanos + ", ageNanosMax=" + ageNanosMax);
        }
        SeekCurve.require(seekNanosMin, seekNanosAverage, seekNanosFull);
    }

    /**
     * A 3.5-inch disk of 1 TB as they were common when the multi-queue layer was young: 7200 rpm, 8.5 ms for an average
     * seek (1.0 from track to track, 18 over all), 150 MB/s outside and 75 inside, a queue of 32.
     */
    public static SimHddModel sata7200() {
        return new SimHddModel(
                1_000_000_000_000L / 4096 * 4096,
                7200,
                4,
                150_000_000,
                75_000_000,
                1_000_000,
                8_500_000,
                18_000_000,
                800_000,
                500_000,
                100_000,
                32,
                SECOND / 2,
                1 << 20);
    }

    /** The same disk of another capacity. */
    public SimHddModel withSizeBytes(long bytes) {
        return new SimHddModel(
                bytes,
                rpm,
                heads,
                outerBytesPerSecond,
                innerBytesPerSecond,
                seekNanosMin,
                seekNanosAverage,
                seekNanosFull,
                headSwitchNanos,
                writeSettleNanos,
                commandNanos,
                depth,
                ageNanosMax,
                transferBytesMax);
    }

    /** The same disk with another longest command. */
    public SimHddModel withTransferBytesMax(int bytes) {
        return new SimHddModel(
                sizeBytes,
                rpm,
                heads,
                outerBytesPerSecond,
                innerBytesPerSecond,
                seekNanosMin,
                seekNanosAverage,
                seekNanosFull,
                headSwitchNanos,
                writeSettleNanos,
                commandNanos,
                depth,
                ageNanosMax,
                bytes);
    }

    /** How long one turn takes. */
    long turnNanos() {
        return 60 * SECOND / rpm;
    }
}
