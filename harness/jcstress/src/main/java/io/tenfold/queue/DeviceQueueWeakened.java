package io.tenfold.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Twins that lack one order or step each. jcstress must find them out, or it would find nothing in the real ones either. */
public class DeviceQueueWeakened {
    private DeviceQueueWeakened() {}

    /** {@link Gate} O1 whose visitor counts himself with a release store, which his look at CLOSED may overtake. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true", "false, false"},
            expect = ACCEPTABLE)
    @Outcome(id = "true, true", expect = FORBIDDEN, desc = "inside, and the closer thinks that he is alone")
    @State
    public static class GateEnteredByRelease {
        private static final VarHandle CELL = handle(GateEnteredByRelease.class, "cell", long.class);
        private static final VarHandle CLOSED = handle(GateEnteredByRelease.class, "closed", long.class);

        private long cell;
        private long closed;

        @Actor
        public void visitor(ZZ_Result r) {
            CELL.setRelease(this, 1L);
            r.r1 = (long) CLOSED.getVolatile(this) == 0;
        }

        @Actor
        public void closer(ZZ_Result r) {
            CLOSED.getAndAdd(this, 1L);
            r.r2 = (long) CELL.getVolatile(this) == 0;
        }
    }

    /** {@link Gate} O2 whose visitor leaves with a release store. */
    @JCStressTest
    @Outcome(
            id = {"true, true", "true, false", "false, true"},
            expect = ACCEPTABLE)
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "sleeps for ever")
    @State
    public static class GateLeftByRelease {
        private static final VarHandle CELL = handle(GateLeftByRelease.class, "cell", long.class);
        private static final VarHandle CLOSED = handle(GateLeftByRelease.class, "closed", long.class);

        private long cell = 1;
        private long closed;

        @Actor
        public void visitor(ZZ_Result r) {
            CELL.setRelease(this, 0L);
            r.r2 = (long) CLOSED.getVolatile(this) != 0;
        }

        @Actor
        public void closer(ZZ_Result r) {
            CLOSED.getAndAdd(this, 1L);
            r.r1 = (long) CELL.getVolatile(this) == 0;
        }
    }

    /** {@link PieceInbox} whose taker looks and empties it in two steps. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0"},
            expect = ACCEPTABLE)
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a piece is lost")
    @State
    public static class InboxTakenInTwoSteps {
        private volatile Object top;

        @Actor
        public void pusher() {
            top = this;
        }

        @Actor
        public void taker(II_Result r) {
            r.r1 = top == null ? 0 : 1;
            top = null;
        }

        @Arbiter
        public void look(II_Result r) {
            r.r2 = top == null ? 0 : 1;
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
