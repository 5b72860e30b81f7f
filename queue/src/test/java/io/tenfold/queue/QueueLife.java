package io.tenfold.queue;

import io.tenfold.base.Clock;
import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.base.Waiter;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.queue.WatchedDevice.Sabotage;
import io.tenfold.sim.SimDisk;
import io.tenfold.sim.SimDiskModel;
import io.tenfold.sim.SimMedium;
import io.tenfold.sim.SimWorld;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * One life of a queue, on one thread and in virtual time, all of it determined by a seed: how the queue works, what its
 * disk can do and how it fails, who submits what, when the queue is frozen, stopped and resized, and whether it ends with a
 * loss of power.
 *
 * <p>Checked all along: data against a {@link SectorModel}; each request ends once, failed only if a piece of it did for
 * good; no more at the device than there may be, nothing while it is stopped; pieces of a request together where the rules
 * promise that. At the end: nothing is left, or what is stable is on the medium.
 */
final class QueueLife implements WatchedDevice.Watcher {
    private static final int SECTORS = 512;
    private static final int SECTOR = SectorModel.SECTOR;
    private static final long SECONDS_10 = 10_000_000_000L;

    final SimWorld world;
    final Prng prng;
    final QueueOptions options;
    final DeviceQueue queue;
    final Cuts cuts;
    final int block;
    private final Sabotage sabotage;
    private final SimDisk disk;
    private final WatchedDevice device;
    private final int shards;
    private final List<LifeUser> users = new ArrayList<>();
    private final SectorModel model = new SectorModel(SECTORS, hash(new byte[SECTOR], 0));
    private final int[] readers = new int[SECTORS];
    private final boolean[] changing = new boolean[SECTORS];
    private final int depthMin;
    private final boolean together;

    private int depth;
    private int depthBound;
    private int[] atDevice;
    private int flushesAtDevice;
    private Bundle[] partOf;
    private long[] partEnd;
    private boolean stopped;
    private final Set<Request> doomed = new HashSet<>();
    private long flushFailures;
    private long requeues;
    private long late;
    private long versions;

    /** How many requests have ended, and how many of them had to be cut. */
    long ended;

    long cut;

    QueueLife(long seed, Sabotage sabotage) {
        this.sabotage = sabotage;
        world = new SimWorld(seed);
        prng = world.random();
        block = prng.oneIn(3) ? 4096 : SECTOR;
        shards = 1 + prng.below(4);
        options = randomOptions();
        depth = options.depth();
        depthBound = depth;
        depthMin = 1 + prng.below(depth);
        together =
                options.wholeRequests() && (options.wakePolicy().noPreemption() || sabotage == Sabotage.WRONG_PROMISE);
        SimDiskModel like = new SimDiskModel(
                block, 512, 2 + prng.below(16), 1_000, 1_000 + prng.below(200_000), prng.below(50), true, true);
        disk = new SimDisk(world, "disk", new SimMedium((long) SECTORS * SECTOR), like);
        device = new WatchedDevice(disk, prng, options.writeCache(), sabotage, this);
        device.refuseOneIn = prng.oneIn(2) ? 2 + prng.below(20) : 0;
        device.failOneIn = prng.oneIn(3) ? 3 + prng.below(60) : 0;
        device.stickOneIn = options.timeoutNanos() > 0 && prng.oneIn(2) ? 5 + prng.below(60) : 0;
        NarrowDevice narrow = NarrowDevice.of(
                device,
                block * (1 + prng.below(12)),
                1 + prng.below(6),
                prng.oneIn(10) ? 0 : (long) block * (1 + prng.below(24)),
                options.boundaryBytes());
        cuts = new Cuts(narrow.limits(), options.boundaryBytes());
        atDevice = new int[options.hardwareQueues()];
        partOf = new Bundle[options.hardwareQueues()];
        partEnd = new long[options.hardwareQueues()];
        queue = new DeviceQueue(narrow, options, shards);
        queue.onLate((_, _, _, nanos) -> {
            late++;
            require(nanos >= options.timeoutNanos(), "was called late too soon: nanos=" + nanos);
        });
        start();
    }

