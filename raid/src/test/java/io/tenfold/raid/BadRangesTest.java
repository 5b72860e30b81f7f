package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Prng;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class BadRangesTest {
    private static final int SIZE = 64;

    @Test
    void tableSaysWhatASetOfBytesSays() {
        for (long seed = 0; seed < 300; seed++) {
            Prng prng = new Prng(seed);
            BadRanges table = BadRanges.NONE;
            BitSet bytes = new BitSet();
            for (int step = 0; step < 40; step++) {
                int start = prng.below(SIZE);
                int end = start + 1 + prng.below(SIZE / 4);
                boolean adds = prng.oneIn(2);
                table = adds ? table.with(start, end) : table.without(start, end);
                bytes.set(start, end, adds);
                assertSame(table, bytes, "seed=" + seed + ", step=" + step);
            }
        }
    }

    private static void assertSame(BadRanges table, BitSet bytes, String where) {
        BitSet named = new BitSet();
        for (int i = 0; i < table.count(); i++) {
            assertThat(table.start(i)).as(where).isLessThan(table.end(i));
            assertThat(i == 0 || table.start(i) > table.end(i - 1))
                    .as("%s, %s", where, table)
                    .isTrue();
            named.set((int) table.start(i), (int) table.end(i));
        }
        assertThat(named).as(where).isEqualTo(bytes);
        for (int start = 0; start < 2 * SIZE; start++) {
            for (int length = 1; length < 6; length++) {
                int next = bytes.nextSetBit(start);
                assertThat(table.touches(start, length))
                        .as("%s, start=%d, length=%d, %s", where, start, length, table)
                        .isEqualTo(next >= 0 && next < start + length);
            }
        }
    }
}
