package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Waiter;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * In interleavings of one that does I/O and one that raises: nobody is inside a raised window, and nobody sleeps on when
 * what it waits for has happened.
 */
class IoBarrierLincheckTest {
    /** Remembers a wake. */
    public static final class Bell implements Waiter {
        private volatile boolean rung;

        @Override
        public void park(long nanosMax) {
            throw new AssertionError("nobody parks here");
        }

        @Override
        public void wake() {
            rung = true;
        }
    }

    /** Each operation answers whether it saw what must not be. */
    public abstract static class Exclusion {
        private final BarrierWindow window = new BarrierWindow(new Bell());
        private final IoBarrier barrier;
        private volatile boolean raised;
        private volatile int inside;

        Exclusion(BarrierDesign design) {
            barrier = design.create(1);
        }

        int tryEnter(IoBarrier through) {
            return through.tryEnter(0, 0, 4096);
        }

        @Operation(nonParallelGroup = "io")
        public boolean io() {
            boolean wrong = false;
            int ticket = tryEnter(barrier);
            if (ticket != IoBarrier.TURNED_AWAY) {
                inside = 1;
                wrong = raised;
                inside = 0;
                barrier.leave(0, ticket);
            }
            return wrong;
        }

        @Operation(nonParallelGroup = "resync")
        public boolean resync() {
            boolean wrong = false;
            if (barrier.windows().raise(window, 0, 4096)) {
                raised = true;
                wrong = inside != 0;
                raised = false;
            }
            barrier.windows().lower(window);
            return wrong;
        }
    }

    public static class WindowedExclusion extends Exclusion {
        public WindowedExclusion() {
            super(BarrierDesign.WINDOWED);
        }
    }

    public static class SpinlockExclusion extends Exclusion {
        public SpinlockExclusion() {
            super(BarrierDesign.SPINLOCK);
        }
    }

    public static class AtomicPendingExclusion extends Exclusion {
        public AtomicPendingExclusion() {
            super(BarrierDesign.ATOMIC_PENDING);
        }
    }

    public static class SequenceExclusion extends Exclusion {
        public SequenceExclusion() {
            super(BarrierDesign.SEQUENCE_LOCK);
        }
    }

    /** The twin: looks whether it may enter, and is counted then. */
    public static class LooksFirst extends Exclusion {
        public LooksFirst() {
            super(BarrierDesign.WINDOWED);
        }

        @Override
        int tryEnter(IoBarrier through) {
            int ticket = through.tryEnter(0, 0, 4096);
            if (ticket == IoBarrier.TURNED_AWAY) {
                return ticket;
            }
            through.leave(0, ticket);
            return through.pass(0, 0, 4096);
        }
    }

    /** Who does I/O and finds a window raised waits; the window is lowered in the end. */
    public abstract static class EntrySleeps {
        final IoBarrier barrier;
        final Bell loop = new Bell();
        private final BarrierWindow window = new BarrierWindow(new Bell());
        private volatile boolean asleep;

        EntrySleeps(BarrierDesign design) {
            barrier = design.create(1);
            barrier.waiters().attach(0, loop);
        }

        boolean triesOnceMore() {
            return true;
        }

        @Operation(nonParallelGroup = "io", runOnce = true)
        public void io() {
            int ticket = barrier.tryEnter(0, 0, 4096);
            if (ticket == IoBarrier.TURNED_AWAY) {
                barrier.waiters().start(0);
                ticket = triesOnceMore() ? barrier.tryEnter(0, 0, 4096) : ticket;
            }
            asleep = ticket == IoBarrier.TURNED_AWAY;
        }

        @Operation(nonParallelGroup = "resync")
        public void resync() {
            barrier.windows().raise(window, 0, 4096);
            barrier.windows().lower(window);
        }

        @Validate
        public void nobodySleepsOn() {
            if (asleep && !loop.rung) {
                throw new AssertionError("the window is lowered, and who waited for it sleeps");
            }
        }
    }

    public static class WindowedEntrySleeps extends EntrySleeps {
        public WindowedEntrySleeps() {
            super(BarrierDesign.WINDOWED);
        }
    }

