package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Clock;
import io.tenfold.base.Prng;
import io.tenfold.base.Reactor;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link BlockDevice} must do. A device's test extends this and says how to make one; the device needs at
 * least 1 MiB and must take writes.
 */
public abstract class DeviceContract {
    /** Turns without a completion after which a request counts as lost. */
    private static final int TURNS_MAX = 100_000;

    private static final long PARK_NANOS = 1_000_000;

    private final Arena arena = Arena.ofShared();
    private Shard shard;
    private BlockDevice device;
    private Channel channel;
    private DeviceLimits limits;
    private int block;

    /** A fresh device of at least 1 MiB. */
    protected abstract BlockDevice makeDevice() throws Exception;

    /** The shard that the calling thread is to use. A {@link Reactor} is closed by the contract. */
    protected Shard makeShard() throws Exception {
        return Shard.ofCaller(0, Clock.system());
    }

    /** Another channel's shard of the same thread; the first may serve both. */
    protected Shard secondShard(Shard first) {
        return first;
    }

    @BeforeEach
    void open() throws Exception {
        shard = makeShard();
        device = makeDevice();
        limits = device.limits();
        block = limits.blockBytes();
        channel = device.open(shard);
    }

    @AfterEach
    void close() {
        channel.close();
        device.close();
        if (shard instanceof Reactor reactor) {
            reactor.close();
        }
        arena.close();
    }

    @Test
    void sizeIsAMultipleOfTheBlock() {
        assertThat(device.sizeBytes()).isGreaterThanOrEqualTo(1 << 20);
        assertThat(device.sizeBytes() % block).isZero();
        assertThat(device.name()).isNotBlank();
    }

    @Test
    void whatWasWrittenReadsBack() {
        MemorySegment data = random(8L * block, 1);
        assertThat(write(4L * block, data, false)).isEqualTo(IoStatus.OK);
        assertThat(read(4L * block, 8L * block).mismatch(data)).isEqualTo(-1);
    }

    @Test
    void firstAndLastBlockReadBackAndTheirNeighboursAreUntouched() {
        long last = device.sizeBytes() - block;
        MemorySegment before = random(2L * block, 2);
        write(0, before, false);
        write(last - block, before, false);
        MemorySegment data = random(block, 3);
        write(0, data, false);
        write(last, data, false);

        assertThat(read(0, block).mismatch(data)).isEqualTo(-1);
        assertThat(read(last, block).mismatch(data)).isEqualTo(-1);
        assertThat(read(block, block).mismatch(before.asSlice(block, block))).isEqualTo(-1);
        assertThat(read(last - block, block).mismatch(before.asSlice(0, block))).isEqualTo(-1);
    }

    @Test
    void readTouchesOnlyTheMemoryThatItWasGiven() {
        write(0, random(block, 4), false);
        int margin = Math.max(block, limits.memoryAlignment());
        MemorySegment around = allocate(2L * margin + block);
        around.fill((byte) 0x5a);
        Request request = request().read(0, around, margin, block);
        run(channel, request);
        assertThat(filledWith(around.asSlice(0, margin), 0x5a)).isTrue();
        assertThat(filledWith(around.asSlice(margin + block, margin), 0x5a)).isTrue();
    }

    @Test
    void piecesOfMemoryAreTakenInTheirOrder() {
        if (limits.segmentsMax() < 3) {
            return;
        }
        int unit = Math.max(block, limits.memoryAlignment());
        MemorySegment data = random(3L * unit, 5);
        Request scattered = request().start(Op.WRITE, 0, 3L * unit, false);
        // Stored in the order 2, 0, 1, so that order and place cannot be mistaken for one another.
        MemorySegment store = allocate(3L * unit);
        MemorySegment.copy(data, 0, store, 2L * unit, unit);
        MemorySegment.copy(data, unit, store, 0, unit);
        MemorySegment.copy(data, 2L * unit, store, unit, unit);
        scattered.add(store, 2L * unit, unit).add(store, 0, unit).add(store, unit, unit);
        assertThat(run(channel, scattered)).isEqualTo(IoStatus.OK);
        assertThat(read(0, 3L * unit).mismatch(data)).isEqualTo(-1);

        MemorySegment back = allocate(3L * unit);
        Request gathered = request().start(Op.READ, 0, 3L * unit, false);
        gathered.add(back, 2L * unit, unit).add(back, 0, unit).add(back, unit, unit);
        assertThat(run(channel, gathered)).isEqualTo(IoStatus.OK);
        assertThat(back.mismatch(store)).isEqualTo(-1);
    }

