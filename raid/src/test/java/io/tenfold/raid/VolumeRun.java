package io.tenfold.raid;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.sim.SimDisk;
import io.tenfold.sim.SimDiskModel;
import io.tenfold.sim.SimMedium;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * One life of an array, drawn by a seed: several users, disks that fail, power that goes away at any moment (while copies
 * are being compared, too), assembly from what is left, and so on, until it is stopped in order. Throws an {@link AssertionError} for whatever must not be.
 *
 * <p>In most lives no more members fail than the array can do without; then every request must succeed, but for reads of
 * blocks that no disk has any more. In some lives more fail: then requests may fail, but must end, and what was promised
 * before must still hold once the disks are back.
 */
final class VolumeRun {
    private static final TestArray[] SHAPES = {
        new TestArray(Layout.near(2), 4, 8192, 192 << 10),
        new TestArray(Layout.near(2), 4, 64 << 10, 256 << 10),
        new TestArray(Layout.near(2), 3, 4096, 160 << 10),
        new TestArray(Layout.near(2), 2, 16 << 10, 256 << 10),
        new TestArray(Layout.near(3), 4, 4096, 192 << 10),
        new TestArray(Layout.far(2), 4, 8192, 192 << 10),
        new TestArray(Layout.far(2), 3, 4096, 192 << 10),
        new TestArray(Layout.offset(2), 4, 4096, 160 << 10),
        new TestArray(new Layout(2, 2, false, 0), 5, 4096, 128 << 10),
    };
    private static final long MILLI = 1_000_000;
    private static final int BLOCK = BlockHistory.BLOCK;

    final long seed;
    final SimArray array;
    final BlockHistory history;
    private final Prng prng;
    private final Geometry geometry;
    private final Arena arena = Arena.ofAuto();

    /** Too much fails in this life. */
    private final boolean fatal;

    private final boolean spoiling;

    /** Disks cannot write some blocks for a while. */
    private final boolean weakening;

    private final BitSet expendable = new BitSet();

    /** Roles whose disks were made to fail, and sectors of each disk that were ever spoiled or weak. */
    private final BitSet struck = new BitSet();

    private final List<BitSet> spoiled = new ArrayList<>();
    private final Set<String> gone = new HashSet<>();
    private List<SimUser> users = List.of();
    private long answers;
    private long passes;
    private long recoveries;
    private long weakened;
    private long repairedBlocks;
    private long recordedRanges;

    /** Changes how the array is made, to break it. */
    @FunctionalInterface
    interface Sabotage {
        void on(SimArray array, Prng prng);
    }

    /** Something was not as promised. */
    private static final class Wrong extends AssertionError {
        private static final long serialVersionUID = 1;

        Wrong(String what) {
            super(what);
        }
    }

    VolumeRun(long seed, Sabotage sabotage) {
        this.seed = seed;
        prng = new Prng(seed);
        TestArray shape = SHAPES[prng.below(SHAPES.length)];
        array = new SimArray(shape);
        array.model = prng.oneIn(3) ? SimDiskModel.flash4k() : SimDiskModel.flash();
        if (prng.oneIn(2)) {
            array.addSpare();
        }
        sabotage.on(array, prng);
        geometry = shape.geometry();
        history = new BlockHistory(geometry.arrayBytes());
        fatal = prng.oneIn(5);
        spoiling = prng.oneIn(3);
        weakening = prng.oneIn(3);
        for (int i = 0; i < shape.members(); i++) {
            spoiled.add(new BitSet());
            int role = prng.below(shape.members());
            expendable.set(role);
            if (!fatal && !geometry.isEnough(r -> !expendable.get(r))) {
                expendable.clear(role);
            }
        }
    }

    /** How often it was started without having been stopped in order. */
    long passes() {
        return passes;
    }

    /** How many members were filled to the end. */
    long recoveries() {
        return recoveries;
    }

    /** How many members were recorded as failed. */
    long recordedFailures() {
        return gone.size();
    }

    /** How often blocks became such that they cannot be written, and ranges that were found in logs afterwards. */
    long weakened() {
        return weakened;
    }

    long recordedRanges() {
        return recordedRanges;
    }

    /** Blocks that could not be read and were rewritten. */
    long repairedBlocks() {
        return repairedBlocks;
    }

