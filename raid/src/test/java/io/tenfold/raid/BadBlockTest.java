package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.raid.md.BadBlockLog;
import io.tenfold.sim.SimDisk;
import io.tenfold.testkit.ContentRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Writes that fail with a medium error: what is recorded on the member, when, and what that does to reads and writes. */
class BadBlockTest {
    private static final int CHUNK = 64 << 10;
    private static final TestArray NEAR = new TestArray(Layout.near(2), 4, CHUNK, 1 << 20);
    private static final long DATA = TestArray.DATA_OFFSET;

    private final ContentRule old = new ContentRule(1);
    private final ContentRule young = new ContentRule(2);

    private final Set<SimDisk> healed = new HashSet<>();

    @Test
    void writeThatFailsOnOneBlockRecordsThatBlockAndTheMemberStays() throws Exception {
        Rig rig = new Rig(NEAR, 1);
        rig.write(0, old.bytes(0, CHUNK), true);
        weaken(rig, 0, DATA + 8192, DATA + 8704);
        assertThat(rig.write(0, young.bytes(0, CHUNK), false)).isEqualTo(IoStatus.OK);
        assertThat(log(rig, 0)).containsExactly(new BadRange(DATA + 8192, 512));
        assertThat(rig.superblock(0).raw().badBlockLogInUse()).isTrue();
        assertThat(rig.superblock(1).raw().badBlockLogInUse()).isFalse();
        assertThat(rig.array.conductor.state().degraded()).isZero();
        assertThat(rig.array.conductor.state().badRanges()).isEqualTo(1);
        rig.array.disks.get(0).inject(request -> {
            assertThat(request.op() == Op.READ && request.offset() < DATA + 8704 && request.end() > DATA + 8192)
                    .as("reads what is bad: %s", request)
                    .isFalse();
            return null;
        });
        assertThat(rig.read(0, CHUNK)).isEqualTo(young.bytes(0, CHUNK));
    }

    @Test
    void logIsStableBeforeTheWriteIsAcknowledged() throws Exception {
        Rig rig = new Rig(NEAR, 2);
        rig.write(0, old.bytes(0, 4096), true);
        weaken(rig, 0, DATA, DATA + 4096);
        assertThat(rig.write(0, young.bytes(0, 4096), true)).isEqualTo(IoStatus.OK);
        rig.array.powerOff();
        Rig after = new Rig(again(rig.array, 3));
        assertThat(after.array.device.plan().members().getFirst().badRanges())
                .containsExactly(new BadRange(DATA, 4096));
        assertThat(after.read(0, 4096)).isEqualTo(young.bytes(0, 4096));
    }

    @Test
    void goodWriteClearsWhatItCoversAndWithTheLastEntryTheFeatureBit() throws Exception {
        Rig rig = new Rig(NEAR, 4);
        rig.write(0, old.bytes(0, CHUNK), true);
        weaken(rig, 0, DATA, DATA + 12288);
        rig.write(0, young.bytes(0, 12288), false);
        assertThat(log(rig, 0)).containsExactly(new BadRange(DATA, 12288));
        heal(rig, 0);
        assertThat(rig.write(4096, old.bytes(4096, 4096), false)).isEqualTo(IoStatus.OK);
        assertThat(log(rig, 0)).containsExactlyInAnyOrder(new BadRange(DATA, 4096), new BadRange(DATA + 8192, 4096));
        assertThat(rig.write(0, old.bytes(0, CHUNK), false)).isEqualTo(IoStatus.OK);
        assertThat(rig.superblock(0).raw().badBlockLogInUse()).isFalse();
        assertThat(rig.array.conductor.state().badRanges()).isZero();
        rig.array.disks.get(1).vanish();
        assertThat(rig.read(0, CHUNK)).as("from the copy that was bad").isEqualTo(old.bytes(0, CHUNK));
    }

    @Test
    void rangeIsClearedOnlyWhenTheGoodWriteIsStable() throws Exception {
        for (long seed = 0; seed < 40; seed++) {
            assertThat(bringsBackWhatWasOverwritten(new SimArray(NEAR), seed))
                    .as("seed=%d", seed)
                    .isFalse();
        }
    }

