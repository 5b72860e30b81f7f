package io.tenfold.base;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A twin of {@link WakeFlag} that lacks its order. jcstress must find it out, or it would find nothing in the real one. */
public class WakeFlagWeakened {
    private WakeFlagWeakened() {}

    /** Two words, each written by release and the other then read by acquire: Dekker's handshake without its fences. */
    @JCStressTest
    @Outcome(
            id = {"true, true", "false, false", "false, true"},
            expect = ACCEPTABLE)
    @Outcome(id = "true, false", expect = FORBIDDEN, desc = "asleep, and nobody rings")
    @State
    public static class TwoWords {
        private static final VarHandle ASLEEP = handle("asleep");
        private static final VarHandle WOKEN = handle("woken");

        private boolean asleep;
        private boolean woken;

        @Actor
        public void owner(ZZ_Result r) {
            ASLEEP.setRelease(this, true);
            r.r1 = !(boolean) WOKEN.getAcquire(this);
        }

        @Actor
        public void waker(ZZ_Result r) {
            WOKEN.setRelease(this, true);
            r.r2 = (boolean) ASLEEP.getAcquire(this);
        }

        private static VarHandle handle(String field) {
            try {
                return MethodHandles.lookup().findVarHandle(TwoWords.class, field, boolean.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }
}