    MemorySegment memory(long bytes) {
        return arena.allocate(bytes, 4096);
    }

    /** Lives. Answers how many requests were answered; every error names the seed. */
    long live() {
        try {
            liveOn();
        } catch (RefusedException e) {
            if (!fatal) {
                throw new AssertionError(describe("not assembled: " + e.getMessage()), e);
            }
        } catch (RuntimeException e) {
            throw new AssertionError(describe("threw: " + e), e);
        } catch (AssertionError e) {
            throw e instanceof Wrong ? e : new AssertionError(describe("assertion failed: " + e.getMessage()), e);
        }
        return answers;
    }

    private void liveOn() throws RefusedException {
        int rounds = 1 + prng.below(3);
        for (int round = 0; round < rounds; round++) {
            if (prng.oneIn(3)) {
                losePass();
            }
            begin();
            array.world.runFor(prng.below(10 * MILLI));
            if (prng.oneIn(4)) {
                users.forEach(user -> user.rest(true)); // Long enough to be marked clean.
                array.world.runFor(500 * MILLI);
                users.forEach(user -> user.rest(false));
                array.world.runFor(prng.below(4 * MILLI));
            }
            if (prng.oneIn(4)) {
                array.conductor.stop();
                array.world.runFor(prng.below(5 * MILLI));
            }
            crash();
        }
        begin();
        array.world.runFor(prng.below(8 * MILLI));
        end();
    }

    /** Power that goes away while copies are being compared, if they have to be. */
    private void losePass() throws RefusedException {
        array.open(prng.nextLong(), false);
        array.world.runFor(prng.below(4 * MILLI));
        array.powerOff();
        afterPowerOff();
    }

    private void begin() throws RefusedException {
        boolean atOnce = prng.oneIn(2); // Users do not wait until copies agree.
        array.open(prng.nextLong(), false);
        if (!atOnce) {
            array.settle();
        }
        for (ArrayPlan.Member member : array.device.plan().members()) {
            require(
                    !gone.contains(member.device().name()),
                    "assembled with a member that was recorded as failed: "
                            + member.device().name());
        }
        passes += array.device.plan().isClean() ? 0 : 1;
        if (!atOnce && !array.conductor.state().copiesAgree()) {
            require(fatal, "resync failed: " + array.conductor.state());
        }
        verify(!atOnce);
        users = new ArrayList<>();
        for (int i = 1; i <= 1 + prng.below(3); i++) {
            users.add(new SimUser(this, i));
        }
        array.world.after(prng.below(8 * MILLI), this::strike);
    }

    /** Lets something go wrong, and then perhaps something else. */
    private void strike() {
        int role = prng.below(geometry.members());
        SimDisk disk = diskOf(role);
        if (disk == null) {
            return;
        }
        if (spoiling && prng.oneIn(2)) {
            for (int i = prng.below(4); i >= 0; i--) {
                disk.spoil(weakSpot(role), 4096);
            }
        } else if (weakening && prng.oneIn(2)) {
            weaken(disk, weakSpot(role));
        } else if (expendable.get(role)) {
            struck.set(role);
            switch (prng.below(4)) {
                case 0 -> disk.vanish();
                case 1 -> disk.failNext(Op.FLUSH, 1, IoStatus.IO_ERROR);
                default -> disk.failNext(Op.WRITE, 1, IoStatus.IO_ERROR);
            }
        } else if (prng.oneIn(3)) {
            disk.slowdown(1 + prng.below(20));
        }
        array.world.after(prng.below(10 * MILLI), this::strike);
    }

    /** Somewhere in the data of a disk, which may be lost there from now on: where it starts. */
    private long weakSpot(int role) {
        // Half of all requests go to the first blocks.
        int blocks = (int) (array.array.memberBytes() / 4096);
        int sector = prng.below(prng.oneIn(2) ? Math.min(8, blocks) : blocks) * 8;
        spoiled.get(role).set(sector, sector + 8);
        return TestArray.DATA_OFFSET + sector * 512L;
    }

    /** Lets some writes fail there. */
    private void weaken(SimDisk disk, long from) {
        int[] left = {1 + prng.below(40)};
        weakened++;
        disk.inject(request ->
                request.op().changes() && request.offset() < from + 4096 && request.end() > from && left[0]-- > 0
                        ? IoStatus.MEDIUM_ERROR
                        : null);
    }

