package io.tenfold.raid;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Twins of the barrier that lack one order each. jcstress must find them out. */
public class BarrierWeakened {
    private BarrierWeakened() {}

    /** Two cells; each actor stores one and reads the other, the first by weaker means than {@link IoBarrier} asks for. */
    static class Pair {
        static final VarHandle MINE = handle("mine");

        int mine;
        volatile int theirs;

        private static VarHandle handle(String field) {
            try {
                return MethodHandles.lookup().findVarHandle(Pair.class, field, int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }

    /** {@link WindowedBarrier} B1 with a release store of the count. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true", "false, false"},
            expect = ACCEPTABLE)
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "inside a raised window")
    @State
    public static class EnteredByRelease {
        private final Pair pair = new Pair();

        @Actor
        public void io(ZZ_Result r) {
            Pair.MINE.setRelease(pair, 1); // The count.
            r.r1 = pair.theirs == 0; // Nothing is shown: in.
        }

        @Actor
        public void resync(ZZ_Result r) {
            pair.theirs = 1;
            r.r2 = (int) Pair.MINE.getVolatile(pair) == 0;
        }
    }

    /** {@link WindowRaiser} R1 with a release store of the count on leaving. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true", "false, false"},
            expect = ACCEPTABLE)
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "the raiser sleeps for ever")
    @State
    public static class LeftByRelease {
        private final Pair pair = new Pair();

        public LeftByRelease() {
            pair.mine = 1;
        }

        @Actor
        public void io(ZZ_Result r) {
            Pair.MINE.setRelease(pair, 0);
            r.r1 = pair.theirs == 0; // Nobody to wake.
        }

        @Actor
        public void resync(ZZ_Result r) {
            pair.theirs = 1; // It waits.
            r.r2 = (int) Pair.MINE.getVolatile(pair) == 1; // Somebody is inside.
        }
    }

    /** {@link EntryWaiters} E1 with a release store of the announcement. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true", "false, false"},
            expect = ACCEPTABLE)
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "the entry sleeps for ever")
    @State
    public static class WaitingEntryAnnouncedByRelease {
        private final Pair pair = new Pair();

        @Actor
        public void io(ZZ_Result r) {
            Pair.MINE.setRelease(pair, 1);
            r.r1 = pair.theirs == 0; // Still raised.
        }

        @Actor
        public void resync(ZZ_Result r) {
            pair.theirs = 1; // Lowered.
            r.r2 = (int) Pair.MINE.getVolatile(pair) == 0; // Nobody to wake.
        }
    }

    /** {@link EntryWaiters} E2 with a release store of the last waiter's end. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true", "false, false"},
            expect = ACCEPTABLE)
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "the raiser's turn is lost")
    @State
    public static class LastWaiterGoesByRelease {
        private final Pair pair = new Pair();

        public LastWaiterGoesByRelease() {
            pair.mine = 1;
        }

        @Actor
        public void io(ZZ_Result r) {
            Pair.MINE.setRelease(pair, 0);
            r.r1 = pair.theirs == 0; // Nobody is next.
        }

        @Actor
        public void resync(ZZ_Result r) {
            pair.theirs = 1; // It is next.
            r.r2 = (int) Pair.MINE.getVolatile(pair) == 1; // Somebody waits.
        }
    }

    /** {@link SequenceBarrier} Q1 with the second look before the count. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true", "false, false"},
            expect = ACCEPTABLE)
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "inside a raised window")
    @State
    public static class SequenceReadBeforeCounting {
        private final Pair pair = new Pair();

        @Actor
        public void io(ZZ_Result r) {
            r.r1 = pair.theirs == 0;
            Pair.MINE.getAndAdd(pair, 1);
        }

        @Actor
        public void resync(ZZ_Result r) {
            pair.theirs = 1;
            r.r2 = (int) Pair.MINE.getVolatile(pair) == 0;
        }
    }
}
