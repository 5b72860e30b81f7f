package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.sim.SimDisk;
import io.tenfold.testkit.ContentRule;
import io.tenfold.testkit.DeviceContract;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract on a simulated array, and what each kind of failure comes to. */
class RaidDeviceTest extends DeviceContract {
    private static final int CHUNK = 64 << 10;
    private static final TestArray NEAR = new TestArray(Layout.near(2), 4, CHUNK, 1 << 20);

    private SimArray contractArray;

    @Override
    protected Shard makeShard() throws Exception {
        contractArray = new SimArray(NEAR);
        contractArray.powerOn(1);
        return contractArray.world.caller(1);
    }

    @Override
    protected BlockDevice makeDevice() {
        return contractArray.device;
    }

    @Test
    void everyCopyOfEveryLayoutHoldsWhatWasWritten() throws Exception {
        for (TestArray array : List.of(
                NEAR,
                new TestArray(Layout.near(2), 3, CHUNK, 1 << 20),
                new TestArray(Layout.near(3), 5, 4096, 320 << 10),
                new TestArray(Layout.near(2), 2, CHUNK, 1 << 20),
                new TestArray(Layout.far(2), 4, CHUNK, 1 << 20),
                new TestArray(Layout.far(3), 5, 4096, 320 << 10),
                new TestArray(Layout.offset(2), 4, CHUNK, 1 << 20),
                new TestArray(Layout.offset(2), 3, 4096, 320 << 10),
                new TestArray(new Layout(2, 2, false, 0), 6, 8192, 320 << 10),
                new TestArray(Layout.near(1), 2, CHUNK, 1 << 20))) {
            Rig rig = new Rig(array, 3);
            long bytes = rig.array.device.sizeBytes();
            assertThat(bytes).isEqualTo(array.geometry().arrayBytes());
            ContentRule rule = new ContentRule(5);
            long step = 300 << 10;
            for (long at = 0; at < bytes; at += step) {
                int length = (int) Math.min(step, bytes - at);
                assertThat(rig.write(at, rule.bytes(at, length), false)).isEqualTo(IoStatus.OK);
            }
            for (long at = 0; at < bytes; at += 4096) {
                for (int copy = 0; copy < array.geometry().copies(); copy++) {
                    long place = array.geometry().locate(array.geometry().chunkOf(at), copy);
                    long address = TestArray.DATA_OFFSET
                            + array.geometry().startOf(Geometry.memberChunk(place))
                            + array.geometry().withinChunk(at);
                    byte[] held = rig.array.disks.get(Geometry.role(place)).peek(address, 4096);
                    assertThat(rule.firstDifference(MemorySegment.ofArray(held), at))
                            .as("%s, offset=%d, copy=%d", array, at, copy)
                            .isEqualTo(-1);
                }
            }
            byte[] back = rig.read(0, (int) bytes);
            assertThat(rule.firstDifference(MemorySegment.ofArray(back), 0))
                    .as("%s", array)
                    .isEqualTo(-1);
        }
    }

    @Test
    void firstWriteMarksDirtyBeforeItIsSentAndIdleMarksCleanAgain() throws Exception {
        Rig rig = new Rig(NEAR, 4);
        assertThat(rig.array.conductor.state().condition()).isEqualTo(ArrayState.Condition.CLEAN);
        assertThat(rig.superblock(0).isClean()).isTrue();
        assertThat(rig.write(0, new byte[4096], false)).isEqualTo(IoStatus.OK);
        for (int disk = 0; disk < 4; disk++) {
            assertThat(rig.superblock(disk).isClean()).as("disk %d", disk).isFalse();
            assertThat(rig.superblock(disk).events()).isEqualTo(8);
        }
        assertThat(rig.array.conductor.state().condition()).isEqualTo(ArrayState.Condition.ACTIVE);
        rig.array.world.runFor(3 * Conductor.IDLE_NANOS);
        for (int disk = 0; disk < 4; disk++) {
            assertThat(rig.superblock(disk).isClean()).as("disk %d", disk).isTrue();
            assertThat(rig.superblock(disk).events()).isEqualTo(9);
            assertThat(rig.array.disks.get(disk).unstableWrites()).isZero();
        }
        assertThat(rig.array.conductor.state().condition()).isEqualTo(ArrayState.Condition.CLEAN);
    }

