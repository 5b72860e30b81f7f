package io.tenfold.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import io.tenfold.sim.SimWorld;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SimSubmitterTest {
    private static final int BLOCK = 4096;
    private static final int BLOCKS = 25;

    @Test
    void everyBlockComesOnceBeforeAnyComesAgainAndNoneTwiceAtATime() {
        for (long seed = 0; seed < 50; seed++) {
            Recorder recorder = new Recorder(IoStatus.OK);
            SimSubmitter submitter = submitter(recorder, seed);
            while (recorder.offsets.size() < 4 * BLOCKS) {
                submitter.step();
            }
            Set<Long> first = new HashSet<>(recorder.offsets.subList(0, BLOCKS));
            assertThat(first).as("seed=%d", seed).hasSize(BLOCKS);
            assertThat(first)
                    .allSatisfy(offset -> assertThat(offset - 1_000L * BLOCK).isBetween(0L, (BLOCKS - 1L) * BLOCK));
            assertThat(recorder.offsets.subList(0, BLOCKS))
                    .isNotEqualTo(first.stream().sorted().toList());
            assertThat(recorder.twice).as("seed=%d", seed).isZero();
            assertThat(recorder.most).isEqualTo(2);
        }
    }

    @Test
    void failedWriteEndsTheExperiment() {
        SimSubmitter submitter = submitter(new Recorder(IoStatus.IO_ERROR), 1);
        assertThatThrownBy(() -> {
                    while (true) {
                        submitter.step();
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("failed a write");
    }

    @Test
    void threadRunsOnlyAfterItsTimeAndIsBusyForAsLongAsItSays() {
        SimWorld world = new SimWorld(3);
        SimThread thread = new SimThread(new Prng(4), 5_000, 50_000);
        List<Long> steps = new ArrayList<>();
        Shard shard = world.loop(0, thread);
        thread.work(() -> {
            steps.add(world.clock().nanos());
            return steps.size() % 3 == 0 ? 0 : 7_000;
        });
        world.runUntil(() -> steps.size() == 3, 1_000_000);
        assertThat(steps.get(0)).isBetween(5_000L, 55_000L);
        assertThat(steps.get(1) - steps.get(0)).isBetween(7_000L, 12_000L);
        world.runFor(1_000_000);
        assertThat(steps).as("asleep").hasSize(3);
        long woken = world.clock().nanos();
        shard.wake();
        world.runUntil(() -> steps.size() == 4, 1_000_000);
        assertThat(steps.get(3) - woken).isBetween(5_000L, 55_000L);
    }

    private static SimSubmitter submitter(Channel channel, long seed) {
        return new SimSubmitter(
                channel,
                new Prng(seed),
                1_000L * BLOCK,
                BLOCKS,
                MemorySegment.ofArray(new byte[BLOCK]),
                2,
                3_000,
                () -> {});
    }

    /** Ends requests in the order in which they came, one a poll, once two are in flight. */
    private static final class Recorder implements Channel {
        final List<Long> offsets = new ArrayList<>();
        private final List<Request> inFlight = new ArrayList<>();
        private final IoStatus outcome;
        int twice;
        int most;

        Recorder(IoStatus outcome) {
            this.outcome = outcome;
        }

        @Override
        public boolean submit(Request request) {
            twice += inFlight.stream().anyMatch(other -> other.offset() == request.offset()) ? 1 : 0;
            offsets.add(request.offset());
            request.started();
            inFlight.add(request);
            most = Math.max(most, inFlight.size());
            return true;
        }

        @Override
        public void commit() {
            // Nothing waits.
        }

        @Override
        public int poll(int max) {
            if (inFlight.size() < 2) {
                return 0;
            }
            inFlight.removeFirst().complete(outcome);
            return 1;
        }

        @Override
        public void close() {
            // Holds nothing.
        }
    }
}
