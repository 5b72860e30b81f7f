package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Prng;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class WriteRangesTest {
    private static final long KIB = 1024;
    private static final long TABLE_BYTES = 1L << 30;

    private int wakes;
    private final WriteRanges ranges = new WriteRanges(() -> wakes++);

    @Test
    void rangesThatShareAGranuleExcludeOneAnother() {
        assertThat(ranges.tryAcquire(4 * KIB, 4 * KIB)).isTrue();
        assertThat(ranges.tryAcquire(8 * KIB, 4 * KIB)).as("its neighbour").isTrue();
        assertThat(ranges.tryAcquire(0, 4 * KIB + 512)).as("touches the first").isFalse();
        assertThat(ranges.tryAcquire(7 * KIB, 512)).as("within the first").isFalse();
        ranges.release(4 * KIB, 4 * KIB);
        assertThat(ranges.tryAcquire(0, 4 * KIB + 512)).isTrue();
    }

    @Test
    void failedTryLeavesNothingBehind() {
        assertThat(ranges.tryAcquire(10 << 20, 4096)).isTrue();
        assertThat(ranges.tryAcquire(0, 16 << 20)).isFalse();
        for (long at = 0; at < 10 << 20; at += 256 * KIB) {
            assertThat(ranges.tryAcquire(at, 256 * KIB)).as("at=%d", at).isTrue();
        }
    }

    @Test
    void whoeverWaitsIsWokenByAReleaseAndNotByTriesThatTookNothing() {
        ranges.tryAcquire(512 * KIB, 4096);
        ranges.startWaiting();
        ranges.tryAcquire(0, 1024 * KIB);
        ranges.tryAcquire(512 * KIB, 4096);
        assertThat(wakes)
                .as("a waiter that wakes itself by trying never sleeps")
                .isZero();
        ranges.release(512 * KIB, 4096);
        assertThat(wakes).isEqualTo(1);
        ranges.stopWaiting();
        ranges.tryAcquire(0, 4096);
        ranges.release(0, 4096);
        assertThat(wakes).as("nobody waits any more").isEqualTo(1);
    }

    @Test
    void randomRangesAgreeWithASetOfGranules() {
        for (long seed = 0; seed < 20; seed++) {
            Prng prng = new Prng(seed);
            BitSet held = new BitSet();
            List<long[]> holders = new ArrayList<>();
            // Around the place where the table wraps, and far beyond it.
            long base = prng.below(4) * TABLE_BYTES + TABLE_BYTES - (4 << 20);
            for (int step = 0; step < 3000; step++) {
                if (!holders.isEmpty() && prng.oneIn(2)) {
                    long[] range = holders.remove(prng.below(holders.size()));
                    ranges.release(base + range[0], range[1]);
                    held.clear(first(range), last(range) + 1);
                    continue;
                }
                long[] range = {512L * prng.below(16_384), 512L * (1 + prng.below(prng.oneIn(8) ? 8192 : 64))};
                boolean free = held.nextSetBit(first(range)) < 0 || held.nextSetBit(first(range)) > last(range);
                assertThat(ranges.tryAcquire(base + range[0], range[1]))
                        .as("seed=%d, step=%d, offset=%d, length=%d", seed, step, base + range[0], range[1])
                        .isEqualTo(free);
                if (free) {
                    held.set(first(range), last(range) + 1);
                    holders.add(range);
                }
            }
            holders.forEach(range -> ranges.release(base + range[0], range[1]));
        }
    }

    @Test
    void longestRangeDoesNotMeetItself() {
        assertThat(ranges.tryAcquire(TABLE_BYTES - 4096, WriteRanges.LENGTH_MAX))
                .isTrue();
        assertThat(ranges.tryAcquire(TABLE_BYTES - 4096 + WriteRanges.LENGTH_MAX, 4096))
                .isTrue();
        ranges.release(TABLE_BYTES - 4096, WriteRanges.LENGTH_MAX);
        assertThat(ranges.tryAcquire(TABLE_BYTES - 4096, WriteRanges.LENGTH_MAX))
                .isTrue();
    }

    private static int first(long[] range) {
        return (int) (range[0] / 4096);
    }

    private static int last(long[] range) {
        return (int) ((range[0] + range[1] - 1) / 4096);
    }
}
