package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Clock;
import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.NullDevice;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real threads that park for ever whenever nothing moves, while another freezes, stops and resizes the queue: what one
 * thread in virtual time cannot show. Nobody may be forgotten.
 */
class DeviceQueueThreadsTest {
    private static final int THREADS = 3;
    private static final int ROUNDS = 600;
    private static final int WINDOW = 4;
    private static final int DEPTH = 4;
    private static final long JOIN_MILLIS = 60_000;

    private final AtomicInteger finished = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final List<Shard> shards = new CopyOnWriteArrayList<>();
    private final MemorySegment memory = MemorySegment.ofArray(new byte[1 << 14]);

    @ParameterizedTest
    @CsvSource({
        "BITMAP, DEADLINE, VOLATILE, 1",
        "BITMAP, NONE, VOLATILE_WITH_FUA, 2",
        "STEALING, FIFO, VOLATILE, 1",
        "PURGED, NONE, WRITE_THROUGH, 1",
        "LOCKED, NONE, VOLATILE, 3",
        "SEMAPHORE, DEADLINE, WRITE_THROUGH, 2"
    })
    void nobodyIsForgotten(TagDesign design, Schedule schedule, WriteCache cache, int hardwareQueues) throws Exception {
        for (WakePolicy policy : TagSetTest.policies()) {
            finished.set(0);
            shards.clear();
            BlockDevice device = NarrowDevice.of(new NullDevice(1 << 20), 4096, 4, 8192, 0);
            DeviceQueue queue = new DeviceQueue(
                    device,
                    QueueOptions.DEFAULT
                            .withTagDesign(design)
                            .withSchedule(schedule)
                            .withWriteCache(cache)
                            .withWakePolicy(policy)
                            .withHardwareQueues(hardwareQueues)
                            .withDepth(DEPTH)
                            .withDeviceDepth(2),
                    THREADS);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int index = i;
                threads.add(start(() -> submitter(queue, index)));
            }
            threads.add(start(() -> meddler(queue)));
            for (Thread thread : threads) {
                thread.join(JOIN_MILLIS);
            }
            assertThat(failure.get()).as("%s", policy).isNull();
            assertThat(finished.get())
                    .as("%s: threads that came to an end", policy)
                    .isEqualTo(THREADS);
            assertThat(queue.entryGate().isEmpty()).isTrue();
            assertThat(queue.statistics().requests()).isEqualTo((long) THREADS * ROUNDS * WINDOW);
        }
    }

    private Thread start(Runnable body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void submitter(DeviceQueue queue, int index) {
        Prng prng = new Prng(index);
        Shard self = Shard.ofCaller(index, Clock.system());
        shards.add(self);
        Channel[] channels = {queue.open(self), queue.open(self)};
        int[] done = {0};
        Request[] requests = new Request[WINDOW];
        for (int i = 0; i < WINDOW; i++) {
            requests[i] = new Request(request -> done[0] += request.status() == IoStatus.OK ? 1 : 0);
        }
        for (int round = 0; round < ROUNDS; round++) {
            done[0] = 0;
            for (int i = 0; i < WINDOW; i++) {
                channels[prng.below(2)].submit(fill(requests[i], prng, index));
            }
            channels[0].commit();
            channels[1].commit();
            pollUntil(self, channels, () -> done[0] == WINDOW);
        }
        finished.getAndIncrement();
        shards.forEach(Shard::wake);
        pollUntil(self, channels, () -> finished.get() == THREADS);
    }

    private Request fill(Request request, Prng prng, int index) {
        long offset = index * 65536L + prng.below(8) * 4096L;
        return switch (prng.below(8)) {
            case 0 -> request.flush();
            case 1 -> request.start(Op.WRITE_ZEROES, offset, 16384, true);
            case 2, 3 -> request.read(offset, memory, 0, 512);
            case 4 -> request.write(offset, memory, 0, 4096, true);
            default -> request.write(offset, memory, 0, 16384, prng.oneIn(4));
        };
    }

    private static void pollUntil(Shard self, Channel[] channels, BooleanSupplier end) {
        while (!end.getAsBoolean()) {
            if (channels[0].poll(3) + channels[1].poll(3) == 0) {
                self.park(Long.MAX_VALUE);
            }
        }
    }

    private void meddler(DeviceQueue queue) {
        Prng prng = new Prng(99);
        Shard self = Shard.ofCaller(THREADS, Clock.system());
        while (finished.get() < THREADS && failure.get() == null) {
            switch (prng.below(3)) {
                case 0 -> {
                    queue.freeze(self);
                    queue.unfreeze();
                }
                case 1 -> {
                    queue.quiesce(self);
                    queue.unquiesce();
                }
                default -> queue.resize(1 + prng.below(DEPTH));
            }
            self.park(prng.below(300_000));
        }
    }
}
