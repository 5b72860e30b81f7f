package io.tenfold.raid;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The orders that {@link WriteGate} states. */
public class WriteGateStress {
    private WriteGateStress() {}

    /** O1: a writer that gets in and a gate that closes cannot miss one another. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "the write goes on, the gate stays open")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "closed before the writer came")
    @Outcome(id = "false, false", expect = ACCEPTABLE, desc = "both stood back")
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "a write under way in an array marked clean")
    @State
    public static class EnterAgainstClose {
        private final WriteGate gate = new WriteGate();
        private final Stripe stripe = new Stripe();
        private final Stripe[] stripes = {stripe};

        public EnterAgainstClose() {
            gate.open();
        }

        @Actor
        public void writer(ZZ_Result r) {
            r.r1 = gate.enter(stripe);
        }

        @Actor
        public void conductor(ZZ_Result r) {
            r.r2 = gate.close(() -> stripes);
        }
    }

    /** O2: what was done inside is seen by whoever closed the gate. */
    @JCStressTest
    @Outcome(id = "7, 1", expect = ACCEPTABLE, desc = "closed, and the write is seen")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "not closed")
    @Outcome(id = "0, 1", expect = FORBIDDEN, desc = "closed without what was written")
    @State
    public static class LeaveAgainstClose {
        private final WriteGate gate = new WriteGate();
        private final Stripe stripe = new Stripe();
        private final Stripe[] stripes = {stripe};
        private int work;

        public LeaveAgainstClose() {
            gate.open();
            gate.enter(stripe);
        }

        @Actor
        public void writer() {
            work = 7;
            gate.leave(stripe);
        }

        @Actor
        public void conductor(II_Result r) {
            if (gate.close(() -> stripes)) {
                r.r1 = work;
                r.r2 = 1;
            }
        }
    }
}
