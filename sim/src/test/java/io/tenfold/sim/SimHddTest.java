package io.tenfold.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.Request;
import io.tenfold.testkit.DeviceContract;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** The contract holds for it, and it is as fast as the figures from which it is made, and no faster. */
class SimHddTest extends DeviceContract {
    private static final SimHddModel MODEL = SimHddModel.sata7200().withTransferBytesMax(128 << 10);
    private static final double MS = 1e6;

    private final SimWorld contractWorld = new SimWorld(1);

    @Override
    protected BlockDevice makeDevice() {
        SimHddModel small = SimHddModel.sata7200().withSizeBytes(4 << 20);
        return new SimHdd(contractWorld, "hdd", small, new SimMedium(4 << 20));
    }

    @Override
    protected Shard makeShard() {
        return contractWorld.caller(0);
    }

    @Test
    void seeksTakeAsLongAsPublished() {
        long cylinders = new HddGeometry(MODEL).cylinders();
        assertThat(cylinders).isBetween(200_000L, 400_000L);
        SeekCurve curve = new SeekCurve(1_000_000, 8_500_000, 18_000_000, cylinders);
        assertThat(curve.nanos(0)).isZero();
        assertThat(curve.nanos(1)).isEqualTo(1_000_000);
        assertThat(curve.nanos(cylinders) / MS).isCloseTo(18, within(0.01));
        assertThat(meanSeek(curve, cylinders) / MS).isCloseTo(8.5, within(0.1));
        SeekCurve other = new SeekCurve(1_000_000, 9_000_000, 18_000_000, cylinders);
        assertThat(meanSeek(other, cylinders) / MS).as("canary").isGreaterThan(8.8);
    }

    private static double meanSeek(SeekCurve curve, long cylinders) {
        Prng prng = new Prng(7);
        double sum = 0;
        for (int i = 0; i < 200_000; i++) {
            long from = prng.below(cylinders);
            long to = prng.below(cylinders);
            sum += curve.nanos(Math.abs(from - to));
        }
        return sum / 200_000;
    }

    @Test
    void seekTimesThroughWhichThereIsNoCurveAreRefused() {
        assertThatThrownBy(() -> new SeekCurve(1, 100, 10, 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "seek times do not fit one another: seekNanosMin=1, seekNanosAverage=100, seekNanosFull=10");
    }

    @Test
    void randomReadAloneCostsASeekAndHalfATurn() {
        // Bytes are denser outside, so the mean seek between them is a little shorter than between cylinders.
        assertThat(Rig.random(MODEL, 1, 4096).iops()).isBetween(75.0, 84.0);
    }

    @Test
    void slowerPlatterIsNoticed() {
        SimHddModel slow = new SimHddModel(
                MODEL.sizeBytes(),
                5400,
                4,
                150_000_000,
                75_000_000,
                1_000_000,
                8_500_000,
                18_000_000,
                800_000,
                500_000,
                100_000,
                32,
                500_000_000,
                128 << 10);
        assertThat(Rig.random(slow, 1, 4096).iops()).as("canary").isLessThan(74);
    }

    @Test
    void queueOf32MoreThanDoublesRandomReads() {
        // Makers give 150 to 200 a second for 4 KiB over all of a disk of this kind with a full queue.
        assertThat(Rig.random(MODEL, 32, 4096).iops()).isBetween(150.0, 230.0);
    }

    @Test
    void sequentialReadsComeAtTheRateOfTheMedium() {
        double turn = MODEL.turnNanos();
        double change = turn / (turn + 800_000 + 500_000 + 20_000);
        assertThat(Rig.sequential(MODEL, 8, 0).bytesPerSecond() / 1e6).isCloseTo(150 * change, within(4.0));
        long inner = MODEL.sizeBytes() - (1L << 30);
        assertThat(Rig.sequential(MODEL, 8, inner).bytesPerSecond() / 1e6).isCloseTo(75 * change, within(3.0));
    }

    @Test
    void sequentialReadsOneByOneLoseATurnEach() {
        double nanosEach = MODEL.turnNanos() + (128 << 10) / 150e6 * 1e9;
        assertThat(1e9 / Rig.sequential(MODEL, 1, 0).iops()).isCloseTo(nanosEach, within(nanosEach * 0.03));
    }

    @Test
    void piecesThatFollowOneAnotherInTheQueueCostTheirTransferOnly() {
        Rig rig = new Rig(MODEL, 1);
        long start = rig.world.clock().nanos();
        List<Long> ends = new ArrayList<>();
        rig.disk.trace(new SimHdd.Trace() {
            @Override
            public void dispatched(long nanos, Request request) {
                assertThat(nanos).isEqualTo(start);
            }

            @Override
            public void completed(long nanos, Request request) {
                ends.add(nanos);
            }
        });
        // Handed over in the wrong order, but for the first, which the idle disk begins at once.
        for (int piece : new int[] {0, 3, 1, 2}) {
            rig.submit(rig.request(), (10L << 20) + piece * (128L << 10), 128 << 10);
        }
        rig.channel.commit();
        rig.drain(4);
        double transfer = (128 << 10) / 150e6 * 1e9;
        for (int i = 1; i < 4; i++) {
            assertThat((double) (ends.get(i) - ends.get(i - 1))).isCloseTo(transfer, within(transfer * 0.02));
        }
    }

    @Test
    void farCommandIsNotLeftWaitingForEver() {
        assertThat(farCommandWaits(MODEL) / MS).isBetween(400.0, 700.0);
        SimHddModel patient = new SimHddModel(
                MODEL.sizeBytes(),
                7200,
                4,
                150_000_000,
                75_000_000,
                1_000_000,
                8_500_000,
                18_000_000,
                800_000,
                500_000,
                100_000,
                32,
                Long.MAX_VALUE,
                128 << 10);
        assertThat(farCommandWaits(patient)).as("canary").isEqualTo(-1);
    }

    /** How long a command far away waits while others near the head keep coming, or -1 if longer than four seconds. */
    private static long farCommandWaits(SimHddModel model) {
        Rig rig = new Rig(model, 3);
        long[] waited = {-1};
        long[] sent = new long[1];
        for (int i = 0; i < 16; i++) {
            Request request = new Request(done -> rig.submit(done, 4096L * rig.prng.below(2_000), 4096));
            rig.submit(request, 4096L * rig.prng.below(2_000), 4096);
        }
        Request far = new Request(_ -> waited[0] = rig.world.clock().nanos() - sent[0]);
        sent[0] = rig.world.clock().nanos();
        rig.submit(far, model.sizeBytes() - 4096, 4096);
        long end = sent[0] + 4_000_000_000L;
        while (waited[0] < 0 && rig.world.clock().nanos() < end) {
            rig.channel.commit();
            if (rig.channel.poll(100) == 0) {
                rig.shard.park(1_000_000_000);
            }
        }
        return waited[0];
    }

    @Test
    void whatTheDiskHasNoRoomForWaitsOutsideAndEverythingIsDoneOnce() {
        Rig rig = new Rig(MODEL, 5);
        List<Request> dispatched = new ArrayList<>();
        List<Request> completed = new ArrayList<>();
        rig.disk.trace(new SimHdd.Trace() {
            @Override
            public void dispatched(long nanos, Request request) {
                dispatched.add(request);
            }

            @Override
            public void completed(long nanos, Request request) {
                completed.add(request);
            }
        });
        Channel second = rig.disk.open(rig.shard);
        List<Request> all = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            Request request = rig.request();
            all.add(request);
            request.read(4096L * rig.prng.below(1_000_000), rig.memory, 0, 4096);
            assertThat((i < 32 ? rig.channel : second).submit(request)).isTrue();
        }
        assertThat(second.submit(rig.request().read(0, rig.memory, 0, 4096))).isFalse();
        rig.channel.commit();
        second.commit();
        while (rig.done < 64) {
            if (rig.channel.poll(100) + second.poll(100) == 0) {
                rig.shard.park(Long.MAX_VALUE);
            }
        }
        assertThat(dispatched).containsExactlyElementsOf(all);
        assertThat(completed).containsExactlyInAnyOrderElementsOf(all).isNotEqualTo(all);
    }

