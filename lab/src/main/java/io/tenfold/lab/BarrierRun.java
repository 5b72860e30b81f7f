package io.tenfold.lab;

import io.tenfold.base.Clock;
import io.tenfold.raid.BarrierDesign;
import io.tenfold.raid.IoBarrier;

/** One run of one design of the barrier by itself, while nothing is raised: the child process's part of experiment A. */
final class BarrierRun {
    private static final long ARRAY_BYTES = 1L << 40;
    private static final int REQUEST_BYTES = 4096;

    /** An odd number of requests, so that all places have their turn, far from one another. */
    private static final long STEP_BYTES = REQUEST_BYTES * 0x9E3779BL;

    private BarrierRun() {}

    /** Arguments: design, threads, milliseconds to warm up, milliseconds to measure; prints how many pairs a second. */
    public static void main(String[] arguments) throws InterruptedException {
        System.out.println(perSecond(
                Clock.system(),
                BarrierDesign.valueOf(arguments[0]),
                Integer.parseInt(arguments[1]),
                ChildJvm.nanos(arguments[2]),
                ChildJvm.nanos(arguments[3])));
    }

    /** How many requests enter and leave a second, by all threads together; each has a stripe of its own. */
    static double perSecond(Clock clock, BarrierDesign design, int threads, long warmUpNanos, long measureNanos)
            throws InterruptedException {
        IoBarrier barrier = design.create(threads);
        return Repetition.perSecond(clock, threads, stripe -> new Requests(barrier, stripe), warmUpNanos, measureNanos);
    }

    private static final class Requests implements Repetition.Work {
        private final IoBarrier barrier;
        private final int stripe;
        private long offset;

        Requests(IoBarrier barrier, int stripe) {
            this.barrier = barrier;
            this.stripe = stripe;
            offset = stripe * (ARRAY_BYTES >> 8);
        }

        @Override
        public void batch() {
            long at = offset;
            for (int i = 0; i < Repetition.BATCH; i++) {
                at = at + STEP_BYTES & ARRAY_BYTES - 1;
                barrier.leave(stripe, barrier.tryEnter(stripe, at, REQUEST_BYTES));
            }
            offset = at;
        }
    }
}
