package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.MemoryDevice;
import io.tenfold.block.Request;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** What {@link DeviceQueueSimTest} does not get to: a device that is done at once and wakes nobody, and misuse. */
class DeviceQueueTest {
    private final Shard shard = Shard.ofCaller(0, Clock.system());
    private final Request request = new Request(_ -> {});

    private static DeviceQueue queue(QueueOptions options) {
        return new DeviceQueue(new MemoryDevice(1 << 20), options, 2);
    }

    private void submit(Channel channel) {
        channel.submit(request.write(0, MemorySegment.ofArray(new byte[512]), 0, 512, false));
        channel.commit();
    }

    /** Otherwise the shard would park with a completion that nobody tells it of. */
    @Test
    void pollThatSendsSaysThatSomethingMoved() {
        try (DeviceQueue queue = queue(QueueOptions.DEFAULT);
                Channel channel = queue.open(shard)) {
            queue.quiesce(WaiterStub.SILENT);
            submit(channel);
            assertThat(channel.poll(8)).as("while nothing goes out").isZero();
            queue.unquiesce();
            assertThat(channel.poll(8)).as("it went out").isPositive();
            assertThat(channel.poll(8)).as("it is done").isPositive();
            assertThat(request.status()).isEqualTo(IoStatus.OK);
        }
    }

    @Test
    void frozenQueueTakesRequestsThatWait() {
        try (DeviceQueue queue = queue(QueueOptions.DEFAULT);
                Channel channel = queue.open(shard)) {
            queue.freeze(WaiterStub.SILENT);
            queue.freeze(WaiterStub.SILENT);
            submit(channel);
            assertThat(channel.poll(8)).isZero();
            queue.unfreeze();
            assertThat(channel.poll(8)).as("frozen once more than unfrozen").isZero();
            queue.unfreeze();
            assertThat(channel.poll(8)).isPositive();
            assertThat(channel.poll(8)).isPositive();
            assertThatThrownBy(queue::unfreeze)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed=0");
        }
    }

    @Test
    void ownerOfAHardwareQueueClosesLast() {
        DeviceQueue queue = queue(QueueOptions.DEFAULT);
        Channel owner = queue.open(shard);
        Channel guest = queue.open(Shard.ofCaller(1, Clock.system()));
        assertThatThrownBy(owner::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("close last: shard=0");
        guest.close();
        owner.close();
        queue.close();
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> queue(QueueOptions.DEFAULT.withHardwareQueues(3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("hardwareQueues=3, shards=2");
        try (DeviceQueue queue = queue(QueueOptions.DEFAULT)) {
            assertThatThrownBy(() -> queue.open(Shard.ofCaller(2, Clock.system())))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("index=2, shards=2");
            assertThatThrownBy(() -> queue.resize(129)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