    @Test
    void everyRequestCompletesOnceAndOnlyWithinPoll() {
        int count = 64;
        int[] completions = new int[count];
        boolean[] polling = {false};
        boolean[] outside = {false};
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Request request = new Request(r -> {
                completions[(int) r.user()]++;
                outside[0] |= !polling[0];
            });
            request.user(i);
            request.write((long) i * block, random(block, 100 + i), 0, block, false);
            requests.add(request);
        }
        int submitted = 0;
        for (int turn = 0; turn < TURNS_MAX && sum(completions) < count; turn++) {
            while (submitted < count && channel.submit(requests.get(submitted))) {
                submitted++;
            }
            channel.commit();
            polling[0] = true;
            turn(channel);
            polling[0] = false;
        }
        assertThat(completions).containsOnly(1);
        assertThat(outside[0]).as("a completion came outside poll").isFalse();
        for (int i = 0; i < count; i++) {
            assertThat(read((long) i * block, block).mismatch(random(block, 100 + i)))
                    .as("block %d", i)
                    .isEqualTo(-1);
        }
    }

    @Test
    void completionMaySubmitAgain() {
        int[] left = {20};
        MemorySegment data = random(block, 6);
        Request request = new Request(r -> {
            if (--left[0] > 0) {
                r.write((long) left[0] * block, data, 0, block, false);
                assertThat(channel.submit(r)).isTrue();
            }
        });
        assertThat(channel.submit(request.write(0, data, 0, block, false))).isTrue();
        for (int turn = 0; turn < TURNS_MAX && left[0] > 0; turn++) {
            channel.commit();
            turn(channel);
        }
        assertThat(left[0]).isZero();
    }

    @Test
    void flushAndFuaComplete() {
        assertThat(write(0, random(block, 7), false)).isEqualTo(IoStatus.OK);
        assertThat(run(channel, request().flush())).isEqualTo(IoStatus.OK);
        assertThat(write(block, random(block, 8), true)).isEqualTo(IoStatus.OK);
        assertThat(read(block, block).mismatch(random(block, 8))).isEqualTo(-1);
    }

    @Test
    void zeroedRangeReadsAsZeroesAndNothingElseDoes() {
        if (limits.zeroBytesMax() == 0) {
            return;
        }
        MemorySegment data = random(16L * block, 9);
        write(0, data, false);
        assertThat(run(channel, request().writeZeroes(3L * block, 7L * block, true)))
                .isEqualTo(IoStatus.OK);
        assertThat(filledWith(read(3L * block, 7L * block), 0)).isTrue();
        assertThat(read(0, 3L * block).mismatch(data.asSlice(0, 3L * block))).isEqualTo(-1);
        assertThat(read(10L * block, 6L * block).mismatch(data.asSlice(10L * block, 6L * block)))
                .isEqualTo(-1);
    }

    @Test
    void discardedRangeReadsTheSameTwiceAndItsNeighboursAreUntouched() {
        if (limits.discardBytesMax() == 0) {
            return;
        }
        MemorySegment data = random(16L * block, 10);
        write(0, data, false);
        assertThat(run(channel, request().discard(4L * block, 8L * block, false)))
                .isEqualTo(IoStatus.OK);
        MemorySegment once = read(4L * block, 8L * block);
        assertThat(read(4L * block, 8L * block).mismatch(once)).isEqualTo(-1);
        assertThat(read(0, 4L * block).mismatch(data.asSlice(0, 4L * block))).isEqualTo(-1);
        assertThat(read(12L * block, 4L * block).mismatch(data.asSlice(12L * block, 4L * block)))
                .isEqualTo(-1);
    }

    @Test
    void channelsSeeEachOthersCompletedWrites() {
        MemorySegment data = random(4L * block, 11);
        try (Channel other = device.open(secondShard(shard))) {
            assertThat(run(other, request().write(8L * block, data, 0, 4L * block, false)))
                    .isEqualTo(IoStatus.OK);
            assertThat(read(8L * block, 4L * block).mismatch(data)).isEqualTo(-1);
        }
    }

    @Test
    void longestTransferReadsBack() {
        long length = Math.min(limits.transferBytesMax(), device.sizeBytes() / block * block);
        length = Math.min(length, 64 << 20);
        MemorySegment data = random(length, 12);
        assertThat(write(device.sizeBytes() - length, data, false)).isEqualTo(IoStatus.OK);
        assertThat(read(device.sizeBytes() - length, length).mismatch(data)).isEqualTo(-1);
    }

    @Test
    void randomOperationsAgreeWithAnArray() {
        long seed = 20260;
        Prng prng = new Prng(seed);
        int blocks = (int) Math.min(2048, device.sizeBytes() / block);
        MemorySegment model = allocate((long) blocks * block);
        assertThat(run(channel, request().write(0, model, 0, model.byteSize(), false)))
                .isEqualTo(IoStatus.OK);
        for (int step = 0; step < 300; step++) {
            int first = prng.below(blocks);
            int count = 1 + prng.below(Math.min(64, blocks - first));
            long at = (long) first * block;
            long length = (long) count * block;
            switch (prng.below(4)) {
                case 0, 1 -> {
                    MemorySegment data = random(length, prng.nextLong());
                    assertThat(write(at, data, prng.oneIn(8))).isEqualTo(IoStatus.OK);
                    MemorySegment.copy(data, 0, model, at, length);
                }
                case 2 -> {
                    if (limits.zeroBytesMax() >= length) {
                        assertThat(run(channel, request().writeZeroes(at, length, false)))
                                .isEqualTo(IoStatus.OK);
                        model.asSlice(at, length).fill((byte) 0);
                    }
                }
                default ->
                    assertThat(read(at, length).mismatch(model.asSlice(at, length)))
                            .as("seed=%d, step=%d, offset=%d, length=%d", seed, step, at, length)
                            .isEqualTo(-1);
            }
        }
        assertThat(read(0, model.byteSize()).mismatch(model)).isEqualTo(-1);
    }

    private static Request request() {
        return new Request(_ -> {});
    }

    private IoStatus write(long at, MemorySegment data, boolean fua) {
        return run(channel, request().write(at, data, 0, data.byteSize(), fua));
    }

    private MemorySegment read(long at, long length) {
        MemorySegment into = allocate(length);
        into.fill((byte) 0xa5);
        assertThat(run(channel, request().read(at, into, 0, length))).isEqualTo(IoStatus.OK);
        return into;
    }

    private IoStatus run(Channel on, Request filled) {
        boolean[] done = {false};
        Request tracked = new Request(_ -> done[0] = true);
        tracked.start(filled.op(), filled.offset(), filled.length(), filled.fua());
        if (filled.op().carriesData()) {
            tracked.addPartOf(filled, 0, filled.length());
        }
        int turn = 0;
        for (; turn < TURNS_MAX && !on.submit(tracked); turn++) {
            turn(on);
        }
        on.commit();
        for (; turn < TURNS_MAX && !done[0]; turn++) {
            turn(on);
        }
        assertThat(done[0]).as("never completed: %s", tracked).isTrue();
        return tracked.status();
    }

    private void turn(Channel on) {
        int moved = on.poll(Integer.MAX_VALUE);
        if (shard instanceof Reactor reactor) {
            moved += reactor.poll();
        }
        if (moved == 0) {
            shard.park(PARK_NANOS);
        }
    }

    private MemorySegment allocate(long bytes) {
        return arena.allocate(bytes, Math.max(8, limits.memoryAlignment()));
    }

    private MemorySegment random(long bytes, long seed) {
        MemorySegment data = allocate(bytes);
        Prng prng = new Prng(seed);
        for (long at = 0; at < bytes; at += 8) {
            data.set(ValueLayout.JAVA_LONG, at, prng.nextLong());
        }
        return data;
    }

    private static boolean filledWith(MemorySegment memory, int value) {
        for (long at = 0; at < memory.byteSize(); at++) {
            if ((memory.get(ValueLayout.JAVA_BYTE, at) & 0xff) != value) {
                return false;
            }
        }
        return true;
    }

    private static int sum(int[] counts) {
        int sum = 0;
        for (int count : counts) {
            sum += count;
        }
        return sum;
    }
}
