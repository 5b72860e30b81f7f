package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.FaultDevice;
import io.tenfold.block.IoStatus;
import io.tenfold.block.MemoryDevice;
import io.tenfold.block.NullDevice;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.sim.SimDisk;
import io.tenfold.sim.SimDiskModel;
import io.tenfold.sim.SimMedium;
import io.tenfold.sim.SimWorld;
import io.tenfold.testkit.Allocation;
import io.tenfold.testkit.DeviceContract;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class SingleQueueTest {
    private static final DeviceLimits NARROW = new DeviceLimits(512, 1, 4096, 4, 8192, 8192, 512, false, false);

    private final Shard shard = Shard.ofCaller(0, Clock.system());
    private final List<Request> seen = new ArrayList<>();
    private final List<Request> ended = new ArrayList<>();
    private final MemorySegment memory = MemorySegment.ofArray(new byte[1 << 16]);

    private StrictDevice narrow(BlockDevice device, int inFlightMax) {
        StrictDevice strict = new StrictDevice(device, NARROW, 0, inFlightMax, null, () -> null);
        strict.watch(request -> {
            Request copy = new Request(_ -> {});
            copy.start(request.op(), request.offset(), request.length(), request.fua());
            seen.add(copy);
        });
        return strict;
    }

    private Request request() {
        return new Request(ended::add);
    }

    private static void poll(Channel... channels) {
        for (int i = 0; i < 1000; i++) {
            int moved = 0;
            for (Channel channel : channels) {
                moved += channel.poll(Integer.MAX_VALUE);
            }
            if (moved == 0) {
                return;
            }
        }
        throw new AssertionError("never comes to rest");
    }

    @Test
    void piecesOfARequestStayTogetherWhoeverCompetes() {
        SingleQueue queue = new SingleQueue(narrow(new NullDevice(1 << 20), 1), 8, 1, 0);
        Channel a = queue.open(shard);
        Channel b = queue.open(shard);
        for (int i = 0; i < 4; i++) {
            a.submit(request().write(i * 65536L, memory, 0, 12288, false));
            b.submit(request().write(i * 65536L + 32768, memory, 0, 12288, false));
            a.commit();
            b.commit();
        }
        poll(a, b);
        assertThat(ended).hasSize(8).allMatch(request -> request.status() == IoStatus.OK);
        assertThat(seen).hasSize(24);
        for (int i = 0; i < 24; i++) {
            if (i % 3 > 0) {
                assertThat(seen.get(i).offset()).isEqualTo(seen.get(i - 1).end());
            }
        }
    }

    @Test
    void whoFindsItFullWaitsForABatchOfRoom() {
        SingleQueue queue = new SingleQueue(narrow(new NullDevice(1 << 20), 2), 2, 1, 0);
        Channel owner = queue.open(shard);
        Channel late = queue.open(Shard.ofCaller(1, Clock.system()));
        owner.submit(request().read(0, memory, 0, 512));
        owner.submit(request().read(512, memory, 0, 512));
        owner.commit();
        late.submit(request().read(1024, memory, 0, 512));
        late.commit();
        owner.poll(1);
        late.poll(1);
        assertThat(seen).as("one of two ended: no batch of room yet").hasSize(2);
        owner.poll(1);
        late.poll(1);
        owner.poll(1);
        assertThat(seen).hasSize(3);
        poll(owner, late);
        assertThat(ended).hasSize(3);
    }

    @Test
    void requestLargerThanTheQueueIsDoneInParts() {
        SingleQueue queue = new SingleQueue(narrow(new NullDevice(1 << 20), 1), 2, 1, 0);
        Channel channel = queue.open(shard);
        channel.submit(request().write(0, memory, 0, 65536, true));
        channel.commit();
        poll(channel);
        assertThat(ended).hasSize(1);
        assertThat(seen).hasSize(16).allMatch(Request::fua);
    }

    @Test
    void firstFailureOfAPieceIsTheRequests() {
        FaultDevice faults = new FaultDevice(new NullDevice(1 << 20));
        faults.inject(FaultDevice.Fault.in(Op.WRITE, 4096, 8192, IoStatus.NO_SPACE)
                .or(FaultDevice.Fault.in(Op.WRITE, 8192, 12288, IoStatus.IO_ERROR)));
        SingleQueue queue = new SingleQueue(narrow(faults, 64), 8, 8, 0);
        Channel channel = queue.open(shard);
        channel.submit(request().write(0, memory, 0, 16384, false));
        channel.submit(request().write(16384, memory, 0, 512, false));
        channel.commit();
        poll(channel);
        assertThat(ended).extracting(Request::status).containsExactly(IoStatus.NO_SPACE, IoStatus.OK);
    }

    @Test
    void requestThatCannotBeCutIsRefusedBeforeAnyOfItIsDone() {
        SingleQueue queue = new SingleQueue(narrow(new NullDevice(1 << 20), 8), 8, 8, 0);
        Channel channel = queue.open(shard);
        Request odd = request().start(Op.WRITE, 0, 8192, false);
        odd.add(memory, 0, 4096);
        for (int i = 0; i < 8; i++) {
            odd.add(memory, 0, 512 / 8);
        }
        odd.add(memory, 0, 3584);
        channel.submit(odd);
        channel.commit();
        poll(channel);
        assertThat(odd.status()).isEqualTo(IoStatus.INVALID);
        assertThat(seen).isEmpty();
    }

    @Test
    void ownersChannelMayCloseFirstAndTheNextTakesOver() {
        StrictDevice strict = narrow(new NullDevice(1 << 20), 8);
        SingleQueue queue = new SingleQueue(strict, 8, 8, 0);
        Channel owner = queue.open(shard);
        Channel next = queue.open(Shard.ofCaller(1, Clock.system()));
        owner.close();
        assertThat(strict.open).isZero();
        next.submit(request().read(0, memory, 0, 512));
        next.commit();
        poll(next);
        assertThat(ended).hasSize(1);
        next.close();
        queue.close();
        assertThat(strict.open).isZero();
    }

    @Test
    void badNumbersAreRefused() {
        assertThatThrownBy(() -> new SingleQueue(new NullDevice(512), 0, 1, 0))
                .hasMessage("depth must be 1..32768: depth=0");
        assertThatThrownBy(() -> new SingleQueue(new NullDevice(512), 1, 0, 0))
                .hasMessage("deviceDepth must be above 0: deviceDepth=0");
        assertThatThrownBy(() -> new SingleQueue(new NullDevice(512), 1, 1, 100))
                .hasMessageContaining("boundaryBytes=100");
    }

    @Test
    void nothingIsAllocated() {
        SingleQueue queue = new SingleQueue(narrowLimitsOnly(), 64, 32, 0);
        Channel channel = queue.open(shard);
        int[] done = {0};
        Request[] requests = new Request[32];
        for (int i = 0; i < 32; i++) {
            requests[i] = new Request(_ -> done[0]++);
        }
        Allocation.assertSoonNone("a request through the single queue", 3200, () -> {
            for (int round = 0; round < 100; round++) {
                done[0] = 0;
                for (int i = 0; i < 32; i++) {
                    channel.submit(requests[i].write(i * 8192L, memory, 0, 8192, false));
                }
                channel.commit();
                while (done[0] < 32) {
                    channel.poll(64);
                }
            }
        });
    }

    /** A null device that takes 4096 bytes at a time, without checks that allocate. */
    private static BlockDevice narrowLimitsOnly() {
        NullDevice device = new NullDevice(1 << 20);
        return new BlockDevice() {
            @Override
            public String name() {
                return device.name();
            }

            @Override
            public long sizeBytes() {
                return device.sizeBytes();
            }

            @Override
            public DeviceLimits limits() {
                return NARROW;
            }

            @Override
            public Channel open(Shard on) {
                return device.open(on);
            }

            @Override
            public void close() {
                device.close();
            }
        };
    }

    /** Three threads, one of which owns the device's channel, park for ever between their turns: nobody is forgotten. */
    @Test
    void threadsThatParkAreAllWoken() throws Exception {
        int threads = 3;
        int requests = 3000;
        SingleQueue queue = new SingleQueue(narrowLimitsOnly(), 4, 2, 0);
        AtomicInteger finished = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Shard> shards = new CopyOnWriteArrayList<>();
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int index = t;
            Thread thread = new Thread(() -> {
                try {
                    Shard self = Shard.ofCaller(index, Clock.system());
                    shards.add(self);
                    Channel channel = queue.open(self);
                    int[] done = {0};
                    Request[] own = new Request[4];
                    for (int i = 0; i < own.length; i++) {
                        own[i] = new Request(_ -> done[0]++);
                    }
                    for (int round = 0; round < requests / own.length; round++) {
                        done[0] = 0;
                        for (Request request : own) {
                            channel.submit(request.write(index * 65536L, memory, 0, 8192, false));
                        }
                        channel.commit();
                        while (done[0] < own.length) {
                            if (channel.poll(8) == 0) {
                                self.park(Long.MAX_VALUE);
                            }
                        }
                    }
                    finished.getAndIncrement();
                    shards.forEach(Shard::wake);
                    while (finished.get() < threads) {
                        if (channel.poll(8) == 0) {
                            self.park(Long.MAX_VALUE);
                        }
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            thread.setDaemon(true);
            all.add(thread);
            thread.start();
        }
        for (Thread thread : all) {
            thread.join(60_000);
        }
        assertThat(failure.get()).isNull();
        assertThat(finished.get()).isEqualTo(threads);
    }

    @Nested
    class OverMemory extends DeviceContract {
        @Override
        protected BlockDevice makeDevice() {
            return new SingleQueue(new MemoryDevice(2 << 20), 16, 4, 0);
        }
    }

    @Nested
    class OverMemoryInSmallPieces extends DeviceContract {
        @Override
        protected BlockDevice makeDevice() {
            return new SingleQueue(
                    new StrictDevice(new MemoryDevice(2 << 20), NARROW, 3072, 3, null, () -> null), 5, 3, 3072);
        }
    }

    @Nested
    class OverASimulatedDisk extends DeviceContract {
        private final SimWorld world = new SimWorld(7);

        @Override
        protected BlockDevice makeDevice() {
            SimDisk disk = new SimDisk(world, "disk", new SimMedium(2 << 20), SimDiskModel.flash());
            return new SingleQueue(disk, 16, 4, 1 << 16);
        }

        @Override
        protected Shard makeShard() {
            return world.caller(0);
        }
    }
}
