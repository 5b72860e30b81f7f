package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.FaultDevice;
import io.tenfold.block.IoStatus;
import io.tenfold.block.NullDevice;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Corners of {@link DeviceQueue} that its simulated lives reach seldom, or that a loop which polls for ever hides. */
class DeviceQueueEdgeTest {
    private final Shard shard = Shard.ofCaller(0, Clock.system());
    private final MemorySegment memory = MemorySegment.ofArray(new byte[1 << 16]);
    private final List<String> seen = new ArrayList<>();
    private int ended;

    private Request request() {
        return new Request(_ -> ended++);
    }

    private DeviceQueue narrow(QueueOptions options) {
        StrictDevice device = new StrictDevice(
                new NullDevice(1 << 20),
                NarrowDevice.of(new NullDevice(1 << 20), 4096, 4, 8192, 0).limits(),
                0,
                1000,
                null,
                () -> null);
        device.watch(lower -> seen.add(lower.op() + " " + lower.offset()));
        return new DeviceQueue(device, options, 2);
    }

    private void pollUntil(int count, Channel... channels) {
        for (int i = 0; i < 10_000 && ended < count; i++) {
            for (Channel channel : channels) {
                channel.poll(1);
            }
        }
        assertThat(ended).isEqualTo(count);
    }

    private static void rest(Channel channel) {
        int moved = 1;
        while (moved > 0) {
            moved = channel.poll(1);
        }
    }

    /** One who waits for his own request polls no more than he must; nobody may wait for him then. */
    @Test
    void freezeNeedNotWaitForWhomAllIsToldAlready() {
        for (WriteCache cache : WriteCache.values()) {
            ended = 0;
            DeviceQueue queue = narrow(QueueOptions.DEFAULT.withWriteCache(cache));
            Channel channel = queue.open(shard);
            queue.freeze(WaiterStub.SILENT);
            channel.submit(request().flush());
            channel.commit();
            queue.unfreeze();
            pollUntil(1, channel);
            queue.freeze(WaiterStub.SILENT); // Would park.
            queue.unfreeze();
            channel.submit(request().write(0, memory, 0, 8192, true));
            channel.commit();
            pollUntil(2, channel);
            queue.freeze(WaiterStub.SILENT);
            queue.unfreeze();
            channel.close();
            queue.close();
        }
    }

    @Test
    void completionMaySubmitOnEveryChannelOfItsShard() {
        DeviceQueue queue = narrow(QueueOptions.DEFAULT.withDepth(1).withWriteCache(WriteCache.VOLATILE));
        Channel[] channels = {queue.open(shard), queue.open(shard)};
        Request odd = new Request(_ -> ended++);
        Request[] again = new Request[1];
        again[0] = new Request(done -> {
            if (++ended < 300) {
                Channel next = channels[ended % 2];
                next.submit(done.write(ended % 7 * 4096L, memory, 0, 4096L * (1 + ended % 5), ended % 3 == 0));
                if (ended % 10 == 0) {
                    odd.start(Op.WRITE, 0, 8192, false).add(memory, 0, 4096);
                    for (int i = 0; i < 8; i++) {
                        odd.add(memory, 0, 64);
                    }
                    next.submit(odd.add(memory, 0, 3584));
                }
                next.commit();
            }
        });
        channels[0].submit(again[0].read(0, memory, 0, 512));
        channels[0].commit();
        for (int i = 0; i < 100_000 && ended < 300; i++) {
            channels[0].poll(1);
            channels[1].poll(1);
        }
        for (Channel channel : channels) {
            rest(channel);
        }
        assertThat(ended).isGreaterThanOrEqualTo(300);
        channels[1].close();
        channels[0].close();
        queue.close();
    }

    @Test
    void resizeBelowWhatAWaitingClaimNeedsLetsItGoOnInParts() {
        for (WakePolicy policy : TagSetTest.policies()) {
            ended = 0;
            DeviceQueue queue = narrow(QueueOptions.DEFAULT.withDepth(8).withWakePolicy(policy));
            Channel a = queue.open(shard);
            Channel b = queue.open(shard);
            queue.quiesce(WaiterStub.SILENT);
            a.submit(request().write(0, memory, 0, 16384, false));
            a.commit();
            b.submit(request().write(65536, memory, 0, 65536, false));
            b.commit();
            queue.resize(1);
            a.submit(request().write(262144, memory, 0, 65536, false));
            a.commit();
            queue.unquiesce();
            pollUntil(3, a, b);
            b.close();
            a.close();
            queue.close();
        }
    }

    @Test
    void flushCoversWhatWasToldOfBeforeItThoughMoreIsOnItsWay() {
        DeviceQueue queue = narrow(QueueOptions.DEFAULT.withWriteCache(WriteCache.VOLATILE));
        Channel channel = queue.open(shard);
        channel.submit(request().write(0, memory, 0, 12288, true));
        channel.commit();
        pollUntil(1, channel);
        assertThat(seen).containsExactly("WRITE 0", "WRITE 4096", "WRITE 8192", "FLUSH 0");
        channel.close();
        queue.close();
    }

    @Test
    void failureOfOnePieceOfManyIsToldAfterAllHaveEndedAndNotFlushed() {
        FaultDevice faults = new FaultDevice(new NullDevice(1 << 20));
        faults.inject(FaultDevice.Fault.in(Op.WRITE, 4096, 8192, IoStatus.IO_ERROR));
        DeviceQueue queue = new DeviceQueue(
                NarrowDevice.of(faults, 4096, 4, 8192, 0),
                QueueOptions.DEFAULT.withWriteCache(WriteCache.VOLATILE).withRetries(3),
                1);
        Channel channel = queue.open(shard);
        Request request = request().write(0, memory, 0, 16384, true);
        channel.submit(request);
        channel.commit();
        pollUntil(1, channel);
        assertThat(request.status()).isEqualTo(IoStatus.IO_ERROR);
        assertThat(queue.statistics().requeues()).isEqualTo(3);
        assertThat(queue.statistics().flushes()).isZero();
        assertThat(queue.statistics().pieces()).isEqualTo(4);
        channel.close();
        queue.close();
    }

    @Test
    void ownersPollDoesTheOthersWorkThoughItsOwnChannelsWantNothing() {
        DeviceQueue queue = narrow(QueueOptions.DEFAULT.withDepth(2).withDeviceDepth(1));
        int[] woken = {0};
        Shard other = Shard.ofCaller(1, Clock.system());
        Channel owner = queue.open(new Shard() {
            @Override
            public int index() {
                return 0;
            }

            @Override
            public Clock clock() {
                return Clock.system();
            }

            @Override
            public void park(long nanosMax) {
                throw new AssertionError("parks");
            }

            @Override
            public void wake() {
                woken[0]++;
            }
        });
        Channel channel = queue.open(other);
        for (int i = 0; i < 5; i++) {
            channel.submit(request().write(i * 65536L, memory, 0, 12288, false));
        }
        channel.commit();
        for (int i = 0; i < 1000 && ended < 5; i++) {
            if (woken[0] > 0) { // As a loop does: only what wakes it lets it poll, until nothing moves.
                woken[0] = 0;
                rest(owner);
            }
            rest(channel);
        }
        assertThat(ended).isEqualTo(5);
        channel.close();
        owner.close();
        queue.close();
    }
}
