package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * In all interleavings of short programs: who closes and finds nobody inside is alone (G2), and who finds somebody is woken
 * by him (G3). What the order of memory does to it is the part of GateStress.
 */
class GateLincheckTest {
    /** Two who enter and leave, and one who closes, once. */
    public abstract static class Scene {
        private final Gate gate = new Gate(2);
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger wakes = new AtomicInteger();
        private volatile boolean alone;
        private boolean closed;
        private boolean sleeps;

        boolean enter(int stripe) {
            return gate.enter(stripe, 1);
        }

        void leave(int stripe) {
            gate.leave(stripe, 1);
        }

        void shut(Runnable wake) {
            gate.shut(new WaiterStub(wake));
        }

        boolean isEmpty() {
            return gate.isEmpty();
        }

        @Operation(nonParallelGroup = "one")
        public boolean passByOne() {
            return pass(0);
        }

        @Operation(nonParallelGroup = "two")
        public boolean passByTwo() {
            return pass(1);
        }

        /** Whether it saw what must not be. */
        private boolean pass(int stripe) {
            boolean wrong = false;
            if (enter(stripe)) {
                inside.incrementAndGet();
                wrong = alone;
                inside.decrementAndGet();
                leave(stripe);
            }
            return wrong;
        }

        /** Whether it saw what must not be. */
        @Operation(nonParallelGroup = "closer")
        public boolean close() {
            if (closed) {
                return false;
            }
            closed = true;
            shut(wakes::incrementAndGet);
            if (!isEmpty()) {
                sleeps = true;
                return false;
            }
            alone = true;
            return inside.get() != 0;
        }

        @Validate
        public void whoClosesIsWoken() {
            if (sleeps && wakes.get() == 0) {
                throw new IllegalStateException("sleeps, and nobody is inside to wake him");
            }
        }
    }

    /** As it is. */
    public static class Real extends Scene {}

    /** A twin that looks before it counts itself. */
    public static class LooksFirst extends Scene {
        private final AtomicInteger count = new AtomicInteger();
        private volatile boolean shut;

        @Override
        boolean enter(int stripe) {
            if (shut) {
                return false;
            }
            count.incrementAndGet();
            return true;
        }

        @Override
        void leave(int stripe) {
            count.decrementAndGet();
        }

        @Override
        void shut(Runnable wake) {
            shut = true;
            wake.run(); // So that only the other promise is broken.
        }

        @Override
        boolean isEmpty() {
            return count.get() == 0;
        }
    }

    /** A twin whose last step outwards is not followed by a look for who closes: it looked before. */
    public static class LooksBeforeItLeaves extends Scene {
        private final AtomicInteger count = new AtomicInteger();
        private volatile Runnable closer;

        @Override
        boolean enter(int stripe) {
            count.incrementAndGet();
            if (closer == null) {
                return true;
            }
            leave(stripe);
            return false;
        }

        @Override
        void leave(int stripe) {
            Runnable seen = closer;
            count.decrementAndGet();
            if (seen != null) {
                seen.run();
            }
        }

        @Override
        void shut(Runnable wake) {
            closer = wake;
        }

        @Override
        boolean isEmpty() {
            return count.get() == 0;
        }
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(6)
                .invocationsPerIteration(300)
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0);
    }

    @Test
    void gateKeepsItsPromises() {
        options().check(Real.class);
    }

    @Test
    void twinThatLooksFirstIsFoundOut() {
        assertThatThrownBy(() -> options().check(LooksFirst.class)).isInstanceOf(LincheckAssertionError.class);
    }

    @Test
    void twinThatLooksBeforeItLeavesIsFoundOut() {
        assertThatThrownBy(() -> options().check(LooksBeforeItLeaves.class)).isInstanceOf(LincheckAssertionError.class);
    }
}
