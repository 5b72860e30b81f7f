package io.tenfold.queue;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
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
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Question: how many requests a second get a tag when the submitters together want half as many tags again as there are?
 * The device is a null device: a request is done as soon as its submitter looks.
 *
 * <p>A submitter keeps a window of requests in flight: of twelve at depth 64, each eight. With so many it completes the oldest
 * before the next; one that is refused completes all that it has, and then waits. All designs wait by {@link TagSet} under
 * the default rules, so that it is the tags alone that differ.
 *
 * <p>Does not answer: what a queue or a real device makes of it; nor how long they wait: for that, {@link TagsWaitBenchmark}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class TagsInFlightBenchmark {
    @Param({"BITMAP", "STEALING", "PURGED", "LOCKED", "SEMAPHORE"})
    private TagDesign design;

    @Param({"64", "2048"})
    private int depth;

    private TagSet set;

    @Setup
    public void setUp(BenchmarkParams params) {
        set = new TagSet(design, depth, 0, params.getThreads(), WakePolicy.DEFAULT);
    }

    /** A submitter, and what it has in flight, the oldest first. */
    @State(Scope.Thread)
    public static class Submitter {
        private int[] inFlight = {};
        private int shard;
        private int oldest;
        private int count;
        private TagClaim claim;

        /** In each iteration, since the thread may be another. */
        @Setup(Level.Iteration)
        public void setUp(TagsInFlightBenchmark benchmark, BenchmarkParams params, ThreadParams thread) {
            if (inFlight.length == 0) {
                inFlight = new int[TagsWaitBenchmark.groupSize(benchmark.depth, params.getThreads())];
            }
            shard = thread.getThreadIndex();
            Shard self = Shard.ofCaller(shard, Clock.system());
            claim = TagClaim.blocking(shard, self, 1);
            benchmark.set.attach(shard, self);
        }

        private void completeOldest(TagSet set) {
            set.release(shard, inFlight[oldest]);
            oldest = next(oldest);
            count--;
        }

        private void start(int tag) {
            int end = oldest + count++;
            inFlight[end < inFlight.length ? end : end - inFlight.length] = tag;
        }

        private int next(int index) {
            return index + 1 == inFlight.length ? 0 : index + 1;
        }

        private int claimOne(TagSet set) {
            if (!set.acquire(claim, 1)) {
                while (!claim.isComplete()) {
                    set.await(claim);
                }
            }
            return claim.tag(0);
        }
    }

    /** One request that got its tag, and on the average one that gave it back. */
    @Benchmark
    public int request(Submitter self) {
        if (self.count == self.inFlight.length) {
            self.completeOldest(set);
        }
        int tag = set.tryAcquire(self.shard);
        if (tag == TagSet.NONE) {
            while (self.count > 0) {
                self.completeOldest(set);
            }
            tag = self.claimOne(set);
        }
        self.start(tag);
        return tag;
    }
}