    @Test
    void volumeThatClearsARangeBeforeTheGoodWriteIsStableIsFoundOut() throws Exception {
        boolean found = false;
        for (long seed = 0; seed < 40 && !found; seed++) {
            SimArray array = new SimArray(NEAR);
            array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly) {
                @Override
                BadBlockKeeper badBlockKeeper() {
                    return new BadBlockKeeper(members()) {
                        @Override
                        List<Member> toFlush(Roster roster) {
                            return List.of();
                        }
                    };
                }
            };
            found = bringsBackWhatWasOverwritten(array, seed);
        }
        assertThat(found).isTrue();
    }

    /** Whether a power loss after a range was cleared brings back what lay there before a stable write. */
    private boolean bringsBackWhatWasOverwritten(SimArray array, long seed) throws Exception {
        array.powerOn(seed);
        Rig rig = new Rig(array);
        rig.write(0, old.bytes(0, 4096), true);
        weaken(rig, 0, DATA, DATA + 4096);
        rig.write(0, young.bytes(0, 4096), true);
        heal(rig, 0);
        assertThat(rig.write(0, new byte[4096], false)).isEqualTo(IoStatus.OK);
        assertThat(log(rig, 0)).isEmpty();
        rig.array.powerOff();
        byte[] left = new Rig(again(rig.array, seed)).read(0, 4096);
        for (int at = 0; at < left.length; at += 512) {
            if (Arrays.equals(Arrays.copyOfRange(left, at, at + 512), old.bytes(at, 512))) {
                return true;
            }
        }
        return false;
    }

    @Test
    void rangeThatIsBadOnEveryCopyIsAnErrorOfJustThatRangeAndAWriteCuresIt() throws Exception {
        Rig rig = new Rig(NEAR, 5);
        rig.write(0, old.bytes(0, CHUNK), true);
        weaken(rig, 0, DATA + 4096, DATA + 4608);
        weaken(rig, 1, DATA + 4096, DATA + 4608);
        assertThat(rig.write(0, young.bytes(0, CHUNK), false)).isEqualTo(IoStatus.MEDIUM_ERROR);
        assertThat(rig.readStatus(4096, 512)).isEqualTo(IoStatus.MEDIUM_ERROR);
        assertThat(rig.read(0, 4096)).isEqualTo(young.bytes(0, 4096));
        assertThat(rig.read(4608, CHUNK - 4608)).isEqualTo(young.bytes(4608, CHUNK - 4608));
        assertThat(rig.array.conductor.state().degraded()).isZero();
        rig.array.world.runFor(3 * Conductor.IDLE_NANOS);
        assertThat(rig.superblock(0).isClean())
                .as("nothing differs that counts")
                .isTrue();
        heal(rig, 0);
        assertThat(rig.write(0, old.bytes(0, CHUNK), false))
                .as("one copy is good")
                .isEqualTo(IoStatus.OK);
        assertThat(rig.read(0, CHUNK)).isEqualTo(old.bytes(0, CHUNK));
    }

    @Test
    void logThatIsFullCostsTheMemberItsPlace() throws Exception {
        TestArray fine = new TestArray(Layout.near(2), 2, CHUNK, 2 << 20);
        Rig rig = new Rig(fine, 6);
        rig.write(0, new byte[4096], false);
        boolean[] weak = {true};
        rig.array
                .disks
                .get(0)
                .inject(request -> weak[0]
                                && request.op() == Op.WRITE
                                && request.offset() >= DATA
                                && (request.offset() / 512 % 2 == 0 || request.length() > 512)
                        ? IoStatus.MEDIUM_ERROR
                        : null);
        int entries = TestArray.LOG_BYTES / BadBlockLog.ENTRY;
        assertThat(rig.write(0, new byte[entries * 1024], false)).isEqualTo(IoStatus.OK);
        assertThat(log(rig, 0)).hasSize(entries);
        assertThat(rig.array.conductor.state().degraded()).isZero();
        assertThat(rig.write(entries * 1024L, new byte[4096], false)).isEqualTo(IoStatus.OK);
        assertThat(rig.array.conductor.state().failed())
                .singleElement()
                .satisfies(failed -> assertThat(failed.cause()).contains("WRITE", "MEDIUM_ERROR"));
        assertThat(rig.superblock(1).role(0)).isEqualTo(Superblock.ROLE_FAULTY);
    }

    @Test
    void neededMemberWhoseLogIsFullStaysAndTheWriteFails() throws Exception {
        TestArray fine = new TestArray(Layout.near(2), 2, CHUNK, 2 << 20);
        Rig rig = new Rig(fine, 7);
        rig.write(0, new byte[4096], false);
        rig.array.disks.get(1).vanish();
        rig.write(0, new byte[4096], false);
        rig.array
                .disks
                .get(0)
                .inject(request -> request.op() == Op.WRITE
                                && request.offset() >= DATA
                                && (request.offset() / 512 % 2 == 0 || request.length() > 512)
                        ? IoStatus.MEDIUM_ERROR
                        : null);
        int entries = TestArray.LOG_BYTES / BadBlockLog.ENTRY;
        assertThat(rig.write(0, new byte[entries * 1024], false)).isEqualTo(IoStatus.MEDIUM_ERROR);
        assertThat(rig.write(entries * 1024L, new byte[4096], false)).isEqualTo(IoStatus.IO_ERROR);
        assertThat(rig.readStatus(entries * 1024L, 512)).isEqualTo(IoStatus.MEDIUM_ERROR);
        assertThat(rig.readStatus(entries * 1024L + 512, 512)).isEqualTo(IoStatus.OK);
        rig.array.world.runFor(3 * Conductor.IDLE_NANOS);
        assertThat(rig.superblock(0).isClean())
                .as("not all that is bad is recorded")
                .isFalse();
    }

    @Test
    void memberWithoutALogFailsByAMediumError() throws Exception {
        SimArray array = new SimArray(NEAR.withoutLog());
        array.powerOn(8);
        Rig rig = new Rig(array);
        rig.write(0, new byte[4096], false);
        weaken(rig, 0, DATA, DATA + 512);
        assertThat(rig.write(0, new byte[4096], false)).isEqualTo(IoStatus.OK);
        assertThat(rig.superblock(1).role(0)).isEqualTo(Superblock.ROLE_FAULTY);
    }

    @Test
    void logThatCannotBeWrittenCostsTheMemberItsPlace() throws Exception {
        Rig rig = new Rig(NEAR, 9);
        rig.write(0, new byte[4096], false);
        weaken(rig, 0, DATA, DATA + 512);
        rig.array
                .disks
                .get(0)
                .inject(request ->
                        request.op() == Op.WRITE && request.offset() == TestArray.LOG_AT ? IoStatus.IO_ERROR : null);
        assertThat(rig.write(0, new byte[4096], false)).isEqualTo(IoStatus.OK);
        assertThat(rig.superblock(1).role(0)).isEqualTo(Superblock.ROLE_FAULTY);
    }

    @Test
    void logOfASecondLifeGoesOnWhereTheFirstEnded() throws Exception {
        Rig rig = new Rig(NEAR, 10);
        rig.write(0, old.bytes(0, CHUNK), true);
        weaken(rig, 0, DATA, DATA + 512);
        rig.write(0, young.bytes(0, 4096), true);
        rig.array.stop();
        rig.array.powerOff();
        Rig second = new Rig(again(rig.array, 11));
        weaken(second, 0, DATA + 8192, DATA + 8704);
        second.write(8192, young.bytes(8192, 4096), true);
        assertThat(log(second, 0)).containsExactly(new BadRange(DATA, 512), new BadRange(DATA + 8192, 512));
        second.array.stop();
        second.array.powerOff();
        Rig third = new Rig(again(second.array, 12));
        assertThat(third.write(0, old.bytes(0, CHUNK), false)).isEqualTo(IoStatus.OK);
        assertThat(third.superblock(0).raw().badBlockLogInUse()).isFalse();
    }

    @Test
    void discardThatFailsOnABlockIsRecordedToo() throws Exception {
        Rig rig = new Rig(NEAR, 13);
        rig.write(0, old.bytes(0, CHUNK), true);
        weaken(rig, 1, DATA + 512, DATA + 1024);
        assertThat(rig.run(new Request(_ -> {}).discard(0, 4096, false))).isEqualTo(IoStatus.OK);
        assertThat(log(rig, 1)).containsExactly(new BadRange(DATA + 512, 512));
    }

    private static SimArray again(SimArray array, long seed) throws RefusedException {
        array.powerOn(seed);
        return array;
    }

    /** No write gets through there until the disk is healed. */
    private void weaken(Rig rig, int disk, long from, long to) {
        SimDisk weak = rig.array.disks.get(disk);
        healed.remove(weak);
        weak.inject(request ->
                request.op().changes() && request.offset() < to && request.end() > from && !healed.contains(weak)
                        ? IoStatus.MEDIUM_ERROR
                        : null);
    }

    private void heal(Rig rig, int disk) {
        healed.add(rig.array.disks.get(disk));
    }

    /** What a disk's log names, whatever its superblock says. */
    private static List<BadRange> log(Rig rig, int disk) {
        if (!rig.superblock(disk).raw().badBlockLogInUse()) {
            return List.of();
        }
        byte[] bytes = rig.array.disks.get(disk).peek(TestArray.LOG_AT, TestArray.LOG_BYTES);
        List<String> problems = new ArrayList<>();
        List<BadRange> ranges =
                BadBlockLog.parse(bytes, 0, rig.array.disks.get(disk).sizeBytes() / 512, problems).stream()
                        .map(range -> new BadRange(range.start() * 512, range.length() * 512))
                        .distinct()
                        .toList();
        assertThat(problems).as(Arrays.toString(bytes)).isEmpty();
        return ranges;
    }
}
