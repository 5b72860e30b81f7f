package io.tenfold.raid;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The orders that {@link FailureReports} states. */
public class FailureReportsStress {
    private static final MemberFailure FAILURE = new MemberFailure(null, Op.WRITE, 0, 512, IoStatus.IO_ERROR);
    private static final RangeReport RANGE = new RangeReport(null, 0, 512, true);

    private FailureReportsStress() {}

    /** A report whose ticket the conductor sees drawn is there to be taken. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "no ticket yet, or the report is there")
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "the conductor would call a report handled that it never saw")
    @State
    public static class ReportAgainstLook {
        private final FailureReports reports = new FailureReports(1);

        @Actor
        public void channel() {
            reports.report(0, FAILURE);
        }

        @Actor
        public void conductor(II_Result r) {
            r.r1 = (int) reports.drawn();
            r.r2 = reports.take(0) == null ? 0 : 1;
        }
    }

    /** The same for a report about a range. */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "0, 1", "1, 1"},
            expect = ACCEPTABLE,
            desc = "no ticket yet, or the report is there")
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "the conductor would call a report handled that it never saw")
    @State
    public static class RangeAgainstLook {
        private final FailureReports reports = new FailureReports(1);

        @Actor
        public void channel() {
            reports.report(RANGE);
        }

        @Actor
        public void conductor(II_Result r) {
            r.r1 = (int) reports.drawn();
            r.r2 = reports.takeRange() == null ? 0 : 1;
        }
    }

    /** Whoever sees a ticket handled sees what was decided. */
    @JCStressTest
    @Outcome(
            id = {"-1", "7"},
            expect = ACCEPTABLE)
    @Outcome(expect = FORBIDDEN, desc = "handled, but the decision is not seen")
    @State
    public static class DecisionAgainstHandled {
        private final FailureReports reports = new FailureReports(1);
        private int decision;

        @Actor
        public void conductor() {
            decision = 7;
            reports.handled(1);
        }

        @Actor
        public void channel(I_Result r) {
            r.r1 = reports.handled() >= 1 ? decision : -1;
        }
    }
}
