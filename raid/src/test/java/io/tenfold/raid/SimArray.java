package io.tenfold.raid;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.sim.SimDisk;
import io.tenfold.sim.SimDiskModel;
import io.tenfold.sim.SimMedium;
import io.tenfold.sim.SimWorld;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * An array on simulated disks, from media to power loss: {@link #powerOn} assembles what is on the media in a new world and
 * runs the passes that are due; {@link #powerOff} leaves the media for the next.
 */
final class SimArray {
    final TestArray array;
    final List<SimMedium> media = new ArrayList<>();
    SimWorld world;
    List<SimDisk> disks;
    RaidDevice device;
    Conductor conductor;

    /** What ended, in order. */
    final List<SyncProgress> ended = new ArrayList<>();

    final List<SyncListener.Outcome> outcomes = new ArrayList<>();
    final List<String> causes = new ArrayList<>();

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

    /** Turns the power on: assembles, opens for writing, and lets the array make its copies agree. */
    void powerOn(long seed) throws RefusedException {
        open(seed, false);
        settle();
    }

    /** Runs until no pass is under way or due. */
    void settle() {
        if (!world.runUntil(() -> conductor.state().sync().isEmpty() && isSettled(), 600_000_000_000L)) {
            throw new AssertionError("pass did not end: seed=" + world.seed() + ", state=" + conductor.state());
        }
    }

    private boolean isSettled() {
        ArrayState state = conductor.state();
        boolean hopeless = state.condition() == ArrayState.Condition.OFFLINE
                || state.condition() == ArrayState.Condition.BROKEN
                || state.condition() == ArrayState.Condition.UNSYNCED
                || state.condition() == ArrayState.Condition.READ_ONLY;
        boolean filled = hasGivenUp(true);
        for (int role = 0; role < state.roles() && !filled; role++) {
            Roster roster = device.roster();
            Member active = roster.active(role);
            boolean canBeTaken =
                    Arrays.stream(roster.members()).anyMatch(m -> m.role() == Member.NO_ROLE && m.canServe());
            if (roster.replacement(role) != null || (active == null ? canBeTaken : !active.isInSync())) {
                return hopeless;
            }
        }
        return hopeless || state.copiesAgree() || hasGivenUp(false);
    }

    private boolean hasGivenUp(boolean fills) {
        for (int i = 0; i < ended.size(); i++) {
            if (outcomes.get(i) == SyncListener.Outcome.GIVEN_UP
                    && ended.get(i).kind().fills() == fills) {
                return true;
            }
        }
        return false;
    }

    /** Adds a spare, whose number is that of the disk. */
    void addSpare() {
        int number = media.size();
        SimMedium medium = new SimMedium(array.deviceBytes());
        byte[] superblock = new SuperblockBytes(array.superblock(0, 7, true))
                .put32(160, number)
                .put8(168, 's')
                .put8(169, number)
                .done();
        medium.write(TestArray.SUPERBLOCK_AT, superblock, 0, superblock.length);
        media.add(medium);
    }

    /** The disk of a name, or null. */
    SimDisk disk(String name) {
        return disks.stream()
                .filter(disk -> disk.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** The number of a disk by its name. */
    static int number(String name) {
        return Integer.parseInt(name.substring(1));
    }

    /** Assembles and opens. What is due begins by itself. */
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
        ended.clear();
        outcomes.clear();
        causes.clear();
        conductor = new Conductor(device, world.loop(0, this::conduct), new SyncListener() {
            @Override
            public void started(SyncProgress progress) {}

            @Override
            public void ended(SyncProgress progress, Outcome outcome, List<String> why) {
                ended.add(progress);
                outcomes.add(outcome);
                causes.addAll(why);
            }
        });
    }

    private void conduct(Shard shard) {
        if (conductor.work() == 0) {
            shard.park(conductor.parkNanos());
        }
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
