package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** While the gate is closed nobody is inside, in every interleaving: a write never meets an array marked clean. */
class WriteGateLincheckTest {
    /** A writer and a conductor; each answers whether it saw what must not be. */
    public abstract static class Scene {
        private final Stripe one = new Stripe();
        private final Stripe two = new Stripe();
        private final Stripe[] stripes = {one, two};
        private volatile boolean markedClean;
        private volatile int inside;

        abstract boolean enter(Stripe stripe);

        abstract void leave(Stripe stripe);

        abstract boolean close(WriteGate.Stripes stripes);

        abstract void open();

        @Operation(nonParallelGroup = "one")
        public boolean writeOnOne() {
            return write(one);
        }

        @Operation(nonParallelGroup = "two")
        public boolean writeOnTwo() {
            return write(two);
        }

        private boolean write(Stripe stripe) {
            boolean wrong = false;
            if (enter(stripe)) {
                inside = 1;
                wrong = markedClean;
                inside = 0;
                leave(stripe);
            }
            return wrong;
        }

        @Operation(nonParallelGroup = "conductor")
        public boolean markClean() {
            boolean wrong = false;
            if (close(() -> stripes)) {
                markedClean = true;
                wrong = inside != 0;
                markedClean = false;
                open();
            }
            return wrong;
        }
    }

    /** With the gate as it is. */
    public static class Real extends Scene {
        private final WriteGate gate = new WriteGate();

        public Real() {
            gate.open();
        }

        @Override
        boolean enter(Stripe stripe) {
            return gate.enter(stripe);
        }

        @Override
        void leave(Stripe stripe) {
            gate.leave(stripe);
        }

        @Override
        boolean close(WriteGate.Stripes stripes) {
            return gate.close(stripes);
        }

        @Override
        void open() {
            gate.open();
        }
    }

    /** With a twin whose writer looks before it counts itself. */
    public static class LooksFirst extends Scene {
        private volatile boolean open = true;

        @Override
        boolean enter(Stripe stripe) {
            if (!open) {
                return false;
            }
            stripe.add(Stripe.ENTERED, 1);
            return true;
        }

        @Override
        void leave(Stripe stripe) {
            stripe.add(Stripe.LEFT, 1);
        }

        @Override
        boolean close(WriteGate.Stripes stripes) {
            open = false;
            for (Stripe stripe : stripes.all()) {
                if (stripe.get(Stripe.ENTERED) != stripe.get(Stripe.LEFT)) {
                    open = true;
                    return false;
                }
            }
            return true;
        }

        @Override
        void open() {
            open = true;
        }
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(6)
                .invocationsPerIteration(200)
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0);
    }

    @Test
    void nobodyIsInsideWhileTheGateIsClosed() {
        options().check(Real.class);
    }

    @Test
    void twinThatLooksFirstIsFoundOut() {
        assertThatThrownBy(() -> options().check(LooksFirst.class)).isInstanceOf(LincheckAssertionError.class);
    }
}