    private QueueOptions randomOptions() {
        WakePolicy[] policies = TagSetTest.policies().toArray(WakePolicy[]::new);
        TagDesign[] designs = TagDesign.values();
        WakePolicy policy = policies[prng.below(policies.length)];
        WriteCache[] caches = WriteCache.values();
        WriteCache cache = caches[prng.below(caches.length)];
        Schedule[] schedules = Schedule.values();
        if (sabotage == Sabotage.DROP_FUA) {
            cache = WriteCache.VOLATILE_WITH_FUA;
        } else if (sabotage == Sabotage.DROP_FLUSH) {
            cache = WriteCache.VOLATILE;
        } else if (sabotage == Sabotage.WRONG_PROMISE) {
            policy = WakePolicy.BY_NEED;
        }
        return QueueOptions.DEFAULT
                .withTagDesign(designs[prng.below(designs.length)])
                .withDepth(1 + prng.below(prng.oneIn(3) ? 32 : 8))
                .withDeviceDepth(1 + prng.below(prng.oneIn(2) ? 32 : 4))
                .withWakePolicy(policy)
                .withWholeRequests(sabotage == Sabotage.WRONG_PROMISE || !prng.oneIn(4))
                .withSchedule(schedules[prng.below(schedules.length)])
                .withHardwareQueues(1 + prng.below(shards))
                .withWriteCache(cache)
                .withBoundaryBytes(prng.oneIn(3) ? (long) block * (1 + prng.below(16)) : 0)
                .withTimeoutNanos(prng.oneIn(3) ? 50_000 + prng.below(500_000) : 0)
                .withRetries(prng.below(4));
    }

    private void start() {
        Shard[] loops = new Shard[shards];
        for (int i = 0; i < shards; i++) {
            List<LifeUser> own = new ArrayList<>();
            loops[i] = world.loop(i, shard -> turn(shard, own));
            Shard known = sabotage == Sabotage.LOSE_WAKE ? new Drowsy(loops[i], prng) : loops[i];
            int channels = 1 + prng.below(3);
            for (int c = 0; c < channels; c++) {
                LifeUser user = new LifeUser(this, queue.open(known));
                own.add(user);
                users.add(user);
            }
            loops[i].wake();
        }
    }

    /** A shard that does not always hear. */
    private record Drowsy(Shard heard, Prng prng) implements Shard {
        @Override
        public int index() {
            return heard.index();
        }

        @Override
        public Clock clock() {
            return heard.clock();
        }

        @Override
        public void park(long nanosMax) {
            heard.park(nanosMax);
        }

        @Override
        public void wake() {
            if (!prng.oneIn(4)) {
                heard.wake();
            }
        }
    }

    private void turn(Shard shard, List<LifeUser> own) {
        boolean moved = false;
        boolean idle = false;
        for (LifeUser user : own) {
            idle |= user.act();
        }
        for (LifeUser user : own) {
            moved |= user.channel.poll(1 + prng.below(16)) > 0;
        }
        if (!moved) {
            long watch = options.timeoutNanos() > 0 ? options.timeoutNanos() / 2 : Long.MAX_VALUE;
            shard.park(idle ? 1 + prng.below(50_000) : watch);
        }
    }

    /** Lives it to the end. */
    void run() {
        int events = 2 + prng.below(8);
        for (int i = 0; i < events; i++) {
            world.runFor(prng.below(3_000_000));
            switch (prng.below(5)) {
                case 0, 1 -> resize(depthMin + prng.below(options.depth() - depthMin + 1));
                case 2 -> stop();
                case 3 -> freeze();
                default -> world.runFor(prng.below(1_000_000));
            }
        }
        if (prng.oneIn(3)) {
            cutPower();
            return;
        }
        for (LifeUser user : users) {
            user.finish();
        }
        boolean ends = world.runUntil(() -> users.stream().allMatch(LifeUser::isDone), SECONDS_10);
        require(
                ends,
                "requests never end: "
                        + users.stream().mapToInt(user -> user.open).sum());
        end();
        cutPower();
    }

    private void resize(int value) {
        depthBound = Math.max(value, Math.min(depthBound, Math.max(depth, held())));
        depth = value;
        queue.resize(value);
    }

