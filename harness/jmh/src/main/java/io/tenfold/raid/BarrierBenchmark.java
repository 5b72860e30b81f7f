package io.tenfold.raid;

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
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Question: how often a second is the barrier entered and left, by all threads together, in each design, while nothing is
 * raised?
 *
 * <p>Does not answer: what an array gains from it, whose requests do more than this; nor what a window costs those inside it.
 *
 * <p>Read with {@code AtomicAddBenchmark}: the older designs are two atomic operations or more on a word that all share. Vary
 * threads with {@code -t}. Each design runs in JVMs of its own, as it is a parameter.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class BarrierBenchmark {
    private static final long ARRAY_BYTES = 1L << 40;

    /** An odd number of blocks, so that all of them have their turn, far from one another. */
    private static final long STEP_BYTES = 4096 * 0x9E3779BL;

    @Param({"WINDOWED", "SPINLOCK", "ATOMIC_PENDING", "SEQUENCE_LOCK"})
    private BarrierDesign design;

    private IoBarrier barrier;

    @Setup
    public void setUp(BenchmarkParams params) {
        barrier = design.create(params.getThreads());
    }

    /** What a thread owns: its stripe, and where its next request lies. */
    @State(Scope.Thread)
    public static class Own {
        private int stripe;
        private long offset;

        @Setup
        public void setUp(ThreadParams params) {
            stripe = params.getThreadIndex();
            offset = stripe * (ARRAY_BYTES >> 8);
        }

        private long next() {
            offset = offset + STEP_BYTES & ARRAY_BYTES - 1;
            return offset;
        }
    }

    /** One request of 4 KiB enters and leaves. */
    @Benchmark
    public int pair(Own own) {
        int ticket = barrier.tryEnter(own.stripe, own.next(), 4096);
        barrier.leave(own.stripe, ticket);
        return ticket;
    }

    /** The harness alone. */
    @Benchmark
    public long baseline(Own own) {
        return own.next();
    }
}
