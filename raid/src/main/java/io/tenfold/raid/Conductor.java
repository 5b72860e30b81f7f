package io.tenfold.raid;

import io.tenfold.base.Shard;
import io.tenfold.block.IoStatus;
import io.tenfold.raid.md.MdSuperblock;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Writes an array's superblocks, and decides what they say: dirty before the first write, idle again when no write has
 * been under way for {@link #IDLE_NANOS}, without a member that failed, how far copies agree and members were filled. One
 * update at a time, each stable on all members before anybody who waits for it goes on. Drives the passes that make copies
 * agree and fill members ({@link SyncWork}), while the array is used.
 *
 * <p>A state machine that never blocks: its owner calls {@link #work} on one thread, and parks for {@link #parkNanos} when
 * that did nothing. Whoever wants something of it wakes that shard.
 *
 * <p>Threads: the owner's; {@link #stop} and {@link #state} from any.
 */
public final class Conductor implements AutoCloseable {
    /** How long no write is under way before the array is marked clean, as the kernel does it. */
    public static final long IDLE_NANOS = 200_000_000;

    private static final long STOPPING_PARK_NANOS = 1_000_000;

    private enum Step {
        /** Nothing under way. */
        IDLE,
        /** Members make stable what was written, so that it may be said. */
        FLUSHING,
        /** Bad-block logs: members make stable what was written well; logs are being written; they are read again. */
        FLUSHING_FOR_LOG,
        LOGGING,
        READING_LOG_BACK,
        /** Superblocks are being written. */
        WRITING,
        /** What was written is read again. */
        READING_BACK
    }

    private final RaidDevice device;
    private final Shard shard;
    private final Arena arena = Arena.ofShared();
    private final MemberIo[] io;
    private final BadBlockKeeper badBlocks;
    private final boolean readOnly;
    private final SyncWork sync;

    /** Null: read-only. */
    private final ReadRepair repair;

    private Step step = Step.IDLE;

    /** Those that the step under way was started on. */
    private List<MemberIo> asked = List.of();

    /** Whether the update under way says that no write is. */
    private boolean sayingIdle;

    /** The reports that the update under way deals with. */
    private long ticket;

    /** In the step under way: a member was dropped; a member that is needed failed. */
    private boolean dropped;

    private boolean neededFailed;

    private long activity;
    private long activeNanos;

    /** The superblocks say that no write is under way, and how far copies agree; otherwise that they may differ anywhere. */
    private volatile boolean saidIdle = true;

    private volatile long events;
    private volatile boolean stopping;
    private volatile boolean stopped;

    /** The one conductor of a device, as {@link #Conductor(RaidDevice, Shard, SyncListener)}, whose passes nobody hears of. */
    public Conductor(RaidDevice device, Shard shard) {
        this(device, shard, SyncListener.NONE);
    }

    /**
     * The one conductor of a device.
     *
     * @param shard its owner's; the calling thread is the owner
     * @param listener told of passes over the array
     */
    public Conductor(RaidDevice device, Shard shard, SyncListener listener) {
        this.device = device;
        this.shard = shard;
        readOnly = device.limits().readOnly();
        sync = new SyncWork(device, shard, listener);
        events = device.plan().events();
        activeNanos = shard.clock().nanos();
        io = readOnly
                ? new MemberIo[0]
                : Arrays.stream(device.members())
                        .map(member -> new MemberIo(member, shard, arena))
                        .toArray(MemberIo[]::new);
        badBlocks = device.badBlockKeeper();
        repair = readOnly ? null : device.readRepair(shard, arena);
        device.conductedBy(shard);
    }

    /**
     * Moves on with what is under way and starts what is due.
     *
     * @return how much happened; 0: the owner may park for {@link #parkNanos}
     */
    public int work() {
        int moved = 0;
        for (MemberIo one : io) {
            moved += one.poll();
        }
        while (!isAnyPending() && advance()) {
            moved++;
        }
        return readOnly || stopped ? moved : moved + sync.work() + repair.work();
    }

    /**
     * Asks for a check, which counts bytes of copies that differ, or a repair, which also rewrites them. It begins once no
     * other pass is due. Any thread.
     */
    public void request(SyncKind kind) {
        sync.request(kind);
        shard.wake();
    }

    /** How long there is nothing to do unless somebody wakes the shard. */
    public long parkNanos() {
        return readOnly ? Long.MAX_VALUE : Math.min(repair.parkNanos(), Math.min(sync.parkNanos(), ownParkNanos()));
    }

    private long ownParkNanos() {
        if (step != Step.IDLE || !device.gate().isOpen()) {
            return Long.MAX_VALUE;
        }
        if (stopping) {
            return STOPPING_PARK_NANOS;
        }
        return Math.max(1, activeNanos + IDLE_NANOS - shard.clock().nanos());
    }

    /**
     * Asks for the end: once no write is under way, everything is made stable and the array is marked clean. Channels are
     * to be closed before, or their writes wait for ever afterwards.
     */
    public void stop() {
        stopping = true;
        shard.wake();
    }

    /** Whether the end has come. The array is clean then if it could be. */
    public boolean isStopped() {
        return stopped;
    }

    /** How the array is. */
    public ArrayState state() {
        Roster roster = device.roster();
        List<ArrayState.FailedMember> failed = roster.failures().stream()
                .map(failure -> new ArrayState.FailedMember(
                        failure.member().toString(), failure.member().role(), failure.toString()))
                .toList();
        return new ArrayState(
                condition(),
                device.plan().roles(),
                roster.degraded(device.plan().roles()),
                failed,
                events,
                device.doCopiesAgree() && !device.doCopiesDiffer(),
                sync.progress(),
                device.count(Stripe.READ_ERRORS),
                device.count(Stripe.READS_RESCUED),
                device.count(Stripe.READS_LOST),
                repair == null ? 0 : repair.repairedBlocks(),
                device.count(Stripe.WRITE_ERRORS),
                Arrays.stream(roster.members())
                        .mapToLong(member -> member.badRanges().count())
                        .sum(),
                device.count(Stripe.OVERLAPS));
    }

    private ArrayState.Condition condition() {
        IoStatus refusal = device.refusal();
        if (refusal == IoStatus.OFFLINE) {
            return ArrayState.Condition.OFFLINE;
        } else if (refusal == IoStatus.IO_ERROR) {
            return ArrayState.Condition.BROKEN;
        } else if (device.doCopiesDiffer()) {
            return ArrayState.Condition.UNSYNCED;
        } else if (stopped && (saidIdle || readOnly)) {
            return ArrayState.Condition.STOPPED;
        } else if (readOnly) {
            return ArrayState.Condition.READ_ONLY;
        }
        return saidIdle ? ArrayState.Condition.CLEAN : ArrayState.Condition.ACTIVE;
    }

    /** Ends the channels to the members. The device is still open. */
    @Override
    public void close() {
        device.conductedBy(null);
        if (repair != null) {
            repair.close();
        }
        for (MemberIo one : io) {
            one.close();
        }
        arena.close();
    }

    Shard shard() {
        return shard;
    }

    private boolean isAnyPending() {
        for (MemberIo one : asked) {
            if (one.isPending()) {
                return true;
            }
        }
        return false;
    }

    /** One step on; false: there is none to take now. */
    private boolean advance() {
        switch (step) {
            case IDLE -> {
                return decide();
            }
            case FLUSHING -> {
                collectFailures();
                if (neededFailed) {
                    device.copiesMayDiffer();
                    sync.unstable();
                    giveUpIdle();
                } else {
                    sync.afterFlush();
                    write(sayingIdle);
                }
            }
            case FLUSHING_FOR_LOG -> {
                collectFailures();
                keepLogs();
            }
            case LOGGING -> {
                collectFailures();
                startForLogs(Step.READING_LOG_BACK, stillAsked());
                asked.forEach(MemberIo::readBack);
            }
            case READING_LOG_BACK -> {
                collectReadBack();
                keepLogs();
            }
            case WRITING -> {
                collectFailures();
                if (dropped || neededFailed) {
                    finishUpdate();
                } else {
                    start(Step.READING_BACK, asked);
                    asked.forEach(MemberIo::readBack);
                }
            }
            case READING_BACK -> {
                collectReadBack();
                finishUpdate();
            }
        }
        return true;
    }

    /** What is to be done next, the most urgent first. */
    private boolean decide() {
        long drawn = device.reports().drawn();
        if (drawn > device.reports().handled()) {
            dealWithReports(drawn);
            return true;
        }
        if (stopped) {
            return false;
        }
        if (readOnly) {
            stopped = stopping;
            return false;
        }
        if (stopping) {
            sync.stop();
            repair.stop();
            if (!sync.isQuiet() || !repair.isQuiet()) {
                return false;
            }
        }
        if (device.refusal() == null && (takeNextRoster() || takeCheckpoint())) {
            return true;
        }
        if (device.gate().isOpen()) {
            return markIdleIfIdle();
        }
        if (device.refusal() == null && isAnyWaiting()) {
            write(false);
            return true;
        }
        if (!saidIdle && device.refusal() == null && !device.doCopiesDiffer()) {
            flush(true);
            return true;
        }
        stopIfDue();
        return false;
    }

    private void stopIfDue() {
        if (stopping) {
            sync.stopped();
            stopped = true;
        }
    }

    private boolean takeNextRoster() {
        Roster next = sync.nextRoster();
        if (next != null) {
            device.publish(next);
            write(saidIdle);
        }
        return next != null;
    }

    private boolean takeCheckpoint() {
        boolean due = sync.isCheckpointDue(saidIdle);
        if (due) {
            flush(saidIdle);
        }
        return due;
    }

    private void dealWithReports(long drawn) {
        ticket = drawn;
        dropped = false;
        for (Member member : device.members()) {
            MemberFailure failure = device.reports().take(member.index());
            if (failure != null) {
                drop(failure);
            }
        }
        badBlocks.take(device.reports()).forEach(this::drop);
        neededFailed = false; // Its writes fail; what is recorded is right.
        keepLogs();
    }

    /** Brings the bad-block logs up to date, step by step, and then the superblocks if they must say something new. */
    private void keepLogs() {
        if (neededFailed) {
            finishUpdate();
            return;
        }
        boolean canWrite = !readOnly && !device.isUnrecordable();
        List<Member> toFlush = canWrite ? badBlocks.toFlush(device.roster()) : List.of();
        if (!toFlush.isEmpty()) {
            startForLogs(Step.FLUSHING_FOR_LOG, ioOf(toFlush));
            asked.forEach(MemberIo::flush);
            return;
        }
        List<Member> toWrite = canWrite ? badBlocks.toWrite(device.roster()) : List.of();
        if (!toWrite.isEmpty()) {
            startForLogs(Step.LOGGING, ioOf(toWrite));
            asked.forEach(one -> one.writeLog(BadBlockKeeper.placeOf(one.member()), badBlocks.bytes(one.member())));
        } else if (canWrite && (dropped || badBlocks.isAnySuperblockDue(device.roster()))) {
            write(saidIdle);
        } else {
            step = Step.IDLE;
            badBlocks.publish();
            device.reports().handled(ticket);
            device.wakeChannels();
        }
    }

    /** As {@link #start}, but who was dropped before still is to be recorded. */
    private void startForLogs(Step next, List<MemberIo> on) {
        boolean before = dropped;
        start(next, on);
        dropped = before;
    }

    private List<MemberIo> ioOf(List<Member> members) {
        return members.stream().map(member -> io[member.index()]).toList();
    }

    /** Those of whom the step under way was asked and who have not failed. */
    private List<MemberIo> stillAsked() {
        return asked.stream()
                .filter(one -> device.roster().contains(one.member()))
                .toList();
    }

    /** Takes a member out of the roster, unless the others are not enough. */
    private void drop(MemberFailure failure) {
        Roster now = device.roster();
        if (!now.contains(failure.member())) {
            return;
        }
        Roster next = now.without(failure);
        boolean enough = device.plan().geometry().isEnough(next::isInSync)
                && device.plan()
                        .reshape()
                        .map(r -> r.geometry().isEnough(next::isInSync))
                        .orElse(true);
        if (enough) {
            device.publish(next);
            dropped = true;
        } else {
            neededFailed = true;
            if (failure.status() == IoStatus.OFFLINE && !readOnly) {
                device.refuse(IoStatus.OFFLINE);
            }
        }
    }

    private boolean isAnyWaiting() {
        for (Stripe stripe : device.stripes()) {
            if (stripe.get(Stripe.WAITS_FOR_GATE) != 0) {
                return true;
            }
        }
        return false;
    }

    private boolean markIdleIfIdle() {
        long now = shard.clock().nanos();
        long entered = 0;
        for (Stripe stripe : device.stripes()) {
            entered += stripe.get(Stripe.ENTERED);
        }
        if (entered != activity) {
            activity = entered;
            activeNanos = now;
        }
        if (!stopping && now - activeNanos < IDLE_NANOS) {
            return false;
        }
        if (!device.gate().close(device::stripes)) {
            activeNanos = now;
            device.wakeChannels(); // A writer that met the gate closed at this moment waits at an open one now.
            return false;
        }
        if (device.doCopiesDiffer() || device.refusal() != null) {
            giveUpIdle();
        } else {
            flush(true);
        }
        return !device.gate().isOpen();
    }

    /** It stays dirty: the next assembly compares the copies. */
    private void giveUpIdle() {
        step = Step.IDLE;
        if (stopping) {
            stopIfDue();
        } else if (!saidIdle) {
            activeNanos = shard.clock().nanos();
            device.gate().open();
        }
        device.wakeChannels();
    }

    /** Makes stable what members hold, and then says how far things are, and whether no write is under way. */
    private void flush(boolean idle) {
        sayingIdle = idle;
        sync.beforeFlush();
        List<MemberIo> holders = new ArrayList<>();
        for (Member member : device.roster().members()) {
            if (member.role() != Member.NO_ROLE) {
                holders.add(io[member.index()]);
            }
        }
        start(Step.FLUSHING, holders);
        asked.forEach(MemberIo::flush);
    }

    /** Writes what is true now to all that count. */
    private void write(boolean idle) {
        sayingIdle = idle;
        long next = events + 1; // Nobody else writes it.
        events = next;
        start(Step.WRITING, survivors());
        Roster roster = device.roster();
        SuperblockText text = new SuperblockText(
                device.members(), roster, events, shard.clock().epochMicros(), agreedSectors(), badBlocks);
        for (MemberIo one : asked) {
            one.write(text.of(roster.member(one.member().index())));
        }
    }

    /** While writes are under way copies may differ anywhere. */
    private long agreedSectors() {
        if (!sayingIdle || device.doCopiesDiffer()) {
            return 0;
        }
        return device.doCopiesAgree() ? MdSuperblock.CLEAN : device.copiesAgreeBelow() / MdSuperblock.SECTOR;
    }

    private void start(Step next, List<MemberIo> on) {
        step = next;
        asked = on;
        dropped = false;
        neededFailed = false;
    }

    private List<MemberIo> survivors() {
        List<MemberIo> left = new ArrayList<>();
        for (Member member : device.roster().members()) {
            left.add(io[member.index()]);
        }
        return left;
    }

    private void collectFailures() {
        for (MemberIo one : asked) {
            if (one.status() != IoStatus.OK) {
                drop(one.failure(one.status()));
            }
        }
    }

    private void collectReadBack() {
        collectFailures();
        for (MemberIo one : asked) {
            if (one.status() == IoStatus.OK && !one.isAsWritten()) {
                drop(one.failure(IoStatus.IO_ERROR));
            }
        }
    }

    private void finishUpdate() {
        if (neededFailed) {
            device.cannotRecord();
        } else if (dropped) {
            write(sayingIdle); // Once more, without the one that failed meanwhile.
            return;
        } else {
            badBlocks.superblocksWritten();
            device.recorded(device.roster().epoch());
            saidIdle = sayingIdle;
            sync.written();
        }
        step = Step.IDLE;
        badBlocks.publish();
        device.reports().handled(ticket);
        if (!sayingIdle && !neededFailed) {
            activeNanos = shard.clock().nanos();
            device.gate().open();
        }
        device.wakeChannels();
    }
}
