package io.tenfold.lab;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** How many atomic additions this machine does: the least that anything which hands out tags must do for each. */
final class AtomicAdds {
    private static final int BATCH = 1024;

    private AtomicAdds() {}

    /**
     * Additions a second, all threads together.
     *
     * @param threads how many, all on one word
     */
    static double perSecond(Clock clock, int threads, long warmUpNanos, long measureNanos) throws InterruptedException {
        AtomicLong word = new AtomicLong();
        AtomicLong stop = new AtomicLong();
        CountDownLatch started = new CountDownLatch(threads);
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            running.add(Thread.ofPlatform().start(() -> {
                started.countDown();
                while (stop.getOpaque() == 0) {
                    for (int add = 0; add < BATCH; add++) {
                        word.getAndAdd(1);
                    }
                }
            }));
        }
        started.await();
        Shard self = Shard.ofCaller(0, clock);
        pass(clock, self, warmUpNanos);
        long before = word.get();
        long start = clock.nanos();
        pass(clock, self, measureNanos);
        double perSecond = (word.get() - before) * 1e9 / (clock.nanos() - start);
        stop.setOpaque(1);
        for (Thread thread : running) {
            thread.join();
        }
        return perSecond;
    }

    private static void pass(Clock clock, Shard self, long nanos) {
        long end = clock.nanos() + nanos;
        for (long now = clock.nanos(); now < end; now = clock.nanos()) {
            self.park(end - now);
        }
    }
}
