package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import io.tenfold.block.Channel;
import io.tenfold.block.FaultDevice;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.raid.md.Superblock1;
import io.tenfold.sim.SimMedium;
import io.tenfold.testkit.ContentRule;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Members that lack data are filled while the array is used, and superblocks never claim more than is there. */
class RecoveryTest {
    private static final int CHUNK = 64 << 10;
    private static final long MIB = 1 << 20;
    private static final TestArray NEAR = new TestArray(Layout.near(2), 4, CHUNK, 4 * MIB);

    /** An array whose copies agree. */
    private static SimArray filled(TestArray shape) {
        SimArray array = new SimArray(shape);
        Geometry geometry = shape.geometry();
        ContentRule rule = new ContentRule(7);
        for (long chunk = 0; chunk < geometry.arrayChunks(); chunk++) {
            byte[] content = rule.bytes(geometry.startOf(chunk), (int) geometry.chunkBytes());
            for (int copy = 0; copy < geometry.copies(); copy++) {
                long place = geometry.locate(chunk, copy);
                array.media.get(Geometry.role(place)).write(addressOf(geometry, place), content, 0, content.length);
            }
        }
        return array;
    }

    private static long addressOf(Geometry geometry, long place) {
        return TestArray.DATA_OFFSET + geometry.startOf(Geometry.memberChunk(place));
    }

    /** What is on the media, read as the superblocks say: whole, clean, and each copy of everything right. */
    private static ArrayPlan assertWhole(SimArray array) throws Exception {
        ArrayPlan plan = array.plan();
        assertThat(plan.missing()).isEmpty();
        assertThat(plan.isClean()).isTrue();
        Geometry geometry = plan.geometry();
        ContentRule rule = new ContentRule(7);
        Map<Integer, SimMedium> byRole = new TreeMap<>();
        for (ArrayPlan.Member member : plan.members()) {
            assertThat(byRole.put(
                            member.role(),
                            array.media.get(SimArray.number(member.device().name()))))
                    .as("role=%d", member.role())
                    .isNull();
        }
        for (long chunk = 0; chunk < geometry.arrayChunks(); chunk++) {
            byte[] right = rule.bytes(geometry.startOf(chunk), (int) geometry.chunkBytes());
            for (int copy = 0; copy < geometry.copies(); copy++) {
                long place = geometry.locate(chunk, copy);
                byte[] held = byRole.get(Geometry.role(place)).read(addressOf(geometry, place), right.length);
                assertThat(held)
                        .as("%s, chunk=%d, copy=%d", geometry, chunk, copy)
                        .isEqualTo(right);
            }
        }
        return plan;
    }

    private static void superblock(SimArray array, int disk, SuperblockBytes changed) {
        byte[] bytes = changed.done();
        array.media.get(disk).write(TestArray.SUPERBLOCK_AT, bytes, 0, bytes.length);
    }

    private static SuperblockBytes superblockOf(SimArray array, int disk) {
        return new SuperblockBytes(array.media.get(disk).read(TestArray.SUPERBLOCK_AT, 256 + 2 * TestArray.SLOTS));
    }

    private static void forget(SimArray array, int disk, long from) {
        byte[] garbage = new byte[(int) (array.array.memberBytes() - from)];
        Arrays.fill(garbage, (byte) 0x5a);
        array.media.get(disk).write(TestArray.DATA_OFFSET + from, garbage, 0, garbage.length);
    }

    @Test
    void spareStepsInForTheMissingMemberInEveryLayout() throws Exception {
        for (TestArray shape : List.of(
                NEAR,
                new TestArray(Layout.near(2), 3, CHUNK, MIB),
                new TestArray(Layout.near(3), 5, 4096, 320 << 10),
                new TestArray(Layout.far(2), 4, CHUNK, MIB),
                new TestArray(Layout.far(3), 5, 4096, 320 << 10),
                new TestArray(Layout.offset(2), 4, CHUNK, MIB),
                new TestArray(Layout.near(2), 4, 2 << 20, 8 * MIB),
                new TestArray(new Layout(2, 2, false, 0), 6, 8192, 320 << 10))) {
            for (int missing = 0; missing < shape.members(); missing += 2) {
                SimArray array = filled(shape);
                array.addSpare();
                array.media.set(missing, null);
                array.powerOn(1);
                assertThat(array.outcomes).containsExactly(SyncListener.Outcome.DONE);
                assertThat(array.ended.getFirst().kind()).isEqualTo(SyncKind.RECOVERY);
                assertThat(array.ended.getFirst().role()).isEqualTo(missing);
                assertThat(array.conductor.state().degraded()).isZero();
                array.powerOff(); // What is said to be done is stable.
                ArrayPlan plan = assertWhole(array);
                assertThat(plan.spares()).isEmpty();
            }
        }
    }

