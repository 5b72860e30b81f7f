package io.tenfold.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.testkit.DeviceContract;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The contract holds for it, and so does what makes it a simulation: power loss, tearing, faults, one seed one run. */
class SimDiskTest extends DeviceContract {
    private static final int BLOCK = 512;

    private final SimWorld contractWorld = new SimWorld(1);

    @Override
    protected BlockDevice makeDevice() {
        return new SimDisk(contractWorld, "sim", new SimMedium(2 << 20), SimDiskModel.flash());
    }

    @Override
    protected Shard makeShard() {
        return contractWorld.caller(0);
    }

    @Test
    void powerLossKeepsWhatWasFlushedAndAnyPartOfTheRest() {
        Map<String, Integer> fates = new java.util.TreeMap<>();
        for (long seed = 0; seed < 60; seed++) {
            Rig rig = new Rig(seed);
            rig.write(0, 8, 1, false);
            rig.run(new Request(_ -> {}).flush());
            rig.write(0, 8, 2, false);
            rig.write(16, 8, 3, true);
            byte[] left = rig.disk.cutPower().read(0, 24 * BLOCK);
            boolean old = false;
            boolean changed = false;
            for (int block = 0; block < 8; block++) {
                byte value = left[block * BLOCK];
                assertThat(value).as("seed=%d, block=%d", seed, block).isIn((byte) 1, (byte) 2);
                old |= value == 1;
                changed |= value == 2;
            }
            for (int block = 16; block < 24; block++) {
                assertThat(left[block * BLOCK])
                        .as("FUA: seed=%d, block=%d", seed, block)
                        .isEqualTo((byte) 3);
            }
            fates.merge(old && changed ? "torn" : old ? "dropped" : "kept", 1, Integer::sum);
        }
        assertThat(fates).containsOnlyKeys("dropped", "kept", "torn");
    }

    @Test
    void flushCoversOnlyWhatWasCompletedBeforeItWasSubmitted() {
        boolean lost = false;
        for (long seed = 0; seed < 40 && !lost; seed++) {
            Rig rig = new Rig(seed);
            Request write = rig.filled(0, 8, 7, false);
            Request flush = new Request(_ -> {}).flush();
            rig.channel.submit(write);
            rig.channel.submit(flush);
            rig.channel.commit();
            rig.drain(2);
            lost = rig.disk.cutPower().read(0, BLOCK)[0] == 0;
        }
        assertThat(lost)
                .as("a flush submitted with a write never saved it by chance alone")
                .isTrue();
    }

    @Test
    void writeInFlightMayBeThereInPartAfterPowerLoss() {
        boolean torn = false;
        for (long seed = 0; seed < 40; seed++) {
            Rig rig = new Rig(seed);
            rig.channel.submit(rig.filled(0, 8, 7, false));
            rig.channel.commit();
            byte[] left = rig.disk.cutPower().read(0, 8 * BLOCK);
            torn |= left[0] != left[7 * BLOCK];
        }
        assertThat(torn).isTrue();
    }

    @Test
    void stableWriteIsNotUndoneByAnOlderOneInTheCache() {
        for (long seed = 0; seed < 40; seed++) {
            Rig rig = new Rig(seed);
            rig.write(0, 8, 1, false);
            rig.write(2, 4, 2, true);
            byte[] left = rig.disk.cutPower().read(0, 8 * BLOCK);
            for (int block = 2; block < 6; block++) {
                assertThat(left[block * BLOCK])
                        .as("seed=%d, block=%d", seed, block)
                        .isEqualTo((byte) 2);
            }
        }
    }

