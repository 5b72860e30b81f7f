package io.tenfold.queue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * Question: how long do submitters wait who together want half as many tags again as there are, and how evenly? Each takes a
 * group of tags, holds it, and gives it back; of twelve at depth 64 each takes eight.
 *
 * <p>In {@link #shortHold} they hold it for a microsecond of work. All of them want a processor all the time, so that with
 * more than there are processors it is the machine's scheduler that is measured: a thread that loses its processor while it
 * holds tags keeps the others waiting, and one that was given tags waits for a processor besides. The parts are recorded:
 * "queued" until the tags were there, "woken" from then until it ran, and "held", which would be a microsecond if nobody
 * were interrupted. In {@link #longHold} a device holds the tags for about a millisecond, and the processors are mostly
 * idle: what is left is the order in which waiters are served.
 *
 * <p>Does not answer: what tags cost where nobody waits; for that, {@link TagsBenchmark}.
 *
 * <p>Read the designs of this library beside what the JDK's own ways of waiting give ({@code OWN_...}).
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class TagsWaitBenchmark {
    /** Work done while a group is held, in JMH's tokens of about 2 ns. */
    private static final int HOLD = 500;

    /** Where to write the last iteration's waits: a line each for the whole, and the parts queued, woken, held. */
    static final String WAITS_FILE = "tenfold.waits";

    @Param({"BITMAP", "STEALING", "PURGED", "LOCKED", "SEMAPHORE", "OWN_SEMAPHORE", "OWN_SEMAPHORE_FAIR", "OWN_MONITOR"
    })
    private TagWait design;

    @Param({"64", "2048"})
    private int depth;

    private final Durations waits = new Durations();
    private final Durations queued = new Durations();
    private final Durations woken = new Durations();
    private final Durations held = new Durations();
    private TagGate gate;
    private TagDevice device;

    /** How many tags each takes, so that all together want half as many again as there are. */
    static int groupSize(int depth, int threads) {
        return Math.max(1, Math.min(depth, 3 * depth / (2 * threads)));
    }

    @Setup
    public void setUp(BenchmarkParams params) {
        int threads = params.getThreads();
        gate = design.create(depth, threads + 1);
        if (params.getBenchmark().endsWith(".longHold")) {
            device = new TagDevice(gate, threads);
        }
    }

    @Setup(Level.Iteration)
    public void forget() {
        waits.clear();
        queued.clear();
        woken.clear();
        held.clear();
    }

    private synchronized void add(Submitter submitter) {
        waits.add(submitter.caller.waits);
        queued.add(submitter.caller.queued);
        woken.add(submitter.caller.woken);
        held.add(submitter.held);
    }

    @TearDown
    public void write() throws IOException, InterruptedException {
        if (device != null) {
            device.close();
        }
        String file = System.getProperty(WAITS_FILE);
        if (file != null) {
            Files.writeString(Path.of(file), waits + "\n" + queued + "\n" + woken + "\n" + held + "\n");
        }
    }

    /** One who takes groups of tags. */
    @State(Scope.Thread)
    public static class Submitter {
        private final Durations held = new Durations();
        private TagGate.Caller caller;

        /** In each iteration, since the thread may be another. */
        @Setup(Level.Iteration)
        public void setUp(TagsWaitBenchmark benchmark, BenchmarkParams params, ThreadParams thread) {
            int group = groupSize(benchmark.depth, params.getThreads());
            caller = new TagGate.Caller(thread.getThreadIndex(), group);
            benchmark.gate.attach(caller.shard, caller);
            held.clear();
        }

        @TearDown(Level.Iteration)
        public void tearDown(TagsWaitBenchmark benchmark) {
            benchmark.add(this);
        }
    }

    /** A group, held for about a microsecond of work. */
    @Benchmark
    public void shortHold(Submitter self) throws InterruptedException {
        gate.acquire(self.caller);
        long since = self.caller.clock.nanos();
        Blackhole.consumeCPU(HOLD);
        gate.release(self.caller.shard, self.caller.tags);
        self.held.record(self.caller.clock.nanos() - since);
    }

    /** A group, held by a device for about a millisecond. */
    @Benchmark
    public void longHold(Submitter self) throws InterruptedException {
        gate.acquire(self.caller);
        long since = self.caller.clock.nanos();
        device.serve(self.caller);
        self.held.record(self.caller.clock.nanos() - since);
    }
}
