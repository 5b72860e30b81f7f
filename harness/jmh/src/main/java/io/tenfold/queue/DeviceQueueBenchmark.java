package io.tenfold.queue;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.NullDevice;
import io.tenfold.block.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Question: how many requests a second does one thread get through the queue, in batches of 32, with a device that does
 * nothing? One operation is one request: submitted, given a tag, sent, ended and told of.
 *
 * <p>Does not answer: what several threads get; nor what cutting and merging cost, as each request is one block and none
 * follows another.
 *
 * <p>Read with {@code baseline}, the same requests without a queue, and with {@link AtomicAddBenchmark}, the machine's limit.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class DeviceQueueBenchmark {
    private static final int BATCH = 32;
    private static final int BLOCK = 4096;
    private static final long SIZE_BYTES = 1L << 30;

    @Param({"NONE", "FIFO", "DEADLINE"})
    private Schedule schedule;

    private final Request[] requests = new Request[BATCH];
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate((long) BATCH * BLOCK, BLOCK);
    private BlockDevice plain;
    private BlockDevice queue;
    private Channel direct;
    private Channel queued;
    private long offset;
    private int ended;

    @Setup
    public void setUp() {
        plain = new NullDevice(SIZE_BYTES);
        queue = new DeviceQueue(
                new NullDevice(SIZE_BYTES), QueueOptions.DEFAULT.withDepth(128).withSchedule(schedule), 1);
        direct = plain.open(Shard.ofCaller(0, Clock.system()));
        queued = queue.open(Shard.ofCaller(0, Clock.system()));
        for (int i = 0; i < BATCH; i++) {
            requests[i] = new Request(request -> ended += request.status() == IoStatus.OK ? 1 : 0);
        }
    }

    @TearDown
    public void tearDown() {
        direct.close();
        queued.close();
        plain.close();
        queue.close();
        arena.close();
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int request() {
        return batch(queued);
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int baseline() {
        return batch(direct);
    }

    private int batch(Channel channel) {
        ended = 0;
        for (int i = 0; i < BATCH; i++) {
            Request request = requests[i];
            offset = (offset + 7 * BLOCK) % SIZE_BYTES; // Never next to the one before.
            request.read(offset, memory, (long) i * BLOCK, BLOCK);
            channel.submit(request);
        }
        channel.commit();
        while (ended < BATCH) {
            channel.poll(BATCH);
        }
        return ended;
    }
}