    @Test
    void memberThatComesBackAfterASpareHasItsRoleIsStale() throws Exception {
        SimArray array = filled(NEAR);
        array.addSpare();
        SimMedium gone = array.media.set(1, null);
        array.powerOn(2);
        array.stop();
        array.powerOff();
        array.media.set(1, gone);
        ArrayPlan plan = assertWhole(array);
        assertThat(plan.leftOut())
                .singleElement()
                .satisfies(out -> assertThat(out.reason()).isEqualTo(LeftOut.Reason.STALE));
    }

    @Test
    void spareWithoutRoomIsNotTaken() throws Exception {
        SimArray array = filled(NEAR);
        array.addSpare();
        superblock(array, 4, superblockOf(array, 4).put64(136, NEAR.memberBytes() / 512 - 8));
        array.media.set(1, null);
        array.open(3, false);
        array.world.runFor(1_000_000_000);
        assertThat(array.ended).isEmpty();
        assertThat(array.conductor.state().degraded()).isEqualTo(1);
    }

    @Test
    void recoveryGoesOnWhereItsSuperblockSays() throws Exception {
        SimArray array = filled(NEAR);
        superblock(
                array,
                2,
                superblockOf(array, 2)
                        .featureMap(Superblock1.FEATURE_RECOVERY_OFFSET)
                        .recoveryOffset(3 * MIB / 512));
        forget(array, 2, 3 * MIB);
        array.powerOn(4);
        assertThat(array.outcomes).containsExactly(SyncListener.Outcome.DONE);
        SyncProgress pass = array.ended.getFirst();
        assertThat(pass.fromBytes()).isEqualTo(3 * MIB);
        assertThat(pass.rewrittenBytes()).isEqualTo(MIB);
        array.powerOff();
        assertWhole(array);
    }

    @Test
    void replacementTakesTheRoleAndTheOldMemberIsFaulty() throws Exception {
        SimArray array = filled(NEAR);
        replacementFor(array, 1);
        array.powerOn(5);
        assertThat(array.ended.getFirst().kind()).isEqualTo(SyncKind.REPLACEMENT);
        array.stop();
        array.powerOff();
        ArrayPlan plan = assertWhole(array);
        assertThat(plan.members().get(1).device().name()).isEqualTo("d4");
        assertThat(plan.members().get(1).replacement()).isFalse();
        assertThat(plan.leftOut()).singleElement().satisfies(out -> {
            assertThat(out.member().name()).isEqualTo("d1");
            assertThat(out.text()).contains("failed");
        });
    }

    /** Adds a disk that stands beside the one with a role, to replace it, and holds nothing yet. */
    private static void replacementFor(SimArray array, int role) {
        array.addSpare();
        for (int disk = 0; disk < array.media.size(); disk++) {
            superblock(array, disk, superblockOf(array, disk).role(4, role));
        }
        superblock(
                array,
                4,
                superblockOf(array, 4)
                        .featureMap(Superblock1.FEATURE_RECOVERY_OFFSET | Superblock1.FEATURE_REPLACEMENT)
                        .recoveryOffset(0));
    }

    @Test
    void replacementOfAMemberThatFailsMeanwhileIsFilledFromTheOtherCopy() throws Exception {
        SimArray array = filled(NEAR);
        replacementFor(array, 1);
        array.open(6, false);
        array.world.runFor(6_000_000);
        assertThat(array.ended).isEmpty();
        array.disk("d1").vanish();
        array.settle();
        assertThat(array.conductor.state().degraded()).isZero();
        array.stop();
        array.powerOff();
        assertWhole(array);
    }

    /** Recovery and replacement, with power that goes away at any moment, again and again. */
    @Test
    void powerLossAtAnyMomentLosesNothing() throws Exception {
        for (long seed = 0; seed < 30; seed++) {
            SimArray array = filled(NEAR);
            boolean replaces = seed % 2 == 0;
            if (replaces) {
                replacementFor(array, 1);
            } else {
                array.addSpare();
                array.media.set(1, null);
            }
            losePower(array, seed);
            assertWhole(array);
        }
    }

    private static void losePower(SimArray array, long seed) throws RefusedException {
        for (int round = 0; round < 4; round++) {
            array.open(100 * seed + round, false);
            array.world.runFor(array.world.random().below(30_000_000));
            array.powerOff();
        }
        array.powerOn(100 * seed + 50);
        array.stop();
        array.powerOff();
    }