    private void stop() {
        if (sabotage != Sabotage.WRONG_STOP) {
            queue.quiesce(WaiterStub.SILENT);
        }
        stopped = true;
        world.runFor(prng.below(500_000));
        stopped = false;
        if (sabotage != Sabotage.WRONG_STOP) {
            queue.unquiesce();
        }
    }

    private void freeze() {
        queue.freeze(new Patience());
        require(held() == 0 && queue.entryGate().isEmpty(), "frozen with requests in it: tags=" + held());
        stopped = true;
        world.runFor(prng.below(500_000));
        stopped = false;
        queue.unfreeze();
    }

    /** One who freezes, but does not wait for ever. */
    private final class Patience implements Waiter {
        private final Shard caller = world.caller(shards);

        @Override
        public void park(long nanosMax) {
            long before = world.clock().nanos();
            caller.park(SECONDS_10);
            require(world.clock().nanos() - before < SECONDS_10, "frozen, but requests never end: tags=" + held());
        }

        @Override
        public void wake() {
            caller.wake();
        }
    }

    private int held() {
        int[] count = {0};
        queue.tags().forEachHeld(_ -> count[0]++);
        return count[0];
    }

    @Override
    public void taken(Request request, int channel) {
        require(!stopped, "sent while the queue is stopped: " + request);
        if (request.op() == Op.FLUSH) {
            flushesAtDevice++;
            require(flushesAtDevice <= options.hardwareQueues(), "too many flushes: " + flushesAtDevice);
            require(options.writeCache() != WriteCache.WRITE_THROUGH, "flush without a cache");
            return;
        }
        require(!request.fua() || options.writeCache() == WriteCache.VOLATILE_WITH_FUA, "FUA unknown: " + request);
        int less = sabotage == Sabotage.WRONG_DEPTH ? 1 : 0;
        int here = ++atDevice[channel];
        int all = Arrays.stream(atDevice).sum();
        depthBound = Math.max(depth, Math.min(depthBound, held()));
        require(here <= options.deviceDepth() - less && all <= depthBound, "too many at the device: " + here);
        Piece piece = pieceOf(request);
        if (piece.retries == 0 && together) {
            checkTogether(piece, request, channel);
        }
    }

    private void checkTogether(Piece piece, Request request, int channel) {
        Bundle bundle = piece.bundle;
        long pieces = bundle.isCut ? cuts.count(bundle.owners.peek()) : 1;
        if (pieces > depthMin) {
            return; // No more than one group is made at a time.
        }
        require(bundle.unmade == 0, "sent before all pieces are made: " + bundle);
        if (options.schedule() != Schedule.DEADLINE) {
            require(
                    partOf[channel] == null || (partOf[channel] == bundle && partEnd[channel] == request.offset()),
                    "another request's piece in between: " + partOf[channel] + " and " + bundle);
            partEnd[channel] = request.end();
            partOf[channel] = request.end() == bundle.offset + bundle.length ? null : bundle;
        }
    }

    private Piece pieceOf(Request request) {
        for (Piece piece : queue.pieceTable()) {
            if (piece.lower == request) {
                return piece;
            }
        }
        throw new AssertionError("nobody's piece: " + request);
    }

    @Override
    public void ended(Request request, int channel, IoStatus how) {
        if (request.op() == Op.FLUSH) {
            flushesAtDevice--;
            flushFailures += how == IoStatus.OK ? 0 : 1;
            return;
        }
        atDevice[channel]--;
        Piece piece = pieceOf(request);
        if (how == IoStatus.OK) {
            return;
        }
        boolean retryable = how == IoStatus.IO_ERROR || piece.late;
        if (retryable && piece.retries < options.retries()) {
            requeues++;
            return;
        }
        for (int left = piece.bundle.owners.size(); left > 0; left--) {
            Request owner = piece.bundle.owners.poll();
            doomed.add(owner);
            piece.bundle.owners.add(owner);
        }
    }

