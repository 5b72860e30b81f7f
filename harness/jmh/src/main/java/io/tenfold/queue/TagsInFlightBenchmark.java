package io.tenfold.queue;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.Blackhole;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Question: how many requests a second get a tag when the submitters together want more tags than there are, and how
 * long do those wait who find none? The device is a null device: a request is done as soon as its submitter looks.
 *
 * <p>A submitter keeps {@link #WINDOW} requests in flight. With so many it completes the oldest before the next; one that
 * is refused completes all that it has, and then waits. All designs wait by {@link TagSet} under the default rules, so
 * that it is the tags alone that differ; it is not the wait of {@code Semaphore.acquire} that is measured here.
 *
 * <p>Does not answer: what a queue or a real device makes of it. Twelve submitters on fewer processors wait for a
 * processor more than for tags: the longest wait is at least what the machine's scheduler keeps a thread away.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class TagsInFlightBenchmark {
    /** Twelve times this is half as much again as 64. */
    static final int WINDOW = 8;

    /** Work done while a group is held, in JMH's tokens of about 2 ns. */
    private static final int HOLD = 500;

    /** Where to write "count median longest" of the last iteration's waits, in nanoseconds. */
    static final String WAITS_FILE = "tenfold.waits";

    private static final int SAMPLES_MAX = 1 << 18;

    @Param({"BITMAP", "STEALING", "PURGED", "LOCKED", "SEMAPHORE"})
    private TagDesign design;

    @Param({"64", "2048"})
    private int depth;

    private TagSet set;
    private long[] waits = {};
    private long longest;

    @Setup
    public void setUp(BenchmarkParams params) {
        set = new TagSet(design, depth, 0, params.getThreads(), WakePolicy.DEFAULT);
    }

    @Setup(Level.Iteration)
    public void forget() {
        waits = new long[0];
        longest = 0;
    }

    private synchronized void add(long[] samples, int count, long max) {
        int before = waits.length;
        waits = Arrays.copyOf(waits, before + count);
        System.arraycopy(samples, 0, waits, before, count);
        longest = Math.max(longest, max);
    }

    @TearDown
    public void write() throws IOException {
        String file = System.getProperty(WAITS_FILE);
        if (file != null) {
            Arrays.sort(waits);
            long median = waits.length == 0 ? 0 : waits[waits.length / 2];
            Files.writeString(Path.of(file), waits.length + " " + median + " " + longest);
        }
    }

    /** A submitter: what it has in flight, the oldest first, and how long it waited. */
    @State(Scope.Thread)
    public static class Submitter {
        private final int[] inFlight = new int[WINDOW];
        private final long[] samples = new long[SAMPLES_MAX];
        private final Clock clock = Clock.system();
        private int shard;
        private int oldest;
        private int count;
        private int sampled;
        private long longest;
        private TagClaim claim;

        /** In each iteration, since the thread may be another. */
        @Setup(Level.Iteration)
        public void setUp(TagsInFlightBenchmark benchmark, ThreadParams params) {
            shard = params.getThreadIndex();
            Shard self = Shard.ofCaller(shard, clock);
            claim = TagClaim.blocking(shard, self, WINDOW);
            benchmark.set.attach(shard, self);
            sampled = 0;
            longest = 0;
        }

        @TearDown(Level.Iteration)
        public void tearDown(TagsInFlightBenchmark benchmark) {
            benchmark.add(samples, sampled, longest);
        }

        private void completeOldest(TagSet set) {
            set.release(shard, inFlight[oldest]);
            oldest = (oldest + 1) % WINDOW;
            count--;
        }

        private void start(int tag) {
            inFlight[(oldest + count++) % WINDOW] = tag;
        }

        private void claim(TagSet set, int tags) {
            if (!set.acquire(claim, tags)) {
                long since = clock.nanos();
                while (!claim.isComplete()) {
                    set.await(claim);
                }
                long waited = clock.nanos() - since;
                longest = Math.max(longest, waited);
                if (sampled < SAMPLES_MAX) {
                    samples[sampled++] = waited;
                }
            }
        }
    }

    /** One request that got its tag, and on the average one that gave it back. */
    @Benchmark
    public int request(Submitter self) {
        if (self.count == WINDOW) {
            self.completeOldest(set);
        }
        int tag = set.tryAcquire(self.shard);
        if (tag == TagSet.NONE) {
            while (self.count > 0) {
                self.completeOldest(set);
            }
            self.claim(set, 1);
            tag = self.claim.tag(0);
        }
        self.start(tag);
        return tag;
    }

    /** Eight tags at once, held for about a microsecond; twelve submitters want half as much again as 64. */
    @Benchmark
    public void group(Submitter self) {
        self.claim(set, WINDOW);
        Blackhole.consumeCPU(HOLD);
        for (int i = 0; i < WINDOW; i++) {
            set.release(self.shard, self.claim.tag(i));
        }
    }
}