    @Test
    void memberThatFailsAWriteIsRecordedOnTheOthersAndNeverAskedAgain() throws Exception {
        Rig rig = new Rig(NEAR, 5);
        rig.write(0, new byte[4096], false);
        SimDisk failing = rig.array.disks.get(1);
        failing.failNext(Op.WRITE, 1, IoStatus.IO_ERROR);
        byte[] data = new byte[4096];
        Arrays.fill(data, (byte) 7);
        assertThat(rig.write(0, data, false)).isEqualTo(IoStatus.OK);
        for (int disk : new int[] {0, 2, 3}) {
            assertThat(rig.superblock(disk).role(1)).as("disk %d", disk).isEqualTo(Superblock.ROLE_FAULTY);
            assertThat(rig.superblock(disk).events()).isEqualTo(9);
        }
        assertThat(rig.superblock(1).events())
                .as("what has failed is not written")
                .isEqualTo(8);
        ArrayState state = rig.array.conductor.state();
        assertThat(state.degraded()).isEqualTo(1);
        assertThat(state.failed()).singleElement().satisfies(failed -> {
            assertThat(failed.name()).isEqualTo("d1");
            assertThat(failed.role()).isEqualTo(1);
            assertThat(failed.cause()).contains("WRITE", "IO_ERROR");
        });
        failing.inject(request -> {
            throw new AssertionError("asked again: " + request);
        });
        assertThat(rig.write(0, data, true)).isEqualTo(IoStatus.OK);
        assertThat(rig.read(0, 4096)).isEqualTo(data);
        assertThat(rig.run(new Request(_ -> {}).flush())).isEqualTo(IoStatus.OK);
        rig.array.world.runFor(3 * Conductor.IDLE_NANOS);
        assertThat(rig.superblock(0).isClean()).isTrue();
    }

    @Test
    void lastGoodCopyIsNeverMarkedFailed() throws Exception {
        Rig rig = new Rig(NEAR, 6);
        rig.write(0, new byte[4096], false);
        rig.array.disks.get(0).failNext(Op.WRITE, 1, IoStatus.IO_ERROR);
        assertThat(rig.write(0, new byte[4096], false)).isEqualTo(IoStatus.OK);
        rig.array.disks.get(1).failNext(Op.WRITE, 1, IoStatus.IO_ERROR);
        assertThat(rig.write(0, new byte[4096], false)).as("its only copy").isEqualTo(IoStatus.IO_ERROR);
        assertThat(rig.superblock(1).role(1)).isEqualTo(1);
        assertThat(rig.write(0, new byte[4096], false))
                .as("and it is asked again")
                .isEqualTo(IoStatus.OK);
        assertThat(rig.write(CHUNK, new byte[4096], false)).as("another chunk").isEqualTo(IoStatus.OK);
        rig.array.world.runFor(3 * Conductor.IDLE_NANOS);
        assertThat(rig.superblock(1).isClean())
                .as("a write that failed may have left copies different")
                .isFalse();
    }