    /** The disk that has a role now, or null. */
    private SimDisk diskOf(int role) {
        Member member = array.device.roster().active(role);
        return member == null ? null : array.disk(member.toString());
    }

    /** A request of a user has been answered. */
    void answered(
            Request request, int first, int count, MemorySegment memory, BlockHistory.Write write, long submitted) {
        answers++;
        history.oldest(users.stream().mapToLong(SimUser::oldest).min().orElse(Long.MAX_VALUE));
        boolean ok = request.status() == IoStatus.OK;
        if (request.op() == Op.READ) {
            if (ok) {
                requireNone(history.wrongRead(first, count, memory, submitted), request);
            } else {
                require(fatal || mayBeLost(first, count), () -> "read failed: " + request);
            }
            return;
        }
        require(
                ok || fatal || (request.op() != Op.FLUSH && mayBeLost(first, count)),
                () -> "failed though enough members are left: " + request);
        if (write != null) {
            history.ended(write, ok);
        } else if (ok) {
            history.flushed(submitted);
        }
    }

    /** Whether a block of the range was spoiled, or is gone with its disk, on every copy. */
    private boolean mayBeLost(int first, int count) {
        for (int block = first; block < first + count; block++) {
            long offset = (long) block * BLOCK;
            boolean left = false;
            for (int copy = 0; copy < geometry.copies(); copy++) {
                long place = geometry.locate(geometry.chunkOf(offset), copy);
                long address = geometry.startOf(Geometry.memberChunk(place)) + geometry.withinChunk(offset);
                int role = Geometry.role(place);
                left |= !struck.get(role) && !spoiled.get(role).get((int) (address / 512));
            }
            if (!left) {
                return true;
            }
        }
        return false;
    }

    private void crash() throws RefusedException {
        noteRecordedFailures();
        array.powerOff();
        users = List.of();
        history.powerLost();
        afterPowerOff();
    }

    private void noteRecordedFailures() {
        for (int i = 0; i < array.ended.size(); i++) {
            boolean done = array.outcomes.get(i) == SyncListener.Outcome.DONE;
            recoveries += done && array.ended.get(i).kind() == SyncKind.RECOVERY ? 1 : 0;
        }
        repairedBlocks += array.conductor.state().blocksRepaired();
        List<MemberFailure> failures = array.device.roster().failures();
        for (int i = 0; i < failures.size() && i < array.device.recordedEpoch(); i++) {
            Member member = failures.get(i).member();
            if (member.isInSync()) { // A spare may come back as one, and be filled from the start.
                gone.add(member.toString());
            }
        }
    }

    /** Users stop, every request ends, the array is stopped in order and is clean. */
    private void end() throws RefusedException {
        users.forEach(user -> user.rest(true));
        require(
                array.world.runUntil(() -> users.stream().allMatch(SimUser::isIdle), 300_000 * MILLI),
                "requests that never end: " + array.conductor.state());
        users.forEach(SimUser::close);
        if (prng.oneIn(2)) {
            array.settle();
        }
        array.stop();
        noteRecordedFailures();
        ArrayState state = array.conductor.state();
        boolean differ = array.device.doCopiesDiffer();
        Roster roster = array.device.roster();
        array.powerOff();
        ArrayPlan plan = array.plan();
        if (!fatal) {
            require(plan.isClean() == state.copiesAgree(), "stopped in order, and marked as it is not: " + state);
            require(plan.events() == state.events(), "events: on disk " + plan.events() + ", state " + state);
            for (ArrayPlan.Member member : plan.members()) {
                require(roster.active(member.role()) != null, "a member more than there was: " + member);
            }
            require(plan.missing().size() == state.degraded(), "missing: " + plan.missing() + ", state " + state);
        } else {
            require(!differ || !plan.isClean(), "clean, though a write had failed: " + state);
        }
        afterPowerOff();
        array.powerOn(prng.nextLong());
        verify(true);
    }

