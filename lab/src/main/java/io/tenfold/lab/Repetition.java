package io.tenfold.lab;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.base.StripedCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;

/** Threads that each do one thing again and again, as fast as they can. */
final class Repetition {
    /** How often a thread does its thing between two looks at whether it is enough. */
    static final int BATCH = 1024;

    private Repetition() {}

    /** What one thread does, and what it alone needs for that. */
    @FunctionalInterface
    interface Work {
        /** Does it {@link #BATCH} times. */
        void batch();
    }

    /** A flag in a line that nobody writes until the end. */
    private static final class Stop {
        volatile boolean now;
    }

    /**
     * How often a second, all threads together.
     *
     * @param threads how many, above 0
     * @param measureNanos for how long; longer if nothing is done in that time
     * @param work makes what the thread of an index, {@code 0 .. threads-1}, does; called by that thread
     */
    static double perSecond(Clock clock, int threads, IntFunction<Work> work, long warmUpNanos, long measureNanos)
            throws InterruptedException {
        StripedCounter batches = new StripedCounter(threads);
        Stop stop = new Stop();
        CountDownLatch started = new CountDownLatch(threads);
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int index = i;
            running.add(Thread.ofPlatform().daemon().start(() -> {
                Work own = work.apply(index);
                started.countDown();
                while (!stop.now) {
                    own.batch();
                    batches.add(index, 1);
                }
            }));
        }
        started.await();
        Shard self = Shard.ofCaller(0, clock);
        pass(clock, self, warmUpNanos);
        long before = batches.sum();
        long start = clock.nanos();
        do {
            pass(clock, self, measureNanos);
        } while (batches.sum() == before); // On a busy machine a short time is not enough to see anything.
        double perSecond = (batches.sum() - before) * BATCH * 1e9 / (clock.nanos() - start);
        stop.now = true;
        for (Thread thread : running) {
            thread.join();
        }
        return perSecond;
    }

    /** Lets time pass. */
    static void pass(Clock clock, Shard self, long nanos) {
        long end = clock.nanos() + nanos;
        for (long now = clock.nanos(); now < end; now = clock.nanos()) {
            self.park(end - now);
        }
    }
}
