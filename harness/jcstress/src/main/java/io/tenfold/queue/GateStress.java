package io.tenfold.queue;

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

/** The orders that {@link Gate} states. */
public class GateStress {
    private GateStress() {}

    /** Knows whether it was woken. */
    private static final class Closer implements Waiter {
        private volatile boolean woken;

        @Override
        public void park(long nanosMax) {
            throw new AssertionError("parked: nanosMax=" + nanosMax);
        }

        @Override
        public void wake() {
            woken = true;
        }
    }

    /** O1: one who enters and one who closes cannot miss one another. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "inside, and seen there")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "stayed outside")
    @Outcome(id = "false, false", expect = ACCEPTABLE, desc = "stayed outside, but was seen to try")
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "inside, and the closer thinks that he is alone")
    @State
    public static class EnterAgainstClose {
        private final Gate gate = new Gate(1);
        private final Closer closer = new Closer();

        @Actor
        public void visitor(ZZ_Result r) {
            r.r1 = gate.enter(0, 1);
        }

        @Actor
        public void closer(ZZ_Result r) {
            gate.shut(closer);
            r.r2 = gate.isEmpty();
        }
    }

    /** O2: a closer who sees somebody inside is woken when he leaves. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "true, true"},
            expect = ACCEPTABLE,
            desc = "alone at once")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "sleeps, and is woken")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "sleeps for ever")
    @State
    public static class LeaveAgainstClose {
        private final Gate gate = new Gate(1);
        private final Closer closer = new Closer();

        public LeaveAgainstClose() {
            gate.enter(0, 1);
        }

        @Actor
        public void visitor() {
            gate.leave(0, 1);
        }

        @Actor
        public void closer(ZZ_Result r) {
            gate.shut(closer);
            r.r1 = gate.isEmpty();
        }

        @Arbiter
        public void look(ZZ_Result r) {
            r.r2 = closer.woken;
        }
    }

    /** O2: the same for one who takes his entry back. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "true, true"},
            expect = ACCEPTABLE,
            desc = "alone at once")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "sleeps, and is woken")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "sleeps for ever")
    @State
    public static class PassAgainstClose {
        private final Gate gate = new Gate(1);
        private final Closer closer = new Closer();

        @Actor
        public void visitor() {
            if (gate.enter(0, 1)) {
                gate.leave(0, 1);
            }
        }

        @Actor
        public void closer(ZZ_Result r) {
            gate.shut(closer);
            r.r1 = gate.isEmpty();
        }

        @Arbiter
        public void look(ZZ_Result r) {
            r.r2 = closer.woken;
        }
    }

    /** What was done inside is seen by a closer who finds himself alone. */
    @JCStressTest
    @Outcome(id = "1, 7", expect = ACCEPTABLE, desc = "alone, and the work is seen")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "somebody is inside")
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "alone without what was done")
    @State
    public static class WorkIsSeen {
        private final Gate gate = new Gate(1);
        private final Closer closer = new Closer();
        private int work;

        public WorkIsSeen() {
            gate.enter(0, 1);
        }

        @Actor
        public void visitor() {
            work = 7;
            gate.leave(0, 1);
        }

        @Actor
        public void closer(II_Result r) {
            gate.shut(closer);
            if (gate.isEmpty()) {
                r.r1 = 1;
                r.r2 = work;
            }
        }
    }
}