    public static class SequenceEntrySleeps extends EntrySleeps {
        public SequenceEntrySleeps() {
            super(BarrierDesign.SEQUENCE_LOCK);
        }
    }

    /** The twin: announces itself and parks without a second try. */
    public static class ParksAtOnce extends EntrySleeps {
        public ParksAtOnce() {
            super(BarrierDesign.WINDOWED);
        }

        @Override
        boolean triesOnceMore() {
            return false;
        }
    }

    /** Who raises waits for those inside; all leave in the end. */
    public abstract static class RaiserSleeps {
        final IoBarrier barrier;
        final Bell raiser = new Bell();
        private final BarrierWindow window = new BarrierWindow(raiser);
        private volatile boolean asleep;

        RaiserSleeps(BarrierDesign design) {
            barrier = design.create(1);
        }

        @Operation(nonParallelGroup = "io")
        public void io() {
            int ticket = barrier.tryEnter(0, 0, 4096);
            if (ticket != IoBarrier.TURNED_AWAY) {
                barrier.leave(0, ticket);
            }
        }

        @Operation(nonParallelGroup = "resync", runOnce = true)
        public void resync() {
            asleep = !barrier.windows().raise(window, 0, 4096);
        }

        @Validate
        public void nobodySleepsOn() {
            if (asleep && !raiser.rung) {
                throw new AssertionError("all have left, and who raises sleeps");
            }
        }
    }

    public static class WindowedRaiserSleeps extends RaiserSleeps {
        public WindowedRaiserSleeps() {
            super(BarrierDesign.WINDOWED);
        }
    }

    public static class SequenceRaiserSleeps extends RaiserSleeps {
        public SequenceRaiserSleeps() {
            super(BarrierDesign.SEQUENCE_LOCK);
        }
    }

    /** The twin: a sequence lock that takes its count back and tells nobody, as the kernel's first version did. */
    public static class TakesBackSilently {
        private final Bell raiser = new Bell();
        private final AtomicInteger inside = new AtomicInteger();
        private volatile boolean closed;
        private volatile boolean asleep;

        @Operation(nonParallelGroup = "io")
        public void io() {
            if (!closed) {
                inside.incrementAndGet();
                if (closed) {
                    inside.decrementAndGet();
                } else if (inside.decrementAndGet() == 0 && closed) {
                    raiser.wake();
                }
            }
        }

        @Operation(nonParallelGroup = "resync", runOnce = true)
        public void resync() {
            closed = true;
            asleep = inside.get() != 0;
        }

        @Validate
        public void nobodySleepsOn() {
            if (asleep && !raiser.rung) {
                throw new AssertionError("all have left, and who raises sleeps");
            }
        }
    }

    /** Two short threads, looked through far: what is wrong in a pair of calls shows in one pair. */
    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(1)
                .invocationsPerIteration(1000)
                .threads(2)
                .actorsPerThread(1)
                .actorsBefore(0)
                .actorsAfter(0)
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses("java.util.ArrayList", "java.util.ArrayDeque")
                        .allMethods()
                        .ignore());
    }

    @Test
    void nobodyIsInsideARaisedWindow() {
        options().check(WindowedExclusion.class);
        options().check(SpinlockExclusion.class);
        options().check(AtomicPendingExclusion.class);
        options().check(SequenceExclusion.class);
    }

    @Test
    void twinThatLooksFirstIsFoundOut() {
        assertThatThrownBy(() -> options().check(LooksFirst.class)).isInstanceOf(LincheckAssertionError.class);
    }

    @Test
    void whoWaitsToEnterIsWoken() {
        options().check(WindowedEntrySleeps.class);
        options().check(SequenceEntrySleeps.class);
    }

    @Test
    void twinThatParksAtOnceIsFoundOut() {
        assertThatThrownBy(() -> options().check(ParksAtOnce.class)).isInstanceOf(LincheckAssertionError.class);
    }

    @Test
    void whoRaisesIsWoken() {
        options().check(WindowedRaiserSleeps.class);
        options().check(SequenceRaiserSleeps.class);
    }

    @Test
    void twinThatTakesItsCountBackSilentlyIsFoundOut() {
        assertThatThrownBy(() -> options().check(TakesBackSilently.class)).isInstanceOf(LincheckAssertionError.class);
    }
}
