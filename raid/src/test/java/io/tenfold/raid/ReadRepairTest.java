package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Shard;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.sim.SimDisk;
import io.tenfold.testkit.ContentRule;
import java.lang.foreign.Arena;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Blocks that a member cannot read are rewritten from another copy, and what becomes of the member if that fails. */
class ReadRepairTest {
    private static final int CHUNK = 64 << 10;
    private static final TestArray NEAR = new TestArray(Layout.near(2), 4, CHUNK, 1 << 20);
    private static final long DATA = TestArray.DATA_OFFSET;
    private static final long MILLI = 1_000_000;
    private static final long HOUR = 3_600_000 * MILLI;

    private final ContentRule rule = new ContentRule(3);

    @Test
    void justTheBlocksThatFailedAreRewrittenAndReadBack() throws Exception {
        Rig rig = filled(NEAR, 1);
        SimDisk disk = rig.array.disks.get(0);
        long events = rig.superblock(0).events();
        disk.spoil(DATA + 8192, 1024);
        disk.inject(request -> {
            assertThat(request.op().changes() && (request.offset() < DATA + 8192 || request.end() > DATA + 9216))
                    .as("written without need: %s", request)
                    .isFalse();
            return null;
        });
        assertThat(rig.read(0, 2 * CHUNK)).isEqualTo(rule.bytes(0, 2 * CHUNK));
        rig.array.world.runFor(100 * MILLI);
        assertThat(rig.array.conductor.state().blocksRepaired()).isEqualTo(2);
        assertThat(disk.peek(DATA + 8192, 1024)).isEqualTo(rule.bytes(8192, 1024));
        assertThat(rig.superblock(0).events()).as("the copies agree as before").isEqualTo(events);
        long errors = rig.array.conductor.state().readErrors();
        rig.array.disks.get(1).vanish();
        assertThat(rig.read(0, CHUNK)).isEqualTo(rule.bytes(0, CHUNK));
        assertThat(rig.array.conductor.state().readErrors())
                .as("but for the one that has gone")
                .isLessThanOrEqualTo(errors + 1);
    }

    @Test
    void blockThatCannotBeRewrittenGoesToTheLog() throws Exception {
        Rig rig = filled(NEAR, 2);
        breakForGood(rig.array.disks.get(0), DATA + 4096, DATA + 4608);
        assertThat(rig.read(0, CHUNK)).isEqualTo(rule.bytes(0, CHUNK));
        rig.array.world.runFor(100 * MILLI);
        ArrayState state = rig.array.conductor.state();
        assertThat(state.blocksRepaired()).isZero();
        assertThat(state.badRanges()).isEqualTo(1);
        assertThat(state.degraded()).isZero();
        assertThat(rig.superblock(0).raw().badBlockLogInUse()).isTrue();
        assertThat(rig.read(0, CHUNK)).isEqualTo(rule.bytes(0, CHUNK));
        assertThat(rig.array.conductor.state().readErrors()).isEqualTo(state.readErrors());
    }

    @Test
    void blockThatDoesNotKeepWhatIsWrittenGoesToTheLog() throws Exception {
        Rig rig = filled(NEAR, 3);
        rig.array
                .disks
                .get(0)
                .inject(request -> request.op() == Op.READ && request.offset() < DATA + 512 && request.end() > DATA
                        ? IoStatus.MEDIUM_ERROR
                        : null);
        assertThat(rig.read(0, CHUNK)).isEqualTo(rule.bytes(0, CHUNK));
        rig.array.world.runFor(100 * MILLI);
        assertThat(rig.array.conductor.state().badRanges()).isEqualTo(1);
    }

    @Test
    void withoutALogTheMemberFails() throws Exception {
        Rig rig = filled(NEAR.withoutLog(), 4);
        breakForGood(rig.array.disks.get(0), DATA + 4096, DATA + 4608);
        assertThat(rig.read(0, CHUNK)).isEqualTo(rule.bytes(0, CHUNK));
        rig.array.world.runFor(100 * MILLI);
        assertThat(rig.superblock(1).role(0)).isEqualTo(Superblock.ROLE_FAULTY);
    }