    @Test
    void arrayGoesOfflineWhenTooFewAreLeftAndEveryRequestEnds() throws Exception {
        Rig rig = new Rig(NEAR, 7);
        rig.write(0, new byte[4096], false);
        Request[] requests = new Request[64];
        int[] ended = new int[1];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new Request(_ -> ended[0]++);
            MemorySegment memory = rig.memory(4096);
            long at = (long) i % 20 * 8192;
            requests[i] =
                    i % 2 == 0 ? requests[i].write(at, memory, 0, 4096, false) : requests[i].read(at, memory, 0, 4096);
            assertThat(rig.channel.submit(requests[i])).isTrue();
        }
        rig.channel.commit();
        rig.array.disks.get(0).vanish();
        rig.array.disks.get(1).vanish();
        rig.drain(() -> ended[0] == requests.length);
        assertThat(rig.write(0, new byte[4096], false)).isEqualTo(IoStatus.OFFLINE);
        assertThat(rig.array.conductor.state().condition()).isEqualTo(ArrayState.Condition.OFFLINE);
        assertThat(rig.readStatus(0, 4096)).isEqualTo(IoStatus.OFFLINE);
        assertThat(rig.readStatus(CHUNK, 4096)).as("what is left can be read").isEqualTo(IoStatus.OK);
        rig.array.stop();
    }

    @Test
    void readErrorIsAnsweredByTheOtherCopy() throws Exception {
        Rig rig = new Rig(NEAR, 8);
        byte[] data = new ContentRule(1).bytes(0, 2 * CHUNK);
        rig.write(0, data, false);
        rig.array.disks.get(0).spoil(TestArray.DATA_OFFSET + 8192, 512);
        assertThat(rig.read(0, 2 * CHUNK)).isEqualTo(data);
        ArrayState state = rig.array.conductor.state();
        assertThat(state.readErrors()).isEqualTo(1);
        assertThat(state.readsRescued()).isEqualTo(1);
        assertThat(state.degraded())
                .as("a read error is no failure of the member")
                .isZero();
    }

    @Test
    void copiesThatAreBadInDifferentPlacesStillGiveEverything() throws Exception {
        Rig rig = new Rig(NEAR, 9);
        byte[] data = new ContentRule(2).bytes(0, CHUNK);
        rig.write(0, data, false);
        rig.array.disks.get(0).spoil(TestArray.DATA_OFFSET + 8192, 1024);
        rig.array.disks.get(1).spoil(TestArray.DATA_OFFSET + 20480, 512);
        assertThat(rig.read(0, CHUNK)).isEqualTo(data);
        rig.array.disks.get(1).spoil(TestArray.DATA_OFFSET + 8704, 512);
        assertThat(rig.readStatus(0, CHUNK)).isEqualTo(IoStatus.MEDIUM_ERROR);
        assertThat(rig.read(0, 8704)).isEqualTo(Arrays.copyOf(data, 8704));
        assertThat(rig.readStatus(8704, 512)).isEqualTo(IoStatus.MEDIUM_ERROR);
        assertThat(rig.readStatus(9216, 512)).isEqualTo(IoStatus.OK);
        assertThat(rig.array.conductor.state().readsLost()).isEqualTo(2);
    }

    @Test
    void superblockThatCannotBeWrittenCostsItsMemberItsPlace() throws Exception {
        Rig rig = new Rig(NEAR, 10);
        rig.array
                .disks
                .get(2)
                .inject(request -> request.op() == Op.WRITE && request.offset() < TestArray.DATA_OFFSET
                        ? IoStatus.IO_ERROR
                        : null);
        assertThat(rig.write(0, new byte[4096], false)).isEqualTo(IoStatus.OK);
        assertThat(rig.array.conductor.state().failed()).hasSize(1);
        assertThat(rig.superblock(0).role(2)).isEqualTo(Superblock.ROLE_FAULTY);
    }

    @Test
    void arrayWhoseSuperblocksCannotBeWrittenTakesNoWrites() throws Exception {
        Rig rig = new Rig(new TestArray(Layout.near(2), 2, CHUNK, 1 << 20), 11);
        rig.array.disks.forEach(disk -> disk.inject(request ->
                request.op() == Op.WRITE && request.offset() < TestArray.DATA_OFFSET ? IoStatus.IO_ERROR : null));
        assertThat(rig.write(0, new byte[4096], false)).isEqualTo(IoStatus.IO_ERROR);
        assertThat(rig.readStatus(0, 4096)).isEqualTo(IoStatus.OK);
        assertThat(rig.array.conductor.state().condition()).isEqualTo(ArrayState.Condition.BROKEN);
        rig.array.stop();
    }

    @Test
    void failedFlushCostsTheMemberItsPlace() throws Exception {
        Rig rig = new Rig(NEAR, 12);
        rig.write(0, new byte[4096], false);
        rig.array.disks.get(3).failNext(Op.FLUSH, 1, IoStatus.IO_ERROR);
        assertThat(rig.run(new Request(_ -> {}).flush())).isEqualTo(IoStatus.OK);
        assertThat(rig.superblock(0).role(3)).isEqualTo(Superblock.ROLE_FAULTY);
    }

    @Test
    void discardLeavesCopiesEqualThoughDisksLeaveGarbage() throws Exception {
        Rig rig = new Rig(NEAR, 13);
        rig.write(0, new ContentRule(3).bytes(0, CHUNK), false);
        assertThat(rig.run(new Request(_ -> {}).discard(4096, 3 * 4096, false))).isEqualTo(IoStatus.OK);
        byte[] one = rig.array.disks.get(0).peek(TestArray.DATA_OFFSET, CHUNK);
        assertThat(one).isEqualTo(rig.array.disks.get(1).peek(TestArray.DATA_OFFSET, CHUNK));
    }

    @Test
    void overlappingWritesLeaveCopiesEqual() throws Exception {
        for (long seed = 0; seed < 30; seed++) {
            Rig rig = new Rig(NEAR, seed);
            rig.write(0, new byte[4096], false);
            Channel second = rig.array.device.open(rig.shard);
            int[] ended = new int[1];
            int sent = 0;
            for (int i = 1; i <= 40; i++) {
                MemorySegment memory = rig.memory(12 << 10);
                memory.fill((byte) i);
                long at = 512L * rig.array.world.random().below(32);
                long length = 512L * (1 + rig.array.world.random().below(24));
                Request request = new Request(_ -> ended[0]++).write(at, memory, 0, length, false);
                sent += (i % 2 == 0 ? rig.channel : second).submit(request) ? 1 : 0;
            }
            rig.channel.commit();
            second.commit();
            int all = sent;
            rig.drain(() -> {
                second.poll(100);
                return ended[0] == all;
            });
            assertThat(rig.array.disks.get(0).peek(TestArray.DATA_OFFSET, CHUNK))
                    .as("seed=%d", seed)
                    .isEqualTo(rig.array.disks.get(1).peek(TestArray.DATA_OFFSET, CHUNK));
            assertThat(rig.array.conductor.state().overlaps()).isPositive();
        }
    }

    @Test
    void readOnlyArrayIsNotWrittenTo() throws Exception {
        SimArray array = new SimArray(NEAR);
        array.open(1, true);
        array.disks.forEach(disk -> disk.inject(request -> {
            assertThat(request.op()).isEqualTo(Op.READ);
            return null;
        }));
        Rig rig = new Rig(array);
        assertThat(rig.write(0, new byte[4096], false)).isEqualTo(IoStatus.READ_ONLY);
        assertThat(rig.run(new Request(_ -> {}).flush())).isEqualTo(IoStatus.OK);
        assertThat(rig.readStatus(0, CHUNK)).isEqualTo(IoStatus.OK);
        array.disks.get(0).vanish();
        assertThat(rig.readStatus(0, CHUNK)).isEqualTo(IoStatus.OK);
        array.world.runFor(3 * Conductor.IDLE_NANOS);
        array.stop();
    }

    @Test
    void stopMarksCleanAtOnce() throws Exception {
        Rig rig = new Rig(NEAR, 14);
        rig.write(0, new byte[4096], false);
        rig.channel.close();
        rig.array.stop();
        assertThat(rig.superblock(0).isClean()).isTrue();
        assertThat(rig.array.disks.get(0).unstableWrites()).isZero();
    }
}
