package io.tenfold.queue;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.Blackhole;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Question: how many tags a second are acquired and released, by all threads together, in each design?
 *
 * <p>Does not answer: what a queue gains from it; nor what waiting costs, since the threads together never want more tags
 * than there are: for that, {@link TagsInFlightBenchmark}.
 *
 * <p>Read with {@link AtomicAddBenchmark}, and with {@code harness/c/tags.c}, the same bitmap in C. Vary threads with
 * {@code -t}. Each design runs in JVMs of its own, as it is a parameter.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class TagsBenchmark {
    @Param({"BITMAP", "STEALING", "PURGED", "LOCKED", "SEMAPHORE"})
    private TagDesign design;

    @Param({"64", "2048"})
    private int depth;

    /** Work done while the tag is held, in JMH's tokens of about 2 ns: none, or about as much as a short request. */
    @Param({"0", "500"})
    private int hold;

    private Tags tags;

    @Setup
    public void setUp(BenchmarkParams params) {
        tags = design.create(depth, params.getThreads());
    }

    /** What a thread owns: its number. */
    @State(Scope.Thread)
    public static class Own {
        private int shard;

        @Setup
        public void setUp(ThreadParams params) {
            shard = params.getThreadIndex();
        }
    }

    /** One acquire and one release. */
    @Benchmark
    public int pair(Own own) {
        int tag = tags.acquire(own.shard);
        if (hold > 0) {
            Blackhole.consumeCPU(hold);
        }
        if (tag != Tags.NONE) { // With designs that move tags, even though there are enough for all.
            tags.release(own.shard, tag);
        }
        return tag;
    }
}