    @Test
    void blockThatEveryCopyHasLostStaysAsItIs() throws Exception {
        Rig rig = filled(NEAR, 5);
        for (int disk = 0; disk < 2; disk++) {
            rig.array.disks.get(disk).spoil(DATA + 4096, 512);
        }
        rig.array.disks.get(0).spoil(DATA, 512);
        assertThat(rig.readStatus(0, CHUNK)).isEqualTo(IoStatus.MEDIUM_ERROR);
        rig.array.world.runFor(200 * MILLI);
        assertThat(rig.array.conductor.state().blocksRepaired())
                .as("what the other copy has")
                .isEqualTo(1);
        assertThat(rig.read(0, 4096)).isEqualTo(rule.bytes(0, 4096));
        assertThat(rig.readStatus(4096, 512)).isEqualTo(IoStatus.MEDIUM_ERROR);
        assertThat(rig.read(4608, 4096)).isEqualTo(rule.bytes(4608, 4096));
        assertThat(rig.array.conductor.state().degraded()).isZero();
    }

    @Test
    void memberWithTooManyErrorsFailsIfOthersAreEnough() throws Exception {
        Rig rig = filled(NEAR, 6);
        for (int i = 0; i < ReadErrorLimit.MAX; i++) {
            readSpoiled(rig, i);
        }
        assertThat(rig.array.conductor.state().degraded()).isZero();
        assertThat(rig.array.conductor.state().blocksRepaired()).isEqualTo(ReadErrorLimit.MAX);
        readSpoiled(rig, 0);
        assertThat(rig.superblock(1).role(0)).isEqualTo(Superblock.ROLE_FAULTY);
        assertThat(rig.array.conductor.state().failed())
                .singleElement()
                .satisfies(failed -> assertThat(failed.cause()).contains("READ", "MEDIUM_ERROR"));
    }

    @Test
    void errorsOfLongAgoAreForgiven() throws Exception {
        Rig rig = filled(NEAR, 7);
        for (int i = 0; i < ReadErrorLimit.MAX; i++) {
            readSpoiled(rig, i);
        }
        rig.array.world.runFor(HOUR);
        readSpoiled(rig, 0);
        assertThat(rig.array.conductor.state().degraded()).isZero();
    }

    @Test
    void neededMemberWithTooManyErrorsIsRepairedAllTheSame() throws Exception {
        // Role 0 shares chunks with role 1, and with role 2 others, whose second copy is gone.
        Rig rig = filled(new TestArray(Layout.near(2), 3, CHUNK, 1 << 20), 8);
        rig.array.disks.get(2).vanish();
        rig.read(0, 1 << 20);
        for (int i = 0; i <= ReadErrorLimit.MAX; i++) {
            readSpoiled(rig, i);
        }
        ArrayState state = rig.array.conductor.state();
        assertThat(state.degraded()).isEqualTo(1);
        assertThat(state.blocksRepaired()).isEqualTo(ReadErrorLimit.MAX + 1);
    }

    @Test
    void limitIsHalvedWithEveryHour() {
        ReadErrorLimit limit = new ReadErrorLimit(2);
        for (int i = 0; i < ReadErrorLimit.MAX; i++) {
            assertThat(limit.isExceededBy(1, 5 * HOUR)).isFalse();
        }
        assertThat(limit.isExceededBy(1, 5 * HOUR)).isTrue();
        assertThat(limit.isExceededBy(0, 5 * HOUR)).as("another member").isFalse();
        for (int i = 0; i < 10; i++) {
            assertThat(limit.isExceededBy(1, 6 * HOUR))
                    .as("21 halved, and %d", i)
                    .isFalse();
        }
        assertThat(limit.isExceededBy(1, 6 * HOUR)).isTrue();
        assertThat(limit.isExceededBy(1, 1_000 * HOUR)).isFalse();
    }

