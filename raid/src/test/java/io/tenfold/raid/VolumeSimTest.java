package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.block.FaultDevice;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lives of arrays under faults and power loss, by seed; and canaries, whose lives must go wrong. */
class VolumeSimTest {
    private static final int FIXED_SEEDS = 150;
    private static final int CANARY_SEEDS = 400;

    @Test
    void promisesHoldInEveryLife() {
        long answers = 0;
        long passes = 0;
        long recoveries = 0;
        long recordedFailures = 0;
        long weakened = 0;
        long recordedRanges = 0;
        long repairedBlocks = 0;
        for (long seed = 0; seed < FIXED_SEEDS; seed++) {
            VolumeRun run = new VolumeRun(seed, NONE);
            answers += run.live();
            passes += run.passes();
            recoveries += run.recoveries();
            recordedFailures += run.recordedFailures();
            weakened += run.weakened();
            recordedRanges += run.recordedRanges();
            repairedBlocks += run.repairedBlocks();
        }
        assertThat(answers).as("requests answered").isGreaterThan(100L * FIXED_SEEDS);
        assertThat(passes).as("passes").isGreaterThan(FIXED_SEEDS);
        assertThat(recoveries).as("members filled").isGreaterThan(FIXED_SEEDS / 10);
        assertThat(recordedFailures).as("members recorded as failed").isGreaterThan(FIXED_SEEDS / 4);
        assertThat(repairedBlocks).as("blocks repaired").isPositive();
        assertThat(weakened).as("blocks that could not be written").isGreaterThan(FIXED_SEEDS / 4);
        assertThat(recordedRanges).as("ranges found in logs").isGreaterThan(FIXED_SEEDS / 10);
    }

    @Test
    @Tag("long")
    void promisesHoldInManyLives() {
        long first = Long.getLong("sim.seed", 1_000_000);
        long count = Long.getLong("sim.count", 20_000);
        for (long seed = first; seed < first + count; seed++) {
            new VolumeRun(seed, NONE).live();
        }
    }

    @Test
    void oneSeedIsOneLife() {
        assertThat(fingerprint(17)).isEqualTo(fingerprint(17)).isNotEqualTo(fingerprint(18));
    }

    private static long fingerprint(long seed) {
        VolumeRun run = new VolumeRun(seed, NONE);
        run.live();
        return run.array.world.fingerprint();
    }

