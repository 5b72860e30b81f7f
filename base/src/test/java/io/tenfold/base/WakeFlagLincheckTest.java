package io.tenfold.base;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** In every interleaving the flag answers as it would with one step after the other: so no sleeper is left unrung. */
class WakeFlagLincheckTest {
    /** The flag as it is. */
    public static class Real {
        private final WakeFlag flag = new WakeFlag();

        @Operation(nonParallelGroup = "owner")
        public boolean enter() {
            return flag.enter();
        }

        @Operation(nonParallelGroup = "owner")
        public void leave() {
            flag.leave();
        }

        @Operation
        public boolean wake() {
            return flag.wake();
        }
    }

    /** A twin whose owner looks first and goes to sleep in a second step. */
    public static class TwoSteps {
        private volatile boolean woken;
        private volatile boolean asleep;

        @Operation(nonParallelGroup = "owner")
        public boolean enter() {
            if (woken) {
                return false;
            }
            asleep = true;
            return true;
        }

        @Operation(nonParallelGroup = "owner")
        public void leave() {
            asleep = false;
            woken = false;
        }

        @Operation
        public boolean wake() {
            woken = true;
            return asleep;
        }
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(10)
                .invocationsPerIteration(500)
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0);
    }

    @Test
    void answersAsIfOneStepFollowedTheOther() {
        options().check(Real.class);
    }

    @Test
    void twinInTwoStepsIsFoundOut() {
        assertThatThrownBy(() -> options().check(TwoSteps.class)).isInstanceOf(LincheckAssertionError.class);
    }
}
