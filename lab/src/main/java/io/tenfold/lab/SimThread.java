package io.tenfold.lab;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.sim.SimWorld;

/**
 * A thread of a simulated machine that has a processor for everybody who is awake: what it does takes time, and between being
 * woken and running there is time too, in which others run.
 */
final class SimThread implements SimWorld.Loop {
    private final Prng prng;
    private final long wakeNanosMin;
    private final long wakeNanosSpread;
    private Work work;
    private boolean asleep = true;
    private long runsAt;

    /** What a thread does. */
    @FunctionalInterface
    interface Work {
        /**
         * Does the next thing there is to do.
         *
         * @return for how many nanoseconds that keeps the thread; 0 if there was nothing, so that it sleeps until woken
         */
        long step();
    }

    /**
     * A thread that has just been woken.
     *
     * @param wakeNanosMin shortest time between being woken and running
     * @param wakeNanosMax longest, above the shortest; all between are equally likely
     */
    SimThread(Prng prng, long wakeNanosMin, long wakeNanosMax) {
        this.prng = prng;
        this.wakeNanosMin = wakeNanosMin;
        wakeNanosSpread = wakeNanosMax - wakeNanosMin;
    }

    void work(Work what) {
        work = what;
    }

    @Override
    public void turn(Shard shard) {
        long now = shard.clock().nanos();
        if (asleep) {
            asleep = false;
            runsAt = now + wakeNanosMin + prng.below(wakeNanosSpread);
        }
        if (now < runsAt) {
            shard.park(runsAt - now);
            return;
        }
        long took = work.step();
        asleep = took == 0;
        runsAt = now + took;
        shard.park(asleep ? Long.MAX_VALUE : took);
    }
}
