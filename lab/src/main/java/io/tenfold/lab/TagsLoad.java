package io.tenfold.lab;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.base.StripedCounter;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Threads that each keep some reads in flight on one device, as fast as it takes them: the load of experiment D. Each
 * completes its oldest reads, some at a time, and sends them again, so that it holds tags even while it has no processor, as a
 * device that works by itself would; one that has nothing in flight, because none of its reads has a tag, sleeps until it is
 * woken.
 */
final class TagsLoad {
    private static final int SAMPLES_MAX = 1 << 17;
    private static final int BLOCK = 4096;

    /** How many completions a thread takes at a time, at most. */
    static final int BATCH = 8;

    private static final Duration END_MAX = Duration.ofSeconds(20);

    private final Clock clock;
    private final BlockDevice device;
    private final int threads;
    private final int window;
    private final StripedCounter done;
    private final CountDownLatch opened;
    private volatile Phase phase = Phase.WARM_UP;
    private volatile Throwable failure;

    private enum Phase {
        WARM_UP,
        MEASURE,
        STOP
    }

    /**
     * What came of it.
     *
     * @param requests how many reads were done
     * @param nanos in what time
     * @param waits how often a thread had to sleep
     * @param waitMedianNanos how long, in the middle
     * @param waitMaxNanos how long at the longest
     */
    record Outcome(long requests, long nanos, long waits, long waitMedianNanos, long waitMaxNanos) {
        double perSecond() {
            return requests * 1e9 / nanos;
        }

        /** The form in which a child process hands it over. */
        String line() {
            return requests + " " + nanos + " " + waits + " " + waitMedianNanos + " " + waitMaxNanos;
        }

        static Outcome parse(String line) {
            long[] fields = Arrays.stream(line.strip().split(" "))
                    .mapToLong(Long::parseLong)
                    .toArray();
            return new Outcome(fields[0], fields[1], fields[2], fields[3], fields[4]);
        }
    }

    /**
     * A load that has not begun.
     *
     * @param device takes channels of shards {@code 0 .. threads-1}
     * @param window how many reads each thread keeps in flight, or wants to
     */
    TagsLoad(Clock clock, BlockDevice device, int threads, int window) {
        this.clock = clock;
        this.device = device;
        this.threads = threads;
        this.window = window;
        done = new StripedCounter(threads);
        opened = new CountDownLatch(threads);
    }

    /** Runs it: for a while to warm up, then for a while that counts. */
    Outcome run(long warmUpNanos, long measureNanos) throws InterruptedException {
        List<Submitter> submitters = new ArrayList<>();
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Submitter submitter = new Submitter(i);
            submitters.add(submitter);
            running.add(Thread.ofPlatform().daemon().name("submitter " + i).start(submitter));
        }
        opened.await();
        Shard self = Shard.ofCaller(0, clock);
        Repetition.pass(clock, self, warmUpNanos);
        phase = Phase.MEASURE;
        long before = done.sum();
        long start = clock.nanos();
        Repetition.pass(clock, self, measureNanos);
        long requests = done.sum() - before;
        long nanos = clock.nanos() - start;
        phase = Phase.STOP;
        for (Submitter submitter : submitters) {
            submitter.shard.wake();
        }
        for (Thread thread : running) {
            if (!thread.join(END_MAX)) {
                throw new IllegalStateException("a submitter does not end: thread=" + thread.getName(), failure);
            }
        }
        return outcome(submitters, requests, nanos);
    }

    private Outcome outcome(List<Submitter> submitters, long requests, long nanos) {
        if (failure != null) {
            throw new IllegalStateException("a submitter failed", failure);
        }
        long longest = 0;
        long waits = 0;
        int samples = 0;
        for (Submitter submitter : submitters) {
            longest = Math.max(longest, submitter.longest);
            waits += submitter.waits;
            samples += submitter.sampled();
        }
        long[] all = new long[samples];
        int at = 0;
        for (Submitter submitter : submitters) {
            System.arraycopy(submitter.samples, 0, all, at, submitter.sampled());
            at += submitter.sampled();
        }
        Arrays.sort(all);
        return new Outcome(requests, nanos, waits, samples == 0 ? 0 : all[samples / 2], longest);
    }

    private final class Submitter implements Runnable {
        private final int index;
        private final long[] samples = new long[SAMPLES_MAX];
        private volatile Shard shard;
        private Channel channel;
        private int pending;
        private long longest;
        private long waits;

        Submitter(int index) {
            this.index = index;
        }

        int sampled() {
            return (int) Math.min(waits, SAMPLES_MAX);
        }

        @Override
        public void run() {
            try (Arena arena = Arena.ofConfined()) {
                shard = Shard.ofCaller(index, clock);
                channel = device.open(shard);
                opened.countDown();
                opened.await();
                submitAll(arena.allocate(BLOCK, BLOCK));
                while (pending > 0) {
                    if (channel.poll(BATCH) == 0) {
                        sleep();
                    }
                    channel.commit();
                }
                channel.close();
            } catch (InterruptedException | RuntimeException | Error e) {
                failure = e;
                opened.countDown();
            }
        }

        private void submitAll(MemorySegment memory) {
            for (int i = 0; i < window; i++) {
                pending++;
                long block = 2L * (index * window + i); // Next to no other, or they would become one.
                submit(new Request(this::ended).read(block * BLOCK, memory, 0, BLOCK));
            }
            channel.commit();
        }

        private void submit(Request request) {
            if (!channel.submit(request)) {
                throw new IllegalStateException("the queue has no room: request=" + request);
            }
        }

        private void ended(Request request) {
            if (request.status() != IoStatus.OK) {
                throw new IllegalStateException("a null device failed: request=" + request);
            }
            done.add(index, 1);
            if (phase == Phase.STOP) {
                pending--;
            } else {
                submit(request);
            }
        }

        /** Nothing of this thread's is in flight: none of its reads has a tag. */
        private void sleep() {
            long since = clock.nanos();
            int moved = 0;
            while (moved == 0) {
                shard.park(Long.MAX_VALUE);
                moved = channel.poll(BATCH);
            }
            if (phase == Phase.MEASURE) {
                long waited = clock.nanos() - since;
                longest = Math.max(longest, waited);
                if (waits < SAMPLES_MAX) {
                    samples[(int) waits] = waited;
                }
                waits++;
            }
        }
    }
}
