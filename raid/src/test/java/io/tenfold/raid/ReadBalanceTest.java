package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import io.tenfold.sim.SimDisk;
import io.tenfold.sim.SimDiskModel;
import io.tenfold.sim.SimHdd;
import io.tenfold.sim.SimHddModel;
import io.tenfold.sim.SimMedium;
import io.tenfold.sim.SimWorld;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is read, in virtual time, so that figures are the same everywhere. How fast that is, is experiment B of the lab. */
class ReadBalanceTest {
    private static final int CHUNK = 64 << 10;
    private static final TestArray PAIR = new TestArray(Layout.near(2), 2, CHUNK, 8 << 20);
    private static final TestArray FOUR = new TestArray(Layout.near(2), 4, CHUNK, 8 << 20);
    private static final long GIB = 1L << 30;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 64, 256})
    void equalMembersAreReadEqually(int depth) throws Exception {
        Rig rig = new Rig(FOUR, ReadRule.BALANCED, 1);
        rig.random(20_000, depth);
        for (double share : rig.shares()) {
            assertThat(share).as("depth=%d", depth).isCloseTo(25, within(1.0));
        }
    }

    @Test
    void firstCopyRuleLeavesTheSecondIdle() throws Exception {
        Rig rig = new Rig(FOUR, ReadRule.FIRST_COPY, 1);
        rig.random(2_000, 16);
        assertThat(rig.shares()[0]).isCloseTo(50, within(3.0));
        assertThat(rig.shares()[1]).isZero();
    }

    @Test
    void memberThatIsSlowIsPassedOverAndFoundAgainWhenItIsQuick() throws Exception {
        Rig rig = new Rig(PAIR, ReadRule.BALANCED, 2);
        rig.disk(0).slowdown(100);
        rig.random(500, 1);
        rig.forget();
        rig.random(5_000, 1);
        assertThat(rig.shares()[1]).as("while the first is slow").isGreaterThan(99);
        rig.disk(0).slowdown(1);
        rig.random(100_000, 1);
        rig.forget();
        rig.random(5_000, 1);
        assertThat(rig.shares()[1]).as("when it is quick again").isCloseTo(50, within(3.0));
    }

    @Test
    void slowAnswerNowAndThenBanishesNobody() throws Exception {
        SimDiskModel model = new SimDiskModel(512, 512, 64, 50_000, 150_000, 50, true, true);
        Rig rig = new Rig(PAIR, ReadRule.BALANCED, 3, model);
        rig.random(50_000, 1);
        assertThat(rig.shares()[0]).isCloseTo(50, within(5.0));
    }

    @Test
    void uncleanArrayIsReadFromTheFirstCopyUntilTheCopiesAgree() throws Exception {
        SimArray array = new SimArray(PAIR);
        for (int role = 0; role < 2; role++) {
            byte[] superblock = PAIR.superblock(role, 7, false);
            array.media.get(role).write(TestArray.SUPERBLOCK_AT, superblock, 0, superblock.length);
            byte[] data = new byte[8 << 20];
            Arrays.fill(data, (byte) (role + 1));
            array.media.get(role).write(TestArray.DATA_OFFSET, data, 0, data.length);
        }
        array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly) {
            @Override
            boolean doCopiesAgreeBelow(long address) {
                return true;
            }
        };
        array.open(1, true);
        assertThat(new Rig(array).random(2_000, 16)).as("canary").containsExactly(1, 2);
        array.maker = RaidDevice::new;
        array.open(1, true);
        Rig rig = new Rig(array);
        assertThat(rig.random(2_000, 16)).as("bytes that were read").containsExactly(1);
        assertThat(rig.shares()[1]).isZero();
        array.open(1, false);
        array.settle();
        rig = new Rig(array);
        assertThat(rig.random(2_000, 16)).containsExactly(1);
        assertThat(rig.shares()[1]).isCloseTo(50, within(5.0));
    }

    @Test
    void onlyWhatLiesBelowTheCheckpointIsBalanced() throws Exception {
        SimArray array = new SimArray(PAIR);
        for (int role = 0; role < 2; role++) {
            byte[] superblock = new SuperblockBytes(PAIR.superblock(role, 7, false))
                    .resyncOffset((4 << 20) / 512)
                    .done();
            array.media.get(role).write(TestArray.SUPERBLOCK_AT, superblock, 0, superblock.length);
        }
        array.open(1, true);
        Rig rig = new Rig(array);
        Prng prng = new Prng(1);
        rig.read(1_000, 8, 4096, () -> prng.below(1 << 10) * 4096L);
        assertThat(rig.shares()[1]).isCloseTo(50, within(10.0));
        rig.forget();
        rig.read(1_000, 8, 4096, () -> (4 << 20) - 2048 + prng.below(1 << 10) * 4096L);
        assertThat(rig.shares()[1]).as("across the checkpoint and above").isZero();
    }

    @Test
    void copiesThatMayDifferByAFailedWriteAreReadInOrder() throws Exception {
        Rig rig = new Rig(PAIR, ReadRule.BALANCED, 4);
        rig.random(100, 1);
        rig.device.copiesMayDiffer();
        rig.forget();
        rig.random(1_000, 16);
        assertThat(rig.shares()[1]).isZero();
    }

    @Test
    void writeMostlyMemberIsReadOnlyWhereNobodyElseHoldsTheRange() throws Exception {
        SimArray array = new SimArray(PAIR);
        byte[] superblock =
                new SuperblockBytes(PAIR.superblock(0, 7, true)).put8(184, 1).done();
        array.media.get(0).write(TestArray.SUPERBLOCK_AT, superblock, 0, superblock.length);
        array.open(1, false);
        Rig rig = new Rig(array);
        rig.random(1_000, 32);
        assertThat(rig.shares()[0]).isZero();
        rig.disk(1).spoil(TestArray.DATA_OFFSET, 1 << 20);
        rig.random(1_000, 4);
        assertThat(rig.shares()[0]).as("where the other cannot be read").isPositive();
    }

    @Test
    void whoeverIsChosenAndFailsTheOtherAnswers() throws Exception {
        Rig rig = new Rig(PAIR, ReadRule.BALANCED, 5);
        rig.disk(1).spoil(TestArray.DATA_OFFSET, 4 << 20);
        rig.disk(0).spoil(TestArray.DATA_OFFSET + (4 << 20), 4 << 20);
        rig.random(2_000, 16);
        assertThat(rig.array.conductor.state().readErrors()).isBetween(900L, 1_100L);
        assertThat(rig.array.conductor.state().readsLost()).isZero();
    }

    @Test
    void oneStreamStaysOnOneDisk() throws Exception {
        Rig rig = Rig.ofDisks(Layout.near(2), 2);
        long[] at = {GIB};
        rig.read(500, 8, 128 << 10, () -> (at[0] += 128 << 10) - (128 << 10));
        assertThat(rig.seeks).isLessThanOrEqualTo(1);
        assertThat(Arrays.stream(rig.shares()).max().orElse(0)).isEqualTo(100);
    }

    @Test
    void twoStreamsTakeADiskEachAndRandomReadsDoNotDrawThemOff() throws Exception {
        Rig rig = Rig.ofDisks(Layout.near(2), 2);
        long[] at = {GIB, 3 * GIB};
        int[] turn = {0};
        rig.read(500, 8, 128 << 10, () -> {
            int stream = turn[0]++ % 2;
            at[stream] += 128 << 10;
            return at[stream] - (128 << 10);
        });
        assertThat(rig.seeks).isLessThanOrEqualTo(2);
        for (double share : rig.shares()) {
            assertThat(share).isCloseTo(50, within(1.0));
        }
    }

    @Test
    void randomReadsKeepAllDisksBusy() throws Exception {
        Rig rig = Rig.ofDisks(Layout.near(2), 4);
        Prng prng = new Prng(3);
        rig.read(4_000, 32, 4096, () -> prng.below(rig.device.sizeBytes() / 4096) * 4096);
        for (double share : rig.shares()) {
            assertThat(share).isCloseTo(25, within(3.0));
        }
    }

    @Test
    void farLayoutIsReadFromTheOuterSection() throws Exception {
        Rig rig = Rig.ofDisks(Layout.far(2), 2);
        Prng prng = new Prng(4);
        rig.read(1_000, 8, 4096, () -> prng.below(rig.device.sizeBytes() / 4096) * 4096);
        assertThat(rig.addressMax).isLessThan(TestArray.DATA_OFFSET + 2 * GIB);
        for (double share : rig.shares()) {
            assertThat(share).isCloseTo(50, within(4.0));
        }
    }

    @Test
    void ruleOfBeforeFollowsTheHeadOnFlashToo() throws Exception {
        Rig rig = new Rig(PAIR, ReadRule.NEAREST_HEAD, 6);
        rig.random(1_000, 1);
        assertThat(rig.shares()[0]).as("idle first").isEqualTo(100);
    }

    /** An array and one who reads it. */
    private static final class Rig {
        private static final long DISK_BYTES = 4 * GIB;

        final SimArray array;
        final RaidDevice device;
        final Channel channel;
        final Shard shard;
        final Prng prng = new Prng(9);
        private final MemorySegment memory = MemorySegment.ofArray(new byte[128 << 10]);
        private final boolean[] seen = new boolean[256];
        private long[] before;
        private int done;

        /** Of disks: reads that do not start where the one before on the same disk ended, and the end of the farthest. */
        private int seeks;

        private long addressMax;

        Rig(TestArray shape, ReadRule rule, long seed) throws RefusedException {
            this(shape, rule, seed, SimDiskModel.flash());
        }

        Rig(TestArray shape, ReadRule rule, long seed, SimDiskModel model) throws RefusedException {
            this(poweredOn(shape, rule, seed, model));
        }

        Rig(SimArray array) {
            this(array, array.world, array.device);
        }

        private Rig(SimArray array, SimWorld world, RaidDevice device) {
            this.array = array;
            this.device = device;
            shard = world.caller(1);
            channel = device.open(shard);
            forget();
        }

        private static SimArray poweredOn(TestArray shape, ReadRule rule, long seed, SimDiskModel model)
                throws RefusedException {
            SimArray array = new SimArray(shape);
            array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly, rule);
            array.model = model;
            array.powerOn(seed);
            return array;
        }

        /** Spinning disks. */
        static Rig ofDisks(Layout layout, int members) throws RefusedException {
            SimWorld world = new SimWorld(7);
            TestArray shape = new TestArray(layout, members, CHUNK, DISK_BYTES);
            List<BlockDevice> disks = new ArrayList<>();
            List<SimHdd> all = new ArrayList<>();
            for (int role = 0; role < members; role++) {
                SimMedium medium = new SimMedium(shape.deviceBytes());
                byte[] superblock = shape.superblock(role, 7, true);
                medium.write(TestArray.SUPERBLOCK_AT, superblock, 0, superblock.length);
                SimHddModel model = SimHddModel.sata7200().withSizeBytes(shape.deviceBytes());
                all.add(new SimHdd(world, "d" + role, model, medium));
                disks.add(all.getLast());
            }
            RaidDevice device =
                    new RaidDevice(Examination.of(disks, world.caller(0)).assemble(), true);
            Rig rig = new Rig(null, world, device);
            for (SimHdd disk : all) {
                disk.trace(rig.new Arm());
            }
            return rig;
        }

        /** Where a disk's arm goes. */
        private final class Arm implements SimHdd.Trace {
            private long end;

            @Override
            public void dispatched(long nanos, Request request) {
                seeks += request.offset() == end ? 0 : 1;
                end = request.end();
                addressMax = Math.max(addressMax, end);
            }

            @Override
            public void completed(long nanos, Request request) {
                // Where it was sent is what counts.
            }
        }

        SimDisk disk(int index) {
            return array.disks.get(index);
        }

        /** Blocks at random over all of the array; which bytes were read. */
        List<Integer> random(int count, int depth) {
            Arrays.fill(seen, false);
            read(count, depth, 4096, () -> prng.below(device.sizeBytes() / 4096) * 4096);
            return IntStream.range(0, seen.length).filter(i -> seen[i]).boxed().toList();
        }

        /** So many reads, a number of them in flight. */
        void read(int count, int depth, int length, LongSupplier offsets) {
            done = 0;
            int[] sent = {0};
            for (int i = 0; i < depth; i++) {
                Request request = new Request(ended -> {
                    assertThat(ended.status()).isEqualTo(IoStatus.OK);
                    seen[memory.get(ValueLayout.JAVA_BYTE, 0)] = true;
                    done++;
                    if (sent[0] < count) {
                        sent[0]++;
                        assertThat(channel.submit(ended.read(offsets.getAsLong(), memory, 0, length)))
                                .isTrue();
                    }
                });
                sent[0]++;
                assertThat(channel.submit(request.read(offsets.getAsLong(), memory, 0, length)))
                        .isTrue();
            }
            channel.commit();
            while (done < sent[0]) {
                if (channel.poll(100) == 0) {
                    shard.park(Long.MAX_VALUE);
                }
                channel.commit();
            }
        }

        /** Counts shares from now on. */
        void forget() {
            before = device.readsByMember();
        }

        /** What each member was asked, in percent. */
        double[] shares() {
            long[] now = device.readsByMember();
            double[] shares = new double[now.length];
            Arrays.setAll(shares, i -> now[i] - before[i]);
            double sum = Arrays.stream(shares).sum();
            return Arrays.stream(shares).map(share -> 100 * share / sum).toArray();
        }
    }
}
