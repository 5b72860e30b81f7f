package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Who sees his ticket handled finds the member dealt with, in every interleaving: nothing is acknowledged too early. */
class FailureReportsLincheckTest {
    /** Two channels that report the same member, and a conductor; a channel answers whether it saw what must not be. */
    public abstract static class Scene {
        private volatile boolean dealtWith;
        private volatile long handled;

        abstract long report();

        abstract long drawn();

        abstract boolean take();

        @Operation(nonParallelGroup = "one")
        public boolean reportOne() {
            return reportAndLook();
        }

        @Operation(nonParallelGroup = "two")
        public boolean reportTwo() {
            return reportAndLook();
        }

        private boolean reportAndLook() {
            long ticket = report();
            return handled() >= ticket && !dealtWith;
        }

        @Operation(nonParallelGroup = "conductor")
        public void deal() {
            long drawn = drawn();
            if (take()) {
                dealtWith = true;
            }
            handled(drawn);
        }

        void handled(long ticket) {
            handled = ticket;
        }

        long handled() {
            return handled;
        }
    }

    /** With the reports as they are. */
    public static class Real extends Scene {
        private static final MemberFailure FAILURE = new MemberFailure(null, Op.WRITE, 0, 512, IoStatus.IO_ERROR);

        private final FailureReports reports = new FailureReports(1);

        @Override
        long report() {
            return reports.report(0, FAILURE);
        }

        @Override
        long drawn() {
            return reports.drawn();
        }

        @Override
        boolean take() {
            return reports.take(0) != null;
        }

        @Override
        void handled(long ticket) {
            reports.handled(ticket);
        }

        @Override
        long handled() {
            return reports.handled();
        }
    }

    /** With reports about ranges. */
    public static class Ranges extends Scene {
        private static final RangeReport RANGE = new RangeReport(null, 0, 512, true);

        private final FailureReports reports = new FailureReports(1);

        @Override
        long report() {
            return reports.report(RANGE);
        }

        @Override
        long drawn() {
            return reports.drawn();
        }

        @Override
        boolean take() {
            return reports.takeRange() != null;
        }

        @Override
        void handled(long ticket) {
            reports.handled(ticket);
        }

        @Override
        long handled() {
            return reports.handled();
        }
    }

    /** With a twin whose reporter draws his ticket before he leaves his report. */
    public static class TicketFirst extends Scene {
        private final AtomicBoolean reported = new AtomicBoolean();
        private final AtomicLong tickets = new AtomicLong();

        @Override
        long report() {
            long ticket = tickets.incrementAndGet();
            reported.set(true);
            return ticket;
        }

        @Override
        long drawn() {
            return tickets.get();
        }

        @Override
        boolean take() {
            return reported.getAndSet(false);
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
    void handledMeansDealtWith() {
        options().check(Real.class);
        options().check(Ranges.class);
    }

    @Test
    void twinThatDrawsItsTicketFirstIsFoundOut() {
        assertThatThrownBy(() -> options().check(TicketFirst.class)).isInstanceOf(LincheckAssertionError.class);
    }
}
