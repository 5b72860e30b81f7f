package io.tenfold.queue;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.sim.SimDisk;
import io.tenfold.sim.SimDiskModel;
import io.tenfold.sim.SimMedium;
import io.tenfold.sim.SimWorld;
import java.util.ArrayList;
import java.util.List;

/**
 * One life of a queue over a simulated disk, all of it determined by a seed: shards and submitters, limits, sizes, kinds
 * and order of requests, faults, and a power loss now and then.
 *
 * <p>Checked: every request ends, once, within its channel's poll on its shard, as it should; reads see what was written;
 * the device is held to its limits by {@link StrictDevice}; and what a flush or FUA has made stable survives the power
 * loss, see {@link Contents}.
 */
final class QueueRun {
    /** Virtual time that is more than enough for any run. */
    private static final long NANOS_MAX = 600_000_000_000L;

    private static final int REGION_BLOCKS = 96;

    /** What is tried. */
    interface Subject {
        /** What the submitters use. */
        BlockDevice queue();

        /** Does something that must not matter, such as another depth; called between turns. */
        default void meddle(Prng prng) {}

        /** Ends what {@link #meddle} may have begun. */
        default void calm() {}
    }

    /** Makes a subject over a device. */
    @FunctionalInterface
    interface Maker {
        Subject make(BlockDevice device, Setting setting, Prng prng);
    }

    /** What a subject should keep to. */
    record Setting(int shards, int depth, int deviceDepth, long boundaryBytes) {}

    final long seed;
    final Prng prng;
    final SimWorld world;
    final Setting setting;
    final StrictDevice strict;
    final Cuts cuts;
    final Contents contents;
    final Subject subject;
    final boolean faulty;

    /** Whose turn it is. */
    Shard current;

    private final SimMedium medium;
    private final SimDisk disk;
    private final List<QueueUser> users = new ArrayList<>();
    private final boolean powerLoss;

    QueueRun(long seed, Maker maker) {
        this.seed = seed;
        prng = new Prng(seed);
        world = new SimWorld(prng.nextLong());
        int shards = 1 + prng.below(4);
        int perShard = 1 + prng.below(2);
        boolean large = prng.oneIn(4);
        int block = large ? 4096 : 512;
        SimDiskModel model = new SimDiskModel(
                block,
                block,
                1 + prng.below(32),
                1_000L * prng.below(50),
                50_000L + 1_000L * prng.below(500),
                prng.oneIn(2) ? 50 : 0,
                true,
                true);
        long boundary = prng.oneIn(2) ? 0 : (long) block * (1 + prng.below(16));
        setting = new Setting(shards, 1 + prng.below(prng.oneIn(3) ? 4 : 40), 1 + prng.below(12), boundary);
        int blocks = shards * perShard * REGION_BLOCKS;
        medium = new SimMedium((long) blocks * block);
        disk = new SimDisk(world, "disk", medium, model);
        DeviceLimits limits = new DeviceLimits(
                block,
                Math.min(block, 1 << prng.below(10)),
                block * (1 + prng.below(16)),
                1 + prng.below(6),
                prng.oneIn(4) ? 0 : (long) block * (1 + prng.below(32)),
                prng.oneIn(4) ? 0 : (long) block * (1 + prng.below(32)),
                block,
                false,
                false);
        // The disk itself asks for memory aligned to its block, which is native memory's business alone: ours is on the
        // heap.
        strict = new StrictDevice(
                disk, limits, boundary, setting.deviceDepth(), prng.oneIn(2) ? prng : null, () -> current);
        cuts = new Cuts(limits, boundary);
        contents = new Contents(blocks, block);
        faulty = prng.oneIn(4);
        powerLoss = prng.oneIn(3);
        if (faulty) {
            disk.inject(request -> prng.oneIn(30) ? IoStatus.IO_ERROR : null);
        }
        subject = maker.make(strict, setting, prng);
        int requests = 5 + prng.below(60);
        for (int s = 0; s < shards; s++) {
            List<QueueUser> here = new ArrayList<>();
            Shard shard = world.loop(s, self -> turn(self, here));
            current = shard;
            for (int i = 0; i < perShard; i++) {
                QueueUser user = new QueueUser(this, shard, users.size() * REGION_BLOCKS, REGION_BLOCKS, requests);
                here.add(user);
                users.add(user);
            }
        }
        current = null;
    }

    private void turn(Shard shard, List<QueueUser> here) {
        current = shard;
        int moved = 0;
        for (QueueUser user : here) {
            moved += user.turn();
        }
        if (moved == 0) {
            shard.park(Long.MAX_VALUE);
        }
        current = null;
        if (prng.oneIn(64)) {
            subject.meddle(prng);
        }
    }

    /** Runs it to the end; returns the history as a number. */
    long run() {
        if (powerLoss && !world.runUntil(this::allDone, 1_000L * prng.below(3_000))) {
            disk.cutPower();
            contents.checkAfterPowerLoss(medium, this::what);
            return world.fingerprint();
        }
        if (!world.runUntil(this::allDone, NANOS_MAX / 2)) {
            subject.calm();
            if (!world.runUntil(this::allDone, NANOS_MAX / 2)) {
                throw new AssertionError(what("requests wait for ever", "users=" + users));
            }
        }
        contents.check(disk, this::what);
        while (!users.isEmpty()) {
            QueueUser user = users.remove(prng.below(users.size()));
            current = user.shard;
            user.channel.close();
        }
        current = null;
        subject.queue().close();
        if (strict.open != 0) {
            throw new AssertionError(what("channels left open", "open=" + strict.open));
        }
        return world.fingerprint();
    }

    private boolean allDone() {
        for (QueueUser user : users) {
            if (!user.isDone()) {
                return false;
            }
        }
        return true;
    }

    String what(String wrong, Object values) {
        return wrong + ": seed=" + seed + ", " + values + ", nanos="
                + world.clock().nanos() + ", " + setting + ", limits=" + strict.limits();
    }
}
