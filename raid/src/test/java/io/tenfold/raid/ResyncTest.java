package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.sim.SimMedium;
import io.tenfold.testkit.ContentRule;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResyncTest {
    private static final int CHUNK = 64 << 10;
    private static final TestArray NEAR = new TestArray(Layout.near(2), 4, CHUNK, 1 << 20);

    /** An array that was not stopped in order: dirty, and each copy with content of its own. */
    private static SimArray dirty(TestArray shape) {
        SimArray array = new SimArray(shape);
        for (int role = 0; role < shape.members(); role++) {
            byte[] superblock = shape.superblock(role, 8, false);
            array.media.get(role).write(TestArray.SUPERBLOCK_AT, superblock, 0, superblock.length);
            byte[] content = new ContentRule(role + 1).bytes(0, (int) shape.memberBytes() / 8 * 8);
            array.media.get(role).write(TestArray.DATA_OFFSET, content, 0, content.length);
        }
        return array;
    }

    /** Runs the resync that is due to its end, which is a good one. */
    private static SyncProgress resync(SimArray array) {
        array.settle();
        assertThat(array.outcomes).containsExactly(SyncListener.Outcome.DONE);
        assertThat(array.ended.getFirst().kind()).isEqualTo(SyncKind.RESYNC);
        return array.ended.getFirst();
    }

    @Test
    void firstCopyWinsInEveryLayoutAndTheArrayIsCleanAfterwards() throws Exception {
        for (TestArray shape : List.of(
                NEAR,
                new TestArray(Layout.near(2), 3, CHUNK, 1 << 20),
                new TestArray(Layout.near(3), 5, 4096, 320 << 10),
                new TestArray(Layout.far(2), 4, CHUNK, 1 << 20),
                new TestArray(Layout.far(3), 5, 4096, 320 << 10),
                new TestArray(Layout.offset(2), 4, CHUNK, 1 << 20),
                new TestArray(new Layout(2, 2, false, 0), 6, 8192, 320 << 10))) {
            SimArray array = dirty(shape);
            List<SimMedium> before = array.media.stream().map(SimMedium::copy).toList();
            array.open(1, false);
            assertThat(array.conductor.state().copiesAgree()).isFalse();
            SyncProgress pass = resync(array);
            assertThat(pass.doneBytes())
                    .isEqualTo(shape.geometry().arrayBytes())
                    .isEqualTo(pass.totalBytes());
            assertThat(pass.rewrittenBytes()).isPositive();
            array.powerOff(); // What the pass says is done is stable.
            assertThat(array.plan().isClean()).isTrue();
            Geometry geometry = shape.geometry();
            for (long chunk = 0; chunk < geometry.arrayChunks(); chunk++) {
                byte[] first = chunkAt(before, geometry, geometry.locate(chunk, 0));
                for (int copy = 0; copy < geometry.copies(); copy++) {
                    assertThat(chunkAt(array.media, geometry, geometry.locate(chunk, copy)))
                            .as("%s, chunk=%d, copy=%d", shape, chunk, copy)
                            .isEqualTo(first);
                }
            }
        }
    }

    private static byte[] chunkAt(List<SimMedium> media, Geometry geometry, long place) {
        return media.get(Geometry.role(place))
                .read(TestArray.DATA_OFFSET + geometry.startOf(Geometry.memberChunk(place)), (int)
                        geometry.chunkBytes());
    }

    @Test
    void unreadableCopyIsRewrittenFromAnotherAndALostBlockIsCounted() throws Exception {
        SimArray array = dirty(NEAR);
        array.media.get(0).spoil(TestArray.DATA_OFFSET + 4096, 512);
        array.media.get(1).spoil(TestArray.DATA_OFFSET + 8192, 512);
        array.media.get(2).spoil(TestArray.DATA_OFFSET, 1024);
        array.media.get(3).spoil(TestArray.DATA_OFFSET, 512);
        array.open(2, false);
        SyncProgress pass = resync(array);
        assertThat(pass.unreadableBytes()).as("one block of roles 2 and 3").isEqualTo(512);
        array.powerOff();
        byte[] healed = array.media.get(0).read(TestArray.DATA_OFFSET, CHUNK);
        assertThat(healed).isEqualTo(array.media.get(1).read(TestArray.DATA_OFFSET, CHUNK));
        assertThat(healed[4096]).as("of role 1, as role 0 was unreadable").isEqualTo(new ContentRule(2).at(4096));
        assertThat(healed[8192]).isEqualTo(new ContentRule(1).at(8192));
        assertThat(array.media.get(0).isReadable(TestArray.DATA_OFFSET, CHUNK)).isTrue();
        assertThat(array.media.get(2).isReadable(TestArray.DATA_OFFSET, 512)).isFalse();
        assertThat(array.media.get(2).isReadable(TestArray.DATA_OFFSET + 512, 512))
                .isTrue();
    }

    @Test
    void degradedArrayIsMadeConsistentWhereItHasTwoCopies() throws Exception {
        SimArray array = dirty(NEAR);
        array.media.set(3, null);
        array.open(3, false);
        resync(array);
        assertThat(array.conductor.state().condition()).isEqualTo(ArrayState.Condition.CLEAN);
        assertThat(array.disks.get(0).peek(TestArray.DATA_OFFSET, 1 << 20))
                .isEqualTo(array.disks.get(1).peek(TestArray.DATA_OFFSET, 1 << 20));
    }

    /** A part without a second copy, whether it comes first or last, must not end the pass. */
    @Test
    void whatHasOneCopyIsPassedOverAndTheRestComparedToItsEnd() throws Exception {
        for (int missing = 0; missing < 4; missing++) {
            TestArray shape = new TestArray(Layout.near(2), 4, 512 << 10, 24 << 20);
            SimArray array = dirty(shape);
            array.media.set(missing, null);
            array.open(6, false);
            SyncProgress pass = resync(array);
            assertThat(pass.doneBytes())
                    .as("missing=%d", missing)
                    .isEqualTo(shape.geometry().arrayBytes())
                    .isEqualTo(pass.totalBytes());
            int pair = missing < 2 ? 1 : 0; // Of the three disks that are left.
            assertThat(array.disks.get(pair).peek(TestArray.DATA_OFFSET, 24 << 20))
                    .as("missing=%d", missing)
                    .isEqualTo(array.disks.get(pair + 1).peek(TestArray.DATA_OFFSET, 24 << 20));
        }
    }

    @Test
    void memberThatCannotBeRewrittenIsDroppedAndTheLastOneIsNot() throws Exception {
        SimArray array = dirty(NEAR);
        array.open(4, false);
        failData(array, 1);
        resync(array);
        assertThat(array.conductor.state().degraded()).isEqualTo(1);

        // With one of three gone each of the others is needed; one has an unreadable block and takes no writes.
        SimArray hopeless = dirty(new TestArray(Layout.near(2), 3, CHUNK, 4 << 20));
        hopeless.media.set(2, null);
        hopeless.media.get(0).spoil(TestArray.DATA_OFFSET + 4096, 512);
        hopeless.open(5, false);
        failData(hopeless, 0);
        hopeless.settle();
        assertThat(hopeless.outcomes).containsExactly(SyncListener.Outcome.GIVEN_UP);
        assertThat(hopeless.conductor.state().condition()).isEqualTo(ArrayState.Condition.UNSYNCED);
        hopeless.stop();
        hopeless.powerOff();
        assertThat(hopeless.plan().isClean()).isFalse();
    }

    @Test
    void memberWithoutRoomForACopyStaysAndTheArrayStaysDirty() throws Exception {
        SimArray array = dirty(NEAR);
        array.open(7, false);
        array.disks
                .get(1)
                .inject(request -> request.op() == Op.WRITE && request.offset() >= TestArray.DATA_OFFSET
                        ? IoStatus.NO_SPACE
                        : null);
        array.settle();
        assertThat(array.outcomes).containsExactly(SyncListener.Outcome.GIVEN_UP);
        assertThat(array.causes).singleElement().asString().contains("d1", "NO_SPACE");
        assertThat(array.conductor.state().degraded()).isZero();
        assertThat(array.conductor.state().condition()).isEqualTo(ArrayState.Condition.UNSYNCED);
        array.stop();
        assertThat(array.conductor.state().condition())
                .as("not called stopped and clean")
                .isEqualTo(ArrayState.Condition.UNSYNCED);
        array.powerOff();
        assertThat(array.plan().isClean()).isFalse();
    }

    private static void failData(SimArray array, int disk) {
        array.disks
                .get(disk)
                .inject(request -> request.op() == Op.WRITE && request.offset() >= TestArray.DATA_OFFSET
                        ? IoStatus.IO_ERROR
                        : null);
    }

    @Test
    void passThatLosesPowerAtAnyMomentLosesNothing() throws Exception {
        for (long seed = 0; seed < 25; seed++) {
            SimArray array = dirty(NEAR);
            SimMedium first = array.media.get(0).copy();
            for (int round = 0; round < 3; round++) {
                array.open(seed, false);
                array.world.runFor(array.world.random().below(3_000_000));
                array.powerOff();
            }
            array.powerOn(seed + 1000);
            array.powerOff();
            assertThat(array.plan().isClean()).as("seed=%d", seed).isTrue();
            byte[] expected = first.read(TestArray.DATA_OFFSET, 1 << 20);
            assertThat(array.media.get(0).read(TestArray.DATA_OFFSET, 1 << 20))
                    .as("seed=%d", seed)
                    .isEqualTo(expected);
            assertThat(array.media.get(1).read(TestArray.DATA_OFFSET, 1 << 20))
                    .as("seed=%d", seed)
                    .isEqualTo(expected);
        }
    }
}
