package io.tenfold.queue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Question: what is this machine's limit for anything that hands out tags? The least that it must do is one atomic
 * operation on a word; here it is alone, on a word that nobody else wants, and on one that all threads want.
 *
 * <p>Does not answer: what two words would give; read it beside {@link TagsBenchmark}, of which one operation is two such.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class AtomicAddBenchmark {
    private final AtomicLong together = new AtomicLong();

    /** A counter of the thread's own, allocated by it and so far from the others'. */
    @State(Scope.Thread)
    public static class Own {
        private final AtomicLong alone = new AtomicLong();
    }

    @Benchmark
    public long addAlone(Own own) {
        return own.alone.getAndAdd(1);
    }

    @Benchmark
    public long addTogether() {
        return together.getAndAdd(1);
    }

    /** The harness alone. */
    @Benchmark
    public long baseline(Own own) {
        return own.alone.getPlain();
    }
}