    @Test
    void volumeThatAcknowledgesBeforeTheFailureIsRecordedIsFoundOut() {
        assertFoundOut(
                "may hold",
                (array, _) -> array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly) {
                    @Override
                    boolean isRecorded(Operation operation) {
                        return true;
                    }

                    @Override
                    IoStatus verdict(Operation operation) {
                        return IoStatus.OK;
                    }
                });
    }

    @Test
    void volumeThatSkipsACopyIsFoundOut() {
        assertFoundOut(
                "(may hold|running, and copies differ)",
                (array, prng) -> array.wrap = disk -> {
                    FaultDevice forgetful = new FaultDevice(disk);
                    boolean victim = disk.name().equals("d1");
                    forgetful.inject(request -> victim
                                    && request.op() == Op.WRITE
                                    && request.offset() >= TestArray.DATA_OFFSET
                                    && prng.oneIn(10)
                            ? IoStatus.OK
                            : null);
                    return forgetful;
                });
    }

    @Test
    void volumeThatMarksCleanWhileItWritesIsFoundOut() {
        assertFoundOut(
                "marked clean, and copies differ",
                (array, _) -> array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly) {
                    private final WriteGate hasty = new WriteGate() {
                        @Override
                        boolean close(Stripes stripes) {
                            super.close(() -> new Stripe[0]);
                            return true;
                        }
                    };

                    @Override
                    WriteGate gate() {
                        return hasty;
                    }
                });
    }

    @Test
    void volumeThatFailsWritesWithoutNeedIsFoundOut() {
        assertFoundOut(
                "failed though enough members are left",
                (array, _) -> array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly) {
                    @Override
                    IoStatus verdict(Operation operation) {
                        return operation.epoch() == 0 ? super.verdict(operation) : IoStatus.IO_ERROR;
                    }
                });
    }

    @Test
    void volumeThatLosesBlocksIsFoundOut() {
        assertFoundOut(
                "(lost|read failed): READ",
                (array, _) -> array.wrap = disk -> {
                    FaultDevice unreadable = new FaultDevice(disk);
                    long from = TestArray.DATA_OFFSET;
                    unreadable.inject(FaultDevice.Fault.in(Op.READ, from, from + 4096, IoStatus.MEDIUM_ERROR));
                    return unreadable;
                });
    }

    @Test
    void volumeThatNeverAcknowledgesIsFoundOut() {
        assertFoundOut(
                "requests that never end",
                (array, _) -> array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly) {
                    @Override
                    boolean isRecorded(Operation operation) {
                        return false;
                    }
                });
    }

    @Test
    void memberThatIgnoresFlushesIsFoundOut() {
        assertFoundOut(
                "may hold",
                (array, _) -> array.wrap = disk -> {
                    FaultDevice lazy = new FaultDevice(disk);
                    lazy.inject(FaultDevice.Fault.in(Op.FLUSH, 0, 0, IoStatus.OK));
                    return lazy;
                });
    }

    @Test
    void memberThatIgnoresFuaIsFoundOut() {
        assertFoundOut(
                "may hold",
                (array, _) -> array.wrap = disk -> {
                    FaultDevice lazy = new FaultDevice(disk);
                    lazy.inject(request -> {
                        if (request.fua() && request.offset() >= TestArray.DATA_OFFSET) {
                            withoutFua(request);
                        }
                        return null;
                    });
                    return lazy;
                });
    }

    private static void withoutFua(Request request) {
        long data = request.op().carriesData() ? request.length() : 0;
        Request copy = new Request(_ -> {}).addPartOf(request, 0, data);
        request.start(request.op(), request.offset(), request.length(), false).addPartOf(copy, 0, data);
    }

    @Test
    void volumeThatAcknowledgesBeforeTheLogIsStableIsFoundOut() {
        assertFoundOut(
                "may hold",
                (array, _) -> array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly) {
                    @Override
                    boolean isRecorded(Operation operation) {
                        return !operation.bad().isEmpty() || super.isRecorded(operation);
                    }

                    @Override
                    IoStatus verdict(Operation operation) {
                        return operation.bad().isEmpty() ? super.verdict(operation) : IoStatus.OK;
                    }
                });
    }

    @Test
    void volumeThatDoesNotWriteItsLogsIsFoundOut() {
        assertFoundOut(
                "may hold|copies differ",
                (array, _) -> array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly) {
                    @Override
                    BadBlockKeeper badBlockKeeper() {
                        return new BadBlockKeeper(members()) {
                            @Override
                            List<Member> toWrite(Roster roster) {
                                return List.of();
                            }

                            @Override
                            boolean isAnySuperblockDue(Roster roster) {
                                return false;
                            }

                            @Override
                            int features(Member member, int others) {
                                return others;
                            }
                        };
                    }
                });
    }

    @Test
    void volumeThatSaysTooEarlyThatAFailureIsRecordedIsFoundOut() {
        assertFoundOut(
                "recorded as failed",
                (array, _) -> array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly) {
                    @Override
                    long recordedEpoch() {
                        return Long.MAX_VALUE;
                    }
                });
    }

    @Test
    void volumeThatLetsWritesOvertakeOneAnotherIsFoundOut() {
        assertFoundOut(
                "copies differ",
                (array, _) -> array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly) {
                    private final WriteRanges open = new WriteRanges(() -> {}) {
                        @Override
                        boolean tryAcquire(long offset, long length) {
                            return true;
                        }

                        @Override
                        void release(long offset, long length) {}
                    };

                    @Override
                    WriteRanges ranges() {
                        return open;
                    }
                });
    }

    /** What raises windows and what enters are not the same barrier. */
    @Test
    void volumeWhosePassesIgnoreTheBarrierIsFoundOut() {
        assertFoundOut(
                "may hold",
                (array, _) -> array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly) {
                    @Override
                    IoBarrier barrier() {
                        return BarrierDesign.WINDOWED.create(SHARDS_MAX);
                    }
                });
    }

    private static final VolumeRun.Sabotage NONE = (_, _) -> {};

    /**
     * Some life of the first few hundred goes wrong in the way expected, and the same seed goes right without sabotage.
     *
     * @param how a pattern
     */
    private static void assertFoundOut(String how, VolumeRun.Sabotage sabotage) {
        for (long seed = 0; seed < CANARY_SEEDS; seed++) {
            try {
                new VolumeRun(seed, sabotage).live();
            } catch (AssertionError wrong) {
                assertThat(wrong.getMessage()).containsPattern(how).contains("seed=" + seed);
                new VolumeRun(seed, NONE).live();
                return;
            }
        }
        throw new AssertionError("not found out in " + CANARY_SEEDS + " lives");
    }
}