    @Test
    void completionsOvertakeOneAnother() {
        Rig rig = new Rig(3);
        List<Long> order = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Request request = new Request(r -> order.add(r.user()));
            request.user(i);
            request.read((long) i * BLOCK, rig.memory, 0, BLOCK);
            assertThat(rig.channel.submit(request)).isTrue();
        }
        rig.channel.commit();
        rig.drain(16);
        assertThat(order).hasSize(16).isNotEqualTo(order.stream().sorted().toList());
    }

    @Test
    void nothingStartsBeforeItIsCommitted() {
        Rig rig = new Rig(4);
        rig.channel.submit(rig.filled(0, 1, 1, false));
        rig.world.runFor(1_000_000_000);
        assertThat(rig.channel.poll(10)).isZero();
        rig.channel.commit();
        rig.drain(1);
    }

    @Test
    void fullChannelHasNoRoom() {
        Rig rig = new Rig(5);
        int taken = 0;
        while (rig.channel.submit(new Request(_ -> {}).read(0, rig.memory, 0, BLOCK))) {
            taken++;
        }
        assertThat(taken).isEqualTo(SimDiskModel.flash().depth());
    }

    @Test
    void injectedFaultsStrikeAndAreCounted() {
        Rig rig = new Rig(6);
        rig.write(0, 8, 1, true);
        rig.disk.spoil(3 * BLOCK, BLOCK);
        assertThat(rig.read(0, 4)).isEqualTo(IoStatus.MEDIUM_ERROR);
        assertThat(rig.read(4, 4)).isEqualTo(IoStatus.OK);
        assertThat(rig.write(3, 1, 2, false)).isEqualTo(IoStatus.OK);
        assertThat(rig.read(0, 8)).as("writing heals").isEqualTo(IoStatus.OK);
        rig.disk.failNext(Op.FLUSH, 1, IoStatus.IO_ERROR);
        assertThat(rig.run(new Request(_ -> {}).flush())).isEqualTo(IoStatus.IO_ERROR);
        assertThat(rig.run(new Request(_ -> {}).flush())).isEqualTo(IoStatus.OK);
        rig.disk.vanish();
        assertThat(rig.read(0, 1)).isEqualTo(IoStatus.OFFLINE);
        assertThat(rig.disk.injected()).isEqualTo(3);
    }

    @Test
    void requestOutsideOfTheLimitsIsItsSubmittersMistake() {
        Rig rig = new Rig(7);
        assertThatThrownBy(() -> rig.channel.submit(new Request(_ -> {}).read(1, rig.memory, 0, BLOCK)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("outside of the disk's limits");
        assertThatThrownBy(
                        () -> rig.channel.submit(new Request(_ -> {}).read(rig.disk.sizeBytes(), rig.memory, 0, BLOCK)))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void oneSeedGivesOneRunAndAnotherSeedAnother() {
        assertThat(history(11)).isEqualTo(history(11)).isNotEqualTo(history(12));
    }

    private static List<String> history(long seed) {
        Rig rig = new Rig(seed);
        List<String> lines = new ArrayList<>();
        rig.world.watch(lines::add);
        for (int i = 0; i < 50; i++) {
            rig.write(rig.world.random().below(64), 4, i, i % 5 == 0);
        }
        byte[] left = rig.disk.cutPower().read(0, 68 * BLOCK);
        lines.add("fingerprint " + rig.world.fingerprint() + " content " + Arrays.hashCode(left));
        return lines;
    }

    @Test
    void loopsRunInTurnsDrawnBySeedAndSleepAsLongAsTheySaid() {
        SimWorld world = new SimWorld(8);
        List<String> turns = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            long nap = (i + 1) * 1_000_000L;
            world.loop(i, shard -> {
                turns.add(shard.index() + "");
                shard.park(nap);
            });
        }
        world.runFor(20_000_000);
        Map<String, Long> counts = new java.util.TreeMap<>();
        turns.forEach(turn -> counts.merge(turn, 1L, Long::sum));
        assertThat(counts.get("0")).isBetween(19L, 21L);
        assertThat(counts.get("1")).isBetween(9L, 11L);
    }

    @Test
    void wakeBeforeParkIsNotLost() {
        SimWorld world = new SimWorld(9);
        Shard caller = world.caller(0);
        caller.wake();
        caller.park(Long.MAX_VALUE);
        assertThatThrownBy(() -> caller.park(Long.MAX_VALUE))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("parked for ever");
        EnumMap<Op, Integer> turns = new EnumMap<>(Op.class);
        Shard loop = world.loop(1, shard -> {
            turns.merge(Op.READ, 1, Integer::sum);
            if (turns.get(Op.READ) == 1) {
                shard.wake();
            }
            shard.park(Long.MAX_VALUE);
        });
        world.runFor(1_000_000);
        assertThat(turns.get(Op.READ)).as("%s", loop).isEqualTo(2);
    }

    /** One disk, one channel, blocking. */
    private static final class Rig {
        final SimWorld world;
        final SimDisk disk;
        final Shard shard;
        final Channel channel;
        final MemorySegment memory = Arena.ofAuto().allocate(64 * BLOCK, 4096);

        Rig(long seed) {
            world = new SimWorld(seed);
            disk = new SimDisk(world, "d0", new SimMedium(1 << 20), SimDiskModel.flash());
            shard = world.caller(0);
            channel = disk.open(shard);
        }

        Request filled(long block, int blocks, int value, boolean fua) {
            MemorySegment data = Arena.ofAuto().allocate((long) blocks * BLOCK, 4096);
            data.fill((byte) value);
            return new Request(_ -> {}).write(block * BLOCK, data, 0, data.byteSize(), fua);
        }

        IoStatus write(long block, int blocks, int value, boolean fua) {
            return run(filled(block, blocks, value, fua));
        }

        IoStatus read(long block, int blocks) {
            return run(new Request(_ -> {}).read(block * BLOCK, memory, 0, (long) blocks * BLOCK));
        }

        IoStatus run(Request request) {
            assertThat(channel.submit(request)).isTrue();
            channel.commit();
            drain(1);
            return request.status();
        }

        void drain(int count) {
            int left = count;
            while (left > 0) {
                int moved = channel.poll(64);
                left -= moved;
                if (moved == 0) {
                    shard.park(Long.MAX_VALUE);
                }
            }
        }
    }
}