    /** The canary: without the flush before it, a checkpoint claims what is not there. */
    @Test
    void checkpointWithoutAFlushIsFoundOut() {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
            for (long seed = 0; seed < 30; seed++) {
                SimArray array = filled(NEAR);
                array.addSpare();
                array.media.set(1, null);
                array.wrap = disk -> {
                    FaultDevice lazy = new FaultDevice(disk);
                    lazy.inject(FaultDevice.Fault.in(Op.FLUSH, 0, 0, IoStatus.OK));
                    return lazy;
                };
                losePower(array, seed);
                assertWhole(array);
            }
        });
    }

    @Test
    void stopInTheMiddleLeavesACheckpoint() throws Exception {
        SimArray array = filled(NEAR);
        array.addSpare();
        array.media.set(1, null);
        array.open(7, false);
        array.world.runFor(12_000_000);
        array.stop();
        assertThat(array.outcomes).containsExactly(SyncListener.Outcome.STOPPED);
        assertNothingIsRaised(array);
        long stoppedAt = array.ended.getFirst().doneBytes();
        assertThat(stoppedAt).isBetween(1L, NEAR.memberBytes() - 1);
        array.powerOff();
        ArrayPlan plan = array.plan();
        assertThat(plan.isClean()).isTrue();
        assertThat(plan.members().get(1).recoveredBytes()).isEqualTo(stoppedAt);
        array.powerOn(8);
        assertThat(array.ended.getFirst().fromBytes()).isEqualTo(stoppedAt);
        array.stop();
        array.powerOff();
        assertWhole(array);
    }

    @Test
    void stoppedResyncGoesOnAtItsCheckpointAndReadsOnlyWhereCopiesAgree() throws Exception {
        SimArray array = filled(NEAR);
        for (int disk = 0; disk < 4; disk++) {
            superblock(array, disk, superblockOf(array, disk).resyncOffset(0));
        }
        array.open(9, false);
        array.world.runFor(12_000_000);
        array.stop();
        assertThat(array.outcomes).containsExactly(SyncListener.Outcome.STOPPED);
        long stoppedAt = array.ended.getFirst().doneBytes();
        array.powerOff();
        assertThat(array.plan().checkpointBytes()).isEqualTo(stoppedAt).isBetween(1L, 8 * MIB - 1);
        List<Request> writes = new ArrayList<>();
        array.wrap = disk -> {
            FaultDevice watched = new FaultDevice(disk);
            watched.inject(request -> {
                if (request.op().changes() && request.offset() >= TestArray.DATA_OFFSET) {
                    writes.add(request);
                }
                return null;
            });
            return watched;
        };
        array.powerOn(10);
        assertThat(array.ended.getFirst().fromBytes()).isEqualTo(stoppedAt);
        assertThat(writes).as("a region whose copies agree costs reads only").isEmpty();
        array.stop();
        array.powerOff();
        assertWhole(array);
    }

    @Test
    void blockThatNoCopyGivesEndsTheRecoveryAndTheArrayStaysDegraded() throws Exception {
        SimArray array = filled(NEAR.withoutLog());
        array.addSpare();
        array.media.set(1, null);
        array.media.get(0).spoil(TestArray.DATA_OFFSET + 2 * MIB, 512);
        array.powerOn(11);
        assertThat(array.outcomes).containsExactly(SyncListener.Outcome.GIVEN_UP);
        assertThat(array.causes).singleElement().asString().contains("no copy can be read: arrayOffset=4194304");
        assertThat(array.conductor.state().degraded()).isEqualTo(1);
        assertNothingIsRaised(array);
        array.stop();
        array.powerOff();
        assertThat(array.plan().missing()).containsExactly(1);
    }

    /** With a log that is one bad block more, as the kernel has it; so is one that the new member cannot write. */
    @Test
    void blockThatCannotBeFilledGoesIntoTheLogOfAMemberThatHasOne() throws Exception {
        SimArray array = filled(new TestArray(Layout.near(2), 4, CHUNK, 4 * MIB, 4096));
        array.addSpare();
        array.media.set(1, null);
        array.media.get(0).spoil(TestArray.DATA_OFFSET + 2 * MIB, 512);
        array.open(15, false);
        array.disk("d4")
                .inject(request -> request.op() == Op.WRITE
                                && request.offset() <= TestArray.DATA_OFFSET + MIB
                                && request.end() > TestArray.DATA_OFFSET + MIB
                        ? IoStatus.MEDIUM_ERROR
                        : null);
        array.settle();
        assertThat(array.outcomes).containsExactly(SyncListener.Outcome.DONE);
        assertThat(array.ended.getFirst().unreadableBytes()).isEqualTo(512);
        array.stop();
        array.powerOff();
        ArrayPlan plan = array.plan();
        assertThat(plan.missing()).isEmpty();
        assertThat(plan.members().get(1).badRanges())
                .containsExactlyInAnyOrder(
                        new BadRange(TestArray.DATA_OFFSET + MIB, 512),
                        new BadRange(TestArray.DATA_OFFSET + 2 * MIB, 512));
    }

    /** However a pass ends, no window stays. */
    private static void assertNothingIsRaised(SimArray array) {
        IoBarrier barrier = array.device.barrier();
        int ticket = barrier.tryEnter(9, 0, array.device.sizeBytes());
        assertThat(ticket).isNotEqualTo(IoBarrier.TURNED_AWAY);
        barrier.leave(9, ticket);
    }

    @Test
    void spareThatCannotBeWrittenMakesRoomForTheNext() throws Exception {
        SimArray array = filled(NEAR);
        array.addSpare();
        array.addSpare();
        array.media.set(1, null);
        array.open(12, false);
        array.disk("d4")
                .inject(request -> request.op() == Op.WRITE && request.offset() >= TestArray.DATA_OFFSET
                        ? IoStatus.IO_ERROR
                        : null);
        assertThat(array.world.runUntil(() -> array.ended.size() == 2, 10_000_000_000L))
                .isTrue();
        assertThat(array.outcomes).containsExactly(SyncListener.Outcome.GIVEN_UP, SyncListener.Outcome.DONE);
        assertNothingIsRaised(array);
        array.stop();
        array.powerOff();
        assertWhole(array);
    }

    @Test
    void checkCountsAndRepairRewrites() throws Exception {
        SimArray array = filled(NEAR);
        array.media.get(1).write(TestArray.DATA_OFFSET + MIB, new byte[1024], 0, 1024);
        array.media.get(1).write(TestArray.DATA_OFFSET + 3 * MIB, new byte[512], 0, 512);
        array.open(13, false);
        long before = array.conductor.state().events();
        for (SyncKind kind : List.of(SyncKind.CHECK, SyncKind.REPAIR, SyncKind.CHECK)) {
            int seen = array.ended.size();
            array.conductor.request(kind);
            assertThat(array.world.runUntil(() -> array.ended.size() > seen, 10_000_000_000L))
                    .isTrue();
            if (seen == 0) {
                assertThat(array.conductor.state().events())
                        .as("a check writes nothing")
                        .isEqualTo(before);
            }
        }
        assertThat(array.ended.stream().map(SyncProgress::mismatchedBytes)).containsExactly(1536L, 1536L, 0L);
        assertThat(array.ended.getFirst().rewrittenBytes()).isZero();
        array.stop();
        array.powerOff();
        assertWhole(array);
    }

    /** At most {@code speed_limit_max} with nobody about, and {@code speed_limit_min} while somebody is. */
    @Test
    void passIsQuickAloneAndSlowBesideUsers() throws Exception {
        TestArray shape = new TestArray(Layout.near(2), 2, CHUNK, 32 * MIB);
        assertThat(secondsOf(shape, false)).isCloseTo(32 / 195.3, within(0.03));
        assertThat(secondsOf(new TestArray(Layout.near(2), 2, CHUNK, 2 * MIB), true))
                .isCloseTo(2.05, within(0.2));
    }

    private static double secondsOf(TestArray shape, boolean beside) throws RefusedException {
        SimArray array = new SimArray(shape);
        for (int disk = 0; disk < 2; disk++) {
            superblock(array, disk, superblockOf(array, disk).resyncOffset(0));
        }
        array.open(14, false);
        if (beside) {
            MemorySegment memory = Arena.ofAuto().allocate(4096, 4096);
            Channel[] channel = new Channel[1];
            boolean[] done = {true};
            Request read = new Request(_ -> done[0] = true);
            channel[0] = array.device.open(array.world.loop(5, shard -> {
                if (channel[0] == null || channel[0].poll(1) == 0) {
                    if (done[0] && channel[0] != null) {
                        done[0] = false;
                        channel[0].submit(read.read(0, memory, 0, 4096));
                        channel[0].commit();
                    }
                    shard.park(10_000_000);
                }
            }));
        }
        long before = array.world.clock().nanos();
        assertThat(array.world.runUntil(() -> !array.ended.isEmpty(), 60_000_000_000L))
                .isTrue();
        return (array.world.clock().nanos() - before) / 1e9;
    }
}
