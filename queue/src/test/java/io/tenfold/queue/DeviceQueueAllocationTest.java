package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.NullDevice;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing is allocated for a request once as many have been in flight as ever will be, whatever becomes of it. */
class DeviceQueueAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 2_000;
    private static final int REQUESTS = 24;
    private static final int BLOCK = 512;

    private final Request[] requests = new Request[REQUESTS];
    private final MemorySegment memory = MemorySegment.ofArray(new byte[64 * BLOCK]);
    private Object seen = memory;
    private int ended;

    @ParameterizedTest
    @EnumSource
    void nothingIsAllocated(Schedule schedule) {
        for (WakePolicy policy : TagSetTest.policies()) {
            for (boolean whole : new boolean[] {true, false}) {
                assertThat(allocated(schedule, policy, whole, false))
                        .as("%s, wholeRequests=%s", policy, whole)
                        .isLessThan(ROUNDS); // The measurement itself, and what the JIT compiler does on this thread.
            }
        }
    }

    /** The canary: one small object a round is seen. */
    @Test
    void oneObjectARoundIsSeen() {
        assertThat(allocated(Schedule.NONE, WakePolicy.DEFAULT, true, true)).isGreaterThan(10L * ROUNDS);
    }

    private long allocated(Schedule schedule, WakePolicy policy, boolean whole, boolean litter) {
        QueueOptions options = QueueOptions.DEFAULT
                .withSchedule(schedule)
                .withWakePolicy(policy)
                .withWholeRequests(whole)
                .withWriteCache(WriteCache.VOLATILE)
                .withDepth(8)
                .withTimeoutNanos(Long.MAX_VALUE);
        DeviceQueue queue =
                new DeviceQueue(NarrowDevice.of(new NullDevice(1 << 20), 4 * BLOCK, 4, 64 * BLOCK, 0), options, 2);
        Channel owner = queue.open(Shard.ofCaller(0, Clock.system()));
        Channel guest = queue.open(Shard.ofCaller(1, Clock.system()));
        for (int i = 0; i < REQUESTS; i++) {
            requests[i] = new Request(_ -> ended++);
        }
        run(owner, guest, false);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        run(owner, guest, litter);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        guest.close();
        owner.close();
        queue.close();
        return allocated;
    }

    private void run(Channel owner, Channel guest, boolean litter) {
        for (int round = 0; round < ROUNDS; round++) {
            ended = 0;
            for (int i = 0; i < REQUESTS; i++) {
                fill(requests[i], i);
                (i % 2 == 0 ? owner : guest).submit(requests[i]);
            }
            owner.commit();
            guest.commit();
            while (ended < REQUESTS) {
                owner.poll(8);
                guest.poll(8);
            }
            seen = litter ? new int[8] : seen;
        }
    }

    /** Cut reads, writes that need a flush, flushes, discards, and reads that become one. */
    private void fill(Request request, int i) {
        switch (i / 4) {
            case 0 -> request.read(64L * i * BLOCK, memory, 0, 14 * BLOCK);
            case 1 -> request.write(64L * i * BLOCK, memory, 0, 2 * BLOCK, true);
            case 2 -> request.flush();
            case 3 -> request.start(Op.DISCARD, 64L * i * BLOCK, BLOCK, false);
            default -> request.read(64L * 16 * BLOCK + (long) i / 2 * BLOCK, memory, 0, BLOCK);
        }
    }
}
