package io.tenfold.raid;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.tenfold.base.Waiter;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** The orders that the designs of {@link IoBarrier}, {@link WindowRaiser} and {@link EntryWaiters} state. */
public class BarrierStress {
    private BarrierStress() {}

    /** Remembers a wake. */
    static final class Bell implements Waiter {
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

    /** A barrier and one window over all of the I/O. */
    static class Scene {
        final IoBarrier barrier;
        final Bell raiser = new Bell();
        final Bell loop = new Bell();
        final BarrierWindow window = new BarrierWindow(raiser);

        Scene(BarrierDesign design) {
            barrier = design.create(1);
            barrier.waiters().attach(0, loop);
        }

        final int enter() {
            return barrier.tryEnter(0, 0, 4096);
        }

        final boolean raise() {
            return barrier.windows().raise(window, 0, 4096);
        }
    }

    /** B1: who enters and who raises cannot miss one another. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true", "false, false"},
            expect = ACCEPTABLE)
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "inside a raised window")
    @State
    public static class EnterAgainstRaise {
        private final Scene scene = new Scene(BarrierDesign.WINDOWED);

        @Actor
        public void io(ZZ_Result r) {
            r.r1 = scene.enter() != IoBarrier.TURNED_AWAY;
        }

        @Actor
        public void resync(ZZ_Result r) {
            r.r2 = scene.raise();
        }
    }

    /** Q1: the same for the sequence lock. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true", "false, false"},
            expect = ACCEPTABLE)
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "inside a raised window")
    @State
    public static class EnterAgainstRaiseBySequence {
        private final Scene scene = new Scene(BarrierDesign.SEQUENCE_LOCK);

        @Actor
        public void io(ZZ_Result r) {
            r.r1 = scene.enter() != IoBarrier.TURNED_AWAY;
        }

        @Actor
        public void resync(ZZ_Result r) {
            r.r2 = scene.raise();
        }
    }

    /** B2: what was done inside is seen by whoever raised the window. */
    @JCStressTest
    @Outcome(id = "7, 1", expect = ACCEPTABLE, desc = "raised, and the write is seen")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "not raised yet")
    @Outcome(id = "0, 1", expect = FORBIDDEN, desc = "raised without what was written")
    @State
    public static class LeaveAgainstRaise {
        private final Scene scene = new Scene(BarrierDesign.WINDOWED);
        private final int ticket = scene.enter();
        private int work;

        @Actor
        public void io() {
            work = 7;
            scene.barrier.leave(0, ticket);
        }

        @Actor
        public void resync(II_Result r) {
            if (scene.raise()) {
                r.r1 = work;
                r.r2 = 1;
            }
        }
    }

    /** R1: a raise that is not through at once is woken by whoever leaves, and by whoever takes a count back. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "raised, or woken, or still waiting for somebody")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "sleeps for ever")
    @State
    public static class RaiserIsWoken {
        private final Scene scene = new Scene(BarrierDesign.WINDOWED);
        private boolean raised;

        @Actor
        public void io() {
            int ticket = scene.enter();
            if (ticket != IoBarrier.TURNED_AWAY) {
                scene.barrier.leave(0, ticket);
            }
        }

        @Actor
        public void resync() {
            raised = scene.raise();
        }

        @Arbiter
        public void sleeper(Z_Result r) {
            r.r1 = raised || scene.raiser.rung;
        }
    }

    /** R1 and Q2: the same for the sequence lock. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "raised, or woken")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "sleeps for ever")
    @State
    public static class RaiserIsWokenBySequence {
        private final Scene scene = new Scene(BarrierDesign.SEQUENCE_LOCK);
        private boolean raised;

        @Actor
        public void io() {
            int ticket = scene.enter();
            if (ticket != IoBarrier.TURNED_AWAY) {
                scene.barrier.leave(0, ticket);
            }
        }

        @Actor
        public void resync() {
            raised = scene.raise();
        }

        @Arbiter
        public void sleeper(Z_Result r) {
            r.r1 = raised || scene.raiser.rung;
        }
    }

    /** E1: who announced itself and tried once more is in, or is woken. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "in, or woken")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "sleeps for ever")
    @State
    public static class WaitingEntryIsWoken {
        private final Scene scene = new Scene(BarrierDesign.WINDOWED);
        private int ticket;

        public WaitingEntryIsWoken() {
            scene.raise();
        }

        @Actor
        public void io() {
            scene.barrier.waiters().start(0);
            ticket = scene.enter();
        }

        @Actor
        public void resync() {
            scene.barrier.windows().lower(scene.window);
        }

        @Arbiter
        public void sleeper(Z_Result r) {
            r.r1 = ticket != IoBarrier.TURNED_AWAY || scene.loop.rung;
        }
    }

    /** E2: a raise that waits for its turn has it, or is woken, when the last that waited stops. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "raised, or woken")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "sleeps for ever")
    @State
    public static class TurnIsNotLost {
        private final Scene scene = new Scene(BarrierDesign.WINDOWED);
        private boolean raised;

        public TurnIsNotLost() {
            scene.barrier.waiters().start(0);
        }

        @Actor
        public void io() {
            scene.barrier.waiters().stop(0);
        }

        @Actor
        public void resync() {
            raised = scene.raise();
        }

        @Arbiter
        public void sleeper(Z_Result r) {
            r.r1 = raised || scene.raiser.rung;
        }
    }
}