    /** Takes a range for a request, if nobody is at it in a way that would leave the outcome open. */
    boolean lock(long offset, long length, boolean change) {
        int from = (int) (offset / SECTOR);
        int to = (int) ((offset + length) / SECTOR);
        for (int i = from; i < to; i++) {
            if (changing[i] || (change && readers[i] > 0)) {
                return false;
            }
        }
        for (int i = from; i < to; i++) {
            changing[i] = change;
            readers[i] += change ? 0 : 1;
        }
        return true;
    }

    /** Makes what a write brings, and tells the model; for other changes just tells the model. */
    byte[] begin(Request request) {
        byte[] data = new byte[request.op() == Op.WRITE ? (int) request.length() : SECTOR];
        Prng bytes = new Prng(++versions);
        for (int i = 0; request.op() == Op.WRITE && i < data.length; i++) {
            data[i] = (byte) bytes.nextLong();
        }
        for (int at = 0; at < request.length(); at += SECTOR) {
            long value = request.op() == Op.DISCARD ? SectorModel.ANY : hash(data, request.op() == Op.WRITE ? at : 0);
            model.begin((int) ((request.offset() + at) / SECTOR), value);
        }
        return data;
    }

    long[] complete() {
        return model.complete();
    }

    long flushFailures() {
        return flushFailures;
    }

    /** A request has ended: checks how, and what it read. */
    void ended(Request request, boolean refused, long flushFailuresBefore, long[] complete, byte[] data) {
        ended++;
        boolean ok = request.status() == IoStatus.OK;
        boolean flushFailed = flushFailures > flushFailuresBefore;
        boolean needsFlush = request.op() == Op.FLUSH || request.fua();
        boolean dies = doomed.remove(request);
        require(!dies || !ok, "succeeded though a piece failed: " + request);
        require(ok || dies || refused || (needsFlush && flushFailed), "failed without a cause: " + request);
        require(!refused || request.status() == cuts.refusal(request), "refused in a wrong way: " + request);
        if (request.op() == Op.FLUSH) {
            if (ok) {
                model.flushed(complete);
            }
            return;
        }
        boolean stable = request.fua() || options.writeCache() == WriteCache.WRITE_THROUGH;
        for (int at = 0; at < request.length(); at += SECTOR) {
            int sector = (int) ((request.offset() + at) / SECTOR);
            if (request.op() == Op.READ) {
                require(!ok || model.mayRead(sector, hash(data, at)), "read what was not written: sector=" + sector);
                readers[sector]--;
            } else {
                changing[sector] = false;
                if (ok) {
                    model.succeeded(sector, stable);
                }
            }
        }
    }

    private void end() {
        for (int sector = 0; sector < SECTORS; sector++) {
            long value = hash(disk.peek((long) sector * SECTOR, SECTOR), 0);
            require(model.mayRead(sector, value), "holds what was not written: sector=" + sector);
        }
        for (int i = users.size() - 1; i >= 0; i--) {
            users.get(i).channel.close();
        }
        require(held() == 0, "tags are left: " + held());
        require(queue.entryGate().isEmpty() && queue.dispatchGate().isEmpty(), "somebody is left inside");
        require(doomed.isEmpty(), "failures that nobody was told of: " + doomed.size());
        QueueStatistics counted = queue.statistics();
        require(counted.requests() == ended, "requests: " + counted);
        require(counted.requeues() == requeues, "requeues=" + requeues + ", " + counted);
        require(counted.refusals() == device.refusals, "refusals=" + device.refusals + ", " + counted);
        require(counted.late() == late, "late=" + late + ", " + counted);
        queue.close();
    }

    private void cutPower() {
        SimMedium left = disk.cutPower();
        for (int sector = 0; sector < SECTORS; sector++) {
            long value = hash(left.read((long) sector * SECTOR, SECTOR), 0);
            require(model.mayKeep(sector, value), "lost what was stable: sector=" + sector);
        }
    }

    static long hash(byte[] data, int from) {
        CRC32C crc = new CRC32C();
        crc.update(data, from, SECTOR);
        return 1L << 32 | crc.getValue();
    }

    long sizeBytes() {
        return (long) SECTORS * SECTOR;
    }

    static MemorySegment memory(byte[] data) {
        return MemorySegment.ofArray(data);
    }

    void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what + ", seed=" + world.seed() + ", shards=" + shards + ", " + options);
        }
    }
}
