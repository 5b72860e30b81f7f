package io.tenfold.lab;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.raid.ArrayCreation;
import io.tenfold.raid.ArraySpec;
import io.tenfold.raid.Examination;
import io.tenfold.raid.Layout;
import io.tenfold.raid.MdUuid;
import io.tenfold.raid.RaidDevice;
import io.tenfold.raid.ReadRule;
import io.tenfold.raid.RefusedException;
import io.tenfold.sim.SimFlash;
import io.tenfold.sim.SimFlashModel;
import io.tenfold.sim.SimHdd;
import io.tenfold.sim.SimHddModel;
import io.tenfold.sim.SimMedium;
import io.tenfold.sim.SimWorld;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * One run of experiment B in a world of its own: readers, each an event loop with a channel of its own, on an array or on one
 * drive. Processors are not what is measured: a turn of a loop takes about a microsecond, whatever it does.
 */
final class ReadsRun {
    private static final long CHUNK_BYTES = 512 << 10;

    /** Reads that are done before the count begins, as a part of those that are counted. */
    private static final int WARM_UP_PART = 4;

    /** What is read, a drive of its own in each world. */
    @FunctionalInterface
    interface Drive {
        BlockDevice in(SimWorld world, String name);

        static Drive of(SimFlashModel model) {
            return (world, name) -> new SimFlash(world, name, model, new SimMedium(model.sizeBytes()));
        }

        static Drive of(SimHddModel model) {
            return (world, name) -> new SimHdd(world, name, model, new SimMedium(model.sizeBytes()));
        }
    }

    /**
     * Who reads what.
     *
     * @param jobs how many readers
     * @param depth reads that each keeps in flight
     * @param length of each in bytes
     * @param sequential one after the other from the start, not anywhere
     * @param reads how many are counted
     */
    record Load(int jobs, int depth, int length, boolean sequential, int reads) {}

    /**
     * What came of it.
     *
     * @param perSecond reads
     * @param byMember how many reads each member was asked in all, warm-up included; of one drive none
     * @param fingerprint of everything that happened
     */
    record Outcome(double perSecond, List<Long> byMember, long fingerprint) {
        /** The part of a member in percent. */
        double share(int member) {
            return 100.0
                    * byMember.get(member)
                    / byMember.stream().mapToLong(n -> n).sum();
        }
    }

    private final SimWorld world;
    private final Load load;
    private long done;

    private ReadsRun(long seed, Load load) {
        world = new SimWorld(seed);
        this.load = load;
    }

    /** Reads one drive. */
    static Outcome alone(Drive drive, Load load, long seed) {
        ReadsRun run = new ReadsRun(seed, load);
        return run.outcome(run.read(drive.in(run.world, "alone")), List.of());
    }

    /** Reads an array of drives. */
    static Outcome array(Layout layout, List<Drive> drives, ReadRule rule, Load load, long seed) {
        ReadsRun run = new ReadsRun(seed, load);
        RaidDevice array = run.array(layout, drives, rule);
        double perSecond = run.read(array);
        List<Long> byMember = new ArrayList<>();
        for (long reads : array.readsByMember()) {
            byMember.add(reads);
        }
        return run.outcome(perSecond, byMember);
    }

    private Outcome outcome(double perSecond, List<Long> byMember) {
        return new Outcome(perSecond, byMember, world.fingerprint());
    }

    private RaidDevice array(Layout layout, List<Drive> drives, ReadRule rule) {
        List<BlockDevice> members = new ArrayList<>();
        for (Drive drive : drives) {
            members.add(drive.in(world, "d" + members.size()));
        }
        ArraySpec spec = new ArraySpec(
                new MdUuid(1, 1), "lab:reads", layout, CHUNK_BYTES, "1.2", 0, ArraySpec.CHOOSE, true, false);
        Shard shard = world.caller(0);
        long[] uuids = {1};
        try {
            ArrayCreation.prepare(spec, members.stream().map(Optional::of).toList(), shard)
                    .write(() -> new MdUuid(2, uuids[0]++), shard);
            return new RaidDevice(Examination.of(members, shard).assemble(), true, rule);
        } catch (RefusedException | IOException e) {
            throw new IllegalStateException("cannot make an array of simulated drives: seed=" + world.seed(), e);
        }
    }

    private double read(BlockDevice device) {
        Prng prng = new Prng(world.seed());
        long blocks = device.sizeBytes() / load.length;
        for (int job = 0; job < load.jobs; job++) {
            Prng own = new Prng(prng.nextLong());
            long[] next = {0};
            LongSupplier offsets =
                    load.sequential ? () -> next[0]++ % blocks * load.length : () -> own.below(blocks) * load.length;
            SimReader reader = new SimReader(load.depth, load.length, offsets, () -> done++);
            reader.reads(device.open(world.loop(job + 1, reader)));
        }
        runUntil(load.reads / WARM_UP_PART);
        long from = done;
        long start = world.clock().nanos();
        runUntil(from + load.reads);
        return (done - from) * 1e9 / (world.clock().nanos() - start);
    }

    private void runUntil(long reads) {
        if (!world.runUntil(() -> done >= reads, Long.MAX_VALUE)) {
            throw new IllegalStateException(
                    "nothing goes on any more: done=" + done + ", wanted=" + reads + ", seed=" + world.seed());
        }
    }
}
