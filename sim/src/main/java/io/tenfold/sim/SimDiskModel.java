package io.tenfold.sim;

/**
 * How a simulated disk behaves.
 *
 * @param blockBytes its sector as it tells it
 * @param tearBytes what it writes in one go: a write that power loss interrupts is kept or lost in units of this, a
 *     multiple of 512 and at most blockBytes times 8
 * @param depth most requests in flight on one channel; more get "no room"
 * @param serviceNanosMin shortest time from commit to completion
 * @param serviceNanosMax longest time, but for the slow ones; the larger the spread, the more completions overtake
 * @param slowOneIn one request in so many takes 20 times as long; 0: none
 * @param discardLeavesGarbage a discarded range reads as something of its own until it is written, rather than as zeroes
 * @param zeroes it has a command that writes zeroes
 */
public record SimDiskModel(
        int blockBytes,
        int tearBytes,
        int depth,
        long serviceNanosMin,
        long serviceNanosMax,
        int slowOneIn,
        boolean discardLeavesGarbage,
        boolean zeroes) {
    public SimDiskModel {
        if (tearBytes < 512 || tearBytes % 512 != 0) {
            throw new IllegalArgumentException("tearBytes must be a multiple of 512: tearBytes=" + tearBytes);
        }
        if (depth < 1 || serviceNanosMin < 0 || serviceNanosMax < serviceNanosMin) {
            throw new IllegalArgumentException("depth must be above 0 and times in order: depth=" + depth
                    + ", serviceNanosMin=" + serviceNanosMin + ", serviceNanosMax=" + serviceNanosMax);
        }
    }

    /** Something like a flash disk with 512-byte sectors. */
    public static SimDiskModel flash() {
        return new SimDiskModel(512, 512, 64, 20_000, 200_000, 100, true, true);
    }

    /** The same with sectors of 4096 bytes. */
    public static SimDiskModel flash4k() {
        return new SimDiskModel(4096, 4096, 64, 20_000, 200_000, 100, true, true);
    }
}
