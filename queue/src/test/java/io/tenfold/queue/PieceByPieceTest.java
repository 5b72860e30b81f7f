package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.Request;
import io.tenfold.sim.SimHdd;
import io.tenfold.sim.SimHddModel;
import io.tenfold.sim.SimWorld;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is not cut as a whole goes piece by piece, with others in between. */
class PieceByPieceTest {
    private static final int PIECE = 128 << 10;
    private static final MemorySegment DATA = MemorySegment.ofArray(new byte[4 * PIECE]);

    private final SimWorld world = new SimWorld(1);
    private final List<Long> dispatched = new ArrayList<>();
    private int done;

    @Test
    void piecesOfTwoWhoPollInTurnAlternate() {
        submitTwo(QueueOptions.DEFAULT.withWholeRequests(false));
        assertThat(dispatched).containsExactly(0L, 100L, 1L, 101L, 2L, 102L, 3L, 103L);
    }

    @Test
    void wholeRequestsStayTogether() {
        submitTwo(QueueOptions.DEFAULT);
        assertThat(dispatched).containsExactly(0L, 1L, 2L, 3L, 100L, 101L, 102L, 103L);
    }

    private void submitTwo(QueueOptions options) {
        DeviceQueue queue = queue(options);
        Channel first = queue.open(world.caller(0));
        Channel second = queue.open(world.caller(1));
        submit(first, 0);
        submit(second, 100);
        for (int i = 0; i < 4; i++) {
            first.poll(1);
            second.poll(1);
        }
        first.poll(1);
    }

    @Test
    void oneWhoParksWithoutPollingIsWokenForTheNextPiece() {
        DeviceQueue queue = queue(QueueOptions.DEFAULT.withWholeRequests(false));
        Shard shard = world.caller(0);
        Channel channel = queue.open(shard);
        submit(channel, 0);
        assertThat(queue.statistics().pieces()).isEqualTo(1);
        for (int pieces = 2; pieces <= 4; pieces++) {
            long before = world.clock().nanos();
            shard.park(Long.MAX_VALUE);
            assertThat(world.clock().nanos()).isEqualTo(before);
            assertThat(channel.poll(1)).isPositive();
            assertThat(queue.statistics().pieces()).isEqualTo(pieces);
        }
        while (done == 0) {
            if (channel.poll(1) == 0) {
                shard.park(Long.MAX_VALUE);
            }
        }
    }

    private DeviceQueue queue(QueueOptions options) {
        SimHdd disk = new SimHdd(world, "hdd", SimHddModel.sata7200().withTransferBytesMax(PIECE));
        disk.trace(new SimHdd.Trace() {
            @Override
            public void dispatched(long nanos, Request request) {
                dispatched.add(request.offset() / PIECE);
            }

            @Override
            public void completed(long nanos, Request request) {
                // Only the order of dispatch is looked at.
            }
        });
        return new DeviceQueue(disk, options, 2);
    }

    private void submit(Channel channel, long piece) {
        Request request = new Request(_ -> done++);
        assertThat(channel.submit(request.write(piece * PIECE, DATA, 0, 4L * PIECE, false)))
                .isTrue();
        channel.commit();
    }
}