    /** Superblocks that say clean are right; disks that failed come back or do not. */
    private void afterPowerOff() throws RefusedException {
        ArrayPlan plan = array.plan();
        if (plan.isClean()) {
            Map<Integer, String> holders = new HashMap<>();
            Map<Integer, BadRanges> bad = new HashMap<>();
            for (ArrayPlan.Member member : plan.members()) {
                if (member.isInSync()) {
                    holders.put(member.role(), member.device().name());
                    bad.put(member.role(), BadRanges.of(member.badRanges()));
                    recordedRanges += member.badRanges().size();
                }
            }
            requireEqualCopies(holders, bad, false);
        }
        for (int i = 0; i < array.media.size(); i++) {
            if (gone.contains("d" + i) && prng.oneIn(2)) {
                array.media.set(i, null);
            }
        }
    }

    /**
     * Everything promised is there.
     *
     * @param settled all copies agree, too, so that what is read is what counts from now on
     */
    private void verify(boolean settled) {
        if (settled) {
            Map<Integer, String> holders = new HashMap<>();
            Map<Integer, BadRanges> bad = new HashMap<>();
            for (int role = 0; role < geometry.members(); role++) {
                Member member = array.device.roster().active(role);
                if (member != null && member.isInSync()) {
                    holders.put(role, member.toString());
                    bad.put(role, member.badRanges());
                    recordedRanges += member.badRanges().count();
                }
            }
            requireEqualCopies(holders, bad, true);
        }
        Shard shard = array.world.caller(50);
        Channel channel = array.device.open(shard);
        int all = (int) (geometry.arrayBytes() / BLOCK);
        int step = 64;
        for (int first = 0; first < all; first += step) {
            int count = Math.min(step, all - first);
            if (!verify(shard, channel, first, count, settled)) {
                for (int block = first;
                        block < first + count;
                        block += array.device.limits().blockBytes() / BLOCK) {
                    verify(shard, channel, block, array.device.limits().blockBytes() / BLOCK, settled);
                }
            }
        }
        channel.close();
    }

    private boolean verify(Shard shard, Channel channel, int first, int count, boolean settled) {
        boolean[] ended = new boolean[1];
        Request request = new Request(_ -> ended[0] = true);
        MemorySegment memory = memory((long) count * BLOCK);
        channel.submit(request.read((long) first * BLOCK, memory, 0, (long) count * BLOCK));
        channel.commit();
        while (!ended[0]) {
            if (channel.poll(1) == 0) {
                shard.park(Long.MAX_VALUE);
            }
        }
        if (request.status() != IoStatus.OK) {
            require(fatal || mayBeLost(first, count), "lost: " + request);
            return false;
        }
        requireNone(history.wrongAfterPowerLoss(first, count, memory), request);
        for (int block = first; settled && block < first + count; block++) {
            history.settled(block, memory, (long) (block - first) * BLOCK);
        }
        return true;
    }

    /** Copies agree on those that hold roles in full. */
    private void requireEqualCopies(Map<Integer, String> holders, Map<Integer, BadRanges> bad, boolean running) {
        for (int block = 0; block < geometry.arrayBytes() / BLOCK; block++) {
            int at = block;
            long offset = (long) block * BLOCK;
            byte[] expected = null;
            for (int copy = 0; copy < geometry.copies(); copy++) {
                long place = geometry.locate(geometry.chunkOf(offset), copy);
                int role = Geometry.role(place);
                String holder = holders.get(role);
                if (holder == null) {
                    continue;
                }
                SimMedium medium = array.media.get(SimArray.number(holder));
                long address = TestArray.DATA_OFFSET
                        + geometry.startOf(Geometry.memberChunk(place))
                        + geometry.withinChunk(offset);
                if (!medium.isReadable(address, BLOCK) || bad.get(role).touches(address, BLOCK)) {
                    continue;
                }
                byte[] held = running ? array.disk(holder).peek(address, BLOCK) : medium.read(address, BLOCK);
                expected = expected == null ? held : expected;
                require(
                        Arrays.equals(held, expected),
                        () -> (running ? "running" : "marked clean") + ", and copies differ: block=" + at + ", role="
                                + role);
            }
        }
    }

    private void requireNone(String wrong, Request request) {
        require(wrong == null, () -> wrong + ": " + request);
    }

    private void require(boolean holds, String what) {
        require(holds, () -> what);
    }

    private void require(boolean holds, Supplier<String> what) {
        if (!holds) {
            throw new Wrong(describe(what.get()));
        }
    }

    private String describe(String what) {
        return what + " [seed=" + seed + ", " + array.array + ", fatal=" + fatal + ", struck=" + struck + ", gone="
                + gone + "]";
    }
}
