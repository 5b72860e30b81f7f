package io.tenfold.raid;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.sim.SimDisk;
import io.tenfold.sim.SimDiskModel;
import io.tenfold.sim.SimMedium;
import io.tenfold.sim.SimWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * An array on simulated disks, from media to power loss: {@link #powerOn} assembles what is on the media in a new world and
 * runs the copy pass if one is due; {@link #powerOff} leaves the media for the next.
 */
final class SimArray {
    final TestArray array;
    final List<SimMedium> media = new ArrayList<>();
    SimWorld world;
    List<SimDisk> disks;
    RaidDevice device;
    Conductor conductor;
    CopyPass pass;

    /** What each disk is wrapped in, for canaries. */
    UnaryOperator<BlockDevice> wrap = disk -> disk;

    /** How the device is made from a plan, for canaries. */
    DeviceMaker maker = RaidDevice::new;

    SimDiskModel model = SimDiskModel.flash();

    @FunctionalInterface
    interface DeviceMaker {
        RaidDevice make(ArrayPlan plan, boolean readOnly);
    }

    /** A new array, clean, of zeroes. */
    SimArray(TestArray array) {
        this.array = array;
        for (int role = 0; role < array.members(); role++) {
            SimMedium medium = new SimMedium(array.deviceBytes());
            byte[] superblock = array.superblock(role, 7, true);
            medium.write(TestArray.SUPERBLOCK_AT, superblock, 0, superblock.length);
            media.add(medium);
        }
    }

    /** Examines what is on the media, in a world of its own. */
    ArrayPlan plan() throws RefusedException {
        SimWorld aside = new SimWorld(0);
        List<SimDisk> copies = new ArrayList<>();
        for (int i = 0; i < media.size(); i++) {
            if (media.get(i) != null) {
                copies.add(new SimDisk(aside, "d" + i, media.get(i).copy(), model));
            }
        }
        return Examination.of(copies, aside.caller(0)).assemble();
    }

    /** Turns the power on: assembles, opens for writing, and compares the copies if that is due. */
    void powerOn(long seed) throws RefusedException {
        open(seed, false);
        if (conductor.isUnsynced()) {
            copyPass();
        }
    }

    /** Assembles and opens without a copy pass. */
    void open(long seed, boolean readOnly) throws RefusedException {
        world = new SimWorld(seed);
        disks = new ArrayList<>();
        List<BlockDevice> devices = new ArrayList<>();
        for (int i = 0; i < media.size(); i++) {
            if (media.get(i) == null) {
                continue;
            }
            SimDisk disk = new SimDisk(world, "d" + i, media.get(i), model);
            disks.add(disk);
            devices.add(wrap.apply(disk));
        }
        ArrayPlan plan = Examination.of(devices, world.caller(0)).assemble();
        device = maker.make(plan, readOnly);
        pass = null;
        conductor = new Conductor(device, world.loop(0, this::conduct));
    }

    private void conduct(Shard shard) {
        if (conductor.work() + (pass == null ? 0 : pass.work()) == 0) {
            shard.park(conductor.parkNanos());
        }
    }

    /** Runs a copy pass to its end. */
    CopyPass copyPass() {
        startCopyPass();
        if (!world.runUntil(pass::isDone, 600_000_000_000L)) {
            throw new AssertionError("copy pass did not end: seed=" + world.seed() + ", state=" + conductor.state());
        }
        CopyPass done = pass;
        pass = null;
        done.close();
        return done;
    }

    void startCopyPass() {
        pass = new CopyPass(device, conductor);
        conductor.shard().wake();
    }

    /** Stops in order. */
    void stop() {
        conductor.stop();
        if (!world.runUntil(conductor::isStopped, 60_000_000_000L)) {
            throw new AssertionError("did not stop: seed=" + world.seed() + ", state=" + conductor.state());
        }
    }

    /** Takes the power: what was not stable is kept, dropped or torn. */
    void powerOff() {
        disks.forEach(SimDisk::cutPower);
    }
}
