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

/** Twins that lack one order each. jcstress must find them out, or it would find nothing in the real ones either. */
public class RaidWeakened {
    private RaidWeakened() {}

    /** {@link WriteGate} whose writer announces itself with a release store: it may overtake nothing, but be overtaken. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true", "false, false"},
            expect = ACCEPTABLE)
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "a write under way in an array marked clean")
    @State
    public static class GateEnteredByRelease {
        private static final VarHandle ENTERED = handle(GateEnteredByRelease.class, "entered", int.class);

        private volatile boolean open = true;
        private int entered;

        @Actor
        public void writer(ZZ_Result r) {
            ENTERED.setRelease(this, 1);
            r.r1 = open;
        }

        @Actor
        public void conductor(ZZ_Result r) {
            open = false;
            r.r2 = (int) ENTERED.getVolatile(this) == 0;
        }
    }

    /** {@link WriteRanges} whose waiter announces itself with a release store. */
    @JCStressTest
    @Outcome(
            id = {"true, true", "true, false", "false, true"},
            expect = ACCEPTABLE)
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "sleeps for ever")
    @State
    public static class WaiterAnnouncedByRelease {
        private static final VarHandle WAITING = handle(WaiterAnnouncedByRelease.class, "waiting", int.class);
        private static final VarHandle WORD = handle(WaiterAnnouncedByRelease.class, "word", long.class);

        private long word = 1;
        private int waiting;

        @Actor
        public void waiter(ZZ_Result r) {
            WAITING.setRelease(this, 1);
            r.r1 = (long) WORD.getVolatile(this) == 0;
        }

        @Actor
        public void holder(ZZ_Result r) {
            WORD.getAndBitwiseAnd(this, ~1L);
            r.r2 = (int) WAITING.getVolatile(this) > 0;
        }
    }

    /** {@link FailureReports} whose reporter draws his ticket before he leaves his report. */
    @JCStressTest
    @Outcome(
            id = {"false, false", "false, true", "true, true"},
            expect = ACCEPTABLE)
    @Outcome(id = "true, false", expect = FORBIDDEN, desc = "a report would be called handled that nobody saw")
    @State
    public static class TicketDrawnFirst {
        private volatile int tickets;
        private volatile boolean reported;

        @Actor
        public void channel() {
            tickets = 1;
            reported = true;
        }

        @Actor
        public void conductor(ZZ_Result r) {
            r.r1 = tickets == 1;
            r.r2 = reported;
        }
    }

    private static VarHandle handle(Class<?> owner, String field, Class<?> type) {
        try {
            return MethodHandles.privateLookupIn(owner, MethodHandles.lookup()).findVarHandle(owner, field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
