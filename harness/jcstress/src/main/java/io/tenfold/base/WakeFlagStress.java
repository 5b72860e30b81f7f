package io.tenfold.base;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** What {@link WakeFlag} states. */
public class WakeFlagStress {
    private WakeFlagStress() {}

    /** W1, W2: of an owner that goes to sleep and a waker, one sees the other. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "asleep, and will be rung")
    @Outcome(id = "false, false", expect = ACCEPTABLE, desc = "woken before it slept")
    @Outcome(id = "true, false", expect = FORBIDDEN, desc = "asleep, and nobody rings")
    @Outcome(id = "false, true", expect = FORBIDDEN, desc = "awake, and yet rung")
    @State
    public static class EnterAgainstWake {
        private final WakeFlag flag = new WakeFlag();

        @Actor
        public void owner(ZZ_Result r) {
            r.r1 = flag.enter();
        }

        @Actor
        public void waker(ZZ_Result r) {
            r.r2 = flag.wake();
        }
    }

    /** What a waker wrote is seen by an owner that finds the wake. */
    @JCStressTest
    @Outcome(id = "false, 7", expect = ACCEPTABLE, desc = "woken, and the work is seen")
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "goes to sleep first")
    @Outcome(id = "true, 7", expect = ACCEPTABLE, desc = "goes to sleep first, and sees the work already")
    @Outcome(id = "false, 0", expect = FORBIDDEN, desc = "woken for work that it does not see")
    @State
    public static class WorkIsSeen {
        private final WakeFlag flag = new WakeFlag();
        private int work;

        @Actor
        public void owner(ZI_Result r) {
            r.r1 = flag.enter();
            r.r2 = work;
        }

        @Actor
        public void waker() {
            work = 7;
            flag.wake();
        }
    }
}