    @Test
    void oneSeedGivesOneRun() {
        assertThat(Rig.random(MODEL, 32, 4096).world.fingerprint())
                .isEqualTo(Rig.random(MODEL, 32, 4096).world.fingerprint())
                .isNotEqualTo(Rig.random(MODEL, 31, 4096).world.fingerprint());
    }

    /** A disk with somebody who keeps a number of reads in flight. */
    private static final class Rig {
        private static final int READS = 2_000;

        final SimWorld world;
        final SimHdd disk;
        final Shard shard;
        final Channel channel;
        final Prng prng;
        final MemorySegment memory = MemorySegment.ofArray(new byte[128 << 10]);
        int done;
        private long length;

        Rig(SimHddModel model, long seed) {
            world = new SimWorld(seed);
            disk = new SimHdd(world, "hdd", model);
            shard = world.caller(0);
            channel = disk.open(shard);
            prng = new Prng(seed);
        }

        static Rig random(SimHddModel model, int depth, int length) {
            Rig rig = new Rig(model, 11);
            long blocks = model.sizeBytes() / length;
            rig.run(depth, length, _ -> rig.prng.below(blocks) * length);
            return rig;
        }

        static Rig sequential(SimHddModel model, int depth, long from) {
            Rig rig = new Rig(model, 12);
            rig.run(depth, 128 << 10, i -> from + i * (128L << 10));
            return rig;
        }

        private void run(int depth, int each, LongUnaryOperator offsets) {
            length = each;
            int[] sent = {0};
            for (int i = 0; i < depth; i++) {
                submit(
                        new Request(request -> {
                            done++;
                            if (sent[0] < READS) {
                                submit(request, offsets.applyAsLong(sent[0]++), each);
                            }
                        }),
                        offsets.applyAsLong(sent[0]++),
                        each);
            }
            channel.commit();
            drain(READS);
        }

        Request request() {
            return new Request(_ -> done++);
        }

        void submit(Request request, long offset, int each) {
            assertThat(channel.submit(request.read(offset, memory, 0, each))).isTrue();
        }

        void drain(int count) {
            while (done < count) {
                if (channel.poll(100) == 0) {
                    shard.park(Long.MAX_VALUE);
                }
                channel.commit();
            }
        }

        double iops() {
            return done * 1e9 / world.clock().nanos();
        }

        double bytesPerSecond() {
            return iops() * length;
        }
    }
}
