package io.tenfold.raid;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The orders that {@link WriteRanges} states. */
public class WriteRangesStress {
    private static final long WORD_BYTES = 64L * WriteRanges.GRANULE;

    private WriteRangesStress() {}

    /** R1: one of two that want the same takes it, in one word or in two. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "the first has it")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "the second has it")
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "both write the same blocks")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "they kept one another out")
    @State
    public static class Exclusion {
        private final WriteRanges ranges = new WriteRanges(() -> {});

        @Actor
        public void first(ZZ_Result r) {
            r.r1 = ranges.tryAcquire(WORD_BYTES - WriteRanges.GRANULE, 2 * WriteRanges.GRANULE);
        }

        @Actor
        public void second(ZZ_Result r) {
            r.r2 = ranges.tryAcquire(0, 2 * WORD_BYTES);
        }
    }

    /** O1: who takes a range sees what the last holder did. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "still held")
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "handed over, with what was done under it")
    @Outcome(expect = FORBIDDEN, desc = "handed over without")
    @State
    public static class HandOver {
        private final WriteRanges ranges = new WriteRanges(() -> {});
        private int work;

        public HandOver() {
            ranges.tryAcquire(0, WriteRanges.GRANULE);
        }

        @Actor
        public void holder() {
            work = 7;
            ranges.release(0, WriteRanges.GRANULE);
        }

        @Actor
        public void next(I_Result r) {
            r.r1 = ranges.tryAcquire(0, WriteRanges.GRANULE) ? work : -1;
        }
    }

    /** O2: whoever announced himself and failed once more is woken. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "has it, and is woken for nothing")
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "has it")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "parks, and is woken")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "sleeps for ever")
    @State
    public static class LostWakeUp {
        private final WriteRanges ranges = new WriteRanges(this::wake);
        private boolean got;
        private volatile boolean woken;

        public LostWakeUp() {
            ranges.tryAcquire(0, WriteRanges.GRANULE);
        }

        private void wake() {
            woken = true;
        }

        @Actor
        public void holder() {
            ranges.release(0, WriteRanges.GRANULE);
        }

        @Actor
        public void waiter() {
            ranges.startWaiting();
            got = ranges.tryAcquire(0, WriteRanges.GRANULE);
        }

        @Arbiter
        public void look(ZZ_Result r) {
            r.r1 = got;
            r.r2 = woken;
        }
    }

    /** O3: a try that gave back what it had taken wakes whoever failed on that. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "has it, and is woken for nothing")
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "has it")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "parks, and is woken")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "sleeps for ever")
    @State
    public static class FailedTry {
        private final WriteRanges ranges = new WriteRanges(this::wake);
        private boolean got;
        private volatile boolean woken;

        public FailedTry() {
            ranges.tryAcquire(WORD_BYTES, WriteRanges.GRANULE);
        }

        private void wake() {
            woken = true;
        }

        @Actor
        public void failing() {
            ranges.tryAcquire(0, 2 * WORD_BYTES);
        }

        @Actor
        public void waiter() {
            ranges.startWaiting();
            got = ranges.tryAcquire(0, WriteRanges.GRANULE);
        }

        @Arbiter
        public void look(ZZ_Result r) {
            r.r1 = got;
            r.r2 = woken;
        }
    }
}