    @Test
    void readOnlyArrayIsNotRepaired() throws Exception {
        SimArray array = new SimArray(NEAR);
        array.open(9, true);
        array.disks.forEach(disk -> disk.inject(request -> {
            assertThat(request.op()).isEqualTo(Op.READ);
            return null;
        }));
        Rig rig = new Rig(array);
        array.disks.get(0).spoil(DATA, 512);
        assertThat(rig.readStatus(0, CHUNK)).isEqualTo(IoStatus.OK);
        array.world.runFor(1_000 * MILLI);
        assertThat(array.conductor.state().readsRescued()).isEqualTo(1);
        array.stop();
    }

    @Test
    void stopWaitsForTheRepairInHand() throws Exception {
        for (long seed = 0; seed < 20; seed++) {
            Rig rig = filled(NEAR, seed);
            rig.array.disks.get(0).spoil(DATA, 4096);
            rig.read(0, CHUNK);
            rig.array.world.runFor(seed * MILLI / 10);
            rig.channel.close();
            rig.array.stop();
            rig.array.conductor.close();
            assertThat(rig.superblock(0).isClean()).as("seed=%d", seed).isTrue();
        }
    }

    @Test
    void repairDoesNotOvertakeAWrite() throws Exception {
        for (long seed = 0; seed < 60; seed++) {
            assertThat(doCopiesDifferAfterwards(new SimArray(NEAR), seed))
                    .as("seed=%d", seed)
                    .isFalse();
        }
    }

    @Test
    void volumeThatRepairsWithoutKeepingWritesOutIsFoundOut() throws Exception {
        boolean found = false;
        for (long seed = 0; seed < 60 && !found; seed++) {
            SimArray array = new SimArray(NEAR);
            array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly) {
                @Override
                ReadRepair readRepair(Shard shard, Arena arena) {
                    return new ReadRepair(this, shard, arena) {
                        @Override
                        boolean enter(long start, long length) {
                            return true;
                        }

                        @Override
                        void leave(long start, long length) {}
                    };
                }
            };
            found = doCopiesDifferAfterwards(array, seed);
        }
        assertThat(found).isTrue();
    }

    /** Writes to a block again and again while it is repaired. */
    private boolean doCopiesDifferAfterwards(SimArray array, long seed) throws Exception {
        Rig rig = filled(array, seed);
        SimDisk disk = rig.array.disks.get(0);
        byte[] block = new byte[512];
        for (int i = 0; i < 20; i++) {
            disk.spoil(DATA, 512);
            rig.array.device.readFailed(new ReadFailure(0, 0, 512));
            for (int write = 0; write < 6; write++) {
                Arrays.fill(block, (byte) (i * 6 + write));
                assertThat(rig.write(0, block, false)).isEqualTo(IoStatus.OK);
            }
            rig.array.world.runFor(50 * MILLI);
            if (!Arrays.equals(disk.peek(DATA, 512), rig.array.disks.get(1).peek(DATA, 512))) {
                return true;
            }
        }
        return false;
    }

    private Rig filled(TestArray shape, long seed) throws Exception {
        return filled(new SimArray(shape), seed);
    }

    private Rig filled(SimArray array, long seed) throws Exception {
        array.powerOn(seed);
        Rig rig = new Rig(array);
        long size = rig.array.device.sizeBytes();
        for (long at = 0; at < size; at += 1 << 20) {
            int length = (int) Math.min(1 << 20, size - at);
            assertThat(rig.write(at, rule.bytes(at, length), false)).isEqualTo(IoStatus.OK);
        }
        rig.array.world.runFor(3 * Conductor.IDLE_NANOS);
        return rig;
    }

    /** Spoils a block of the first disk, reads it, and waits until that was dealt with. */
    private void readSpoiled(Rig rig, int block) {
        rig.array.disks.get(0).spoil(DATA + block * 512L, 512);
        for (int i = 0; i < 2; i++) { // One of two copies answers.
            assertThat(rig.read(0, CHUNK)).isEqualTo(Arrays.copyOf(rule.bytes(0, CHUNK), CHUNK));
            rig.array.world.runFor(50 * MILLI);
        }
    }

    private static void breakForGood(SimDisk disk, long from, long to) {
        disk.inject(request -> request.op() != Op.FLUSH && request.offset() < to && request.end() > from
                ? IoStatus.MEDIUM_ERROR
                : null);
    }
}
