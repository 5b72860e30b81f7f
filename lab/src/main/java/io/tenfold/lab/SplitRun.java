package io.tenfold.lab;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.sim.SimHdd;
import io.tenfold.sim.SimHddModel;
import io.tenfold.sim.SimWorld;
import java.lang.foreign.MemorySegment;

/**
 * One run of experiment C in a world of its own: submitters that write large blocks at random, a queue, and a disk that takes
 * less at a time.
 *
 * <p>The machine: each submitter is a thread and a shard of its own, and so is what serves the disk (shard 0, which stands for
 * its interrupt). Each has a processor whenever it is awake; disks leave processors idle. A thread that is woken runs after a
 * while, drawn anew each time, and is busy for a while with each thing that it does, so that others come between.
 */
final class SplitRun {
    static final int BLOCK_BYTES = 512 << 10;
    static final int TRANSFER_BYTES = 128 << 10;
    static final int TAGS = 64;
    static final int DEVICE_DEPTH = 32;
    static final int IN_FLIGHT = 2;
    static final long REGION_BYTES = 100 << 20;

    /** Requests of each submitter that are done before the count begins. */
    private static final int WARM_UP = 4;

    private static final SimHddModel DISK = SimHddModel.sata7200().withTransferBytesMax(TRANSFER_BYTES);

    /** What is measured: a queue over the disk. */
    @FunctionalInterface
    interface Queue {
        BlockDevice over(BlockDevice disk, int shards);
    }

    /**
     * How long threads of the simulated machine take.
     *
     * @param wakeNanosMin from being woken to running, at least
     * @param wakeNanosMax at most
     * @param stepNanos to hand one piece over, or all of a request that is cut as a whole, or to take one back
     */
    record Pace(long wakeNanosMin, long wakeNanosMax, long stepNanos) {
        /**
         * A processor that sleeps lightly needs some microseconds to run a thread, one that sleeps deeply some tens; a piece of
         * 128 KiB is made and handed to a disk's driver in a few.
         */
        static final Pace USUAL = new Pace(5_000, 50_000, 3_000);
    }

    /**
     * What came of it.
     *
     * @param sequentialPercent how many of the disk's requests were handed to it right after the one that ends where they start
     * @param bytesPerSecond how much the disk wrote
     * @param dispatches how many requests were counted
     * @param fingerprint of everything that happened
     */
    record Outcome(double sequentialPercent, double bytesPerSecond, long dispatches, long fingerprint) {}

    private final SequentialShare share = new SequentialShare();
    private long done;

    private SplitRun() {}

    /**
     * Runs it.
     *
     * @param requests how many requests are counted
     */
    static Outcome run(Queue queue, int submitters, long seed, long requests, Pace pace) {
        return new SplitRun().go(queue, submitters, seed, requests, pace);
    }

    private Outcome go(Queue queue, int submitters, long seed, long requests, Pace pace) {
        SimWorld world = new SimWorld(seed);
        Prng prng = new Prng(seed);
        SimHdd disk = new SimHdd(world, "hdd", DISK);
        disk.trace(share);
        BlockDevice device = queue.over(disk, submitters + 1);
        SimThread interrupts = new SimThread(new Prng(prng.nextLong()), 1_000, 5_000);
        Channel serving = device.open(world.loop(0, interrupts));
        interrupts.work(() -> {
            int moved = serving.poll(DEVICE_DEPTH);
            serving.commit();
            return moved * pace.stepNanos;
        });
        MemorySegment data = MemorySegment.ofArray(new byte[BLOCK_BYTES]);
        for (int i = 1; i <= submitters; i++) {
            SimThread thread = new SimThread(new Prng(prng.nextLong()), pace.wakeNanosMin, pace.wakeNanosMax);
            Shard shard = world.loop(i, thread);
            thread.work(new SimSubmitter(
                    device.open(shard),
                    new Prng(prng.nextLong()),
                    (i - 1) * REGION_BYTES,
                    (int) (REGION_BYTES / BLOCK_BYTES),
                    data,
                    IN_FLIGHT,
                    pace.stepNanos,
                    () -> done++));
        }
        runUntil(world, (long) WARM_UP * submitters);
        share.begin(world.clock().nanos());
        runUntil(world, done + requests);
        return new Outcome(share.percent(), share.bytesPerSecond(), share.dispatches(), world.fingerprint());
    }

    private void runUntil(SimWorld world, long requests) {
        if (!world.runUntil(() -> done >= requests, Long.MAX_VALUE)) {
            throw new IllegalStateException(
                    "nothing goes on any more: done=" + done + ", wanted=" + requests + ", seed=" + world.seed());
        }
    }
}
