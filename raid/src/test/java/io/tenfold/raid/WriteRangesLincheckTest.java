package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Within one word, where a try is one CAS, taking and giving back behave as if one followed the other. (Over several words
 * a try may fail on another that fails too: exclusion and wake-ups hold there, and are stress tests.)
 */
class WriteRangesLincheckTest {
    private static final int GRANULE = WriteRanges.GRANULE;

    /** Two neighbours and a range over both. */
    public static class Real {
        private final WriteRanges ranges = new WriteRanges(1, () -> {});

        @Operation
        public boolean take() {
            return ranges.tryAcquire(0, GRANULE);
        }

        @Operation
        public boolean takeNext() {
            return ranges.tryAcquire(GRANULE, GRANULE);
        }

        @Operation
        public boolean takeBoth() {
            return ranges.tryAcquire(0, 2 * GRANULE);
        }

        @Operation
        public void giveNext() {
            ranges.release(GRANULE, GRANULE);
        }
    }

    /** A twin that looks first and takes then. */
    public static class LooksFirst {
        private volatile long word;

        @Operation
        public boolean take() {
            return take(1);
        }

        @Operation
        public boolean takeBoth() {
            return take(3);
        }

        private boolean take(long mask) {
            long seen = word;
            if ((seen & mask) != 0) {
                return false;
            }
            word = seen | mask;
            return true;
        }
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(6)
                .invocationsPerIteration(200)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0);
    }

    @Test
    void oneWordIsLinearizable() {
        options().threads(3).check(Real.class);
        new StressOptions()
                .iterations(4)
                .invocationsPerIteration(200)
                .threads(2)
                .actorsPerThread(3)
                .check(Real.class);
    }

    @Test
    void twinThatLooksFirstIsFoundOut() {
        assertThatThrownBy(() -> options().check(LooksFirst.class)).isInstanceOf(LincheckAssertionError.class);
    }
}
