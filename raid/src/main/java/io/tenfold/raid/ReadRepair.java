package io.tenfold.raid;

import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Rewrites what a member could not read from a copy that can be read. One range after another, for the conductor.
 *
 * <p>The range is inside the barrier and held in the table of writes meanwhile, so no write is overtaken and no resync met. It is
 * read from the member again, in parts down to the block; each block that fails is read from another copy, written and
 * read back. What cannot be written or read back goes to the bad-block log, or the member fails. A member with too many read
 * errors fails if it is not needed; otherwise it is repaired.
 *
 * <p>Nothing is repaired where copies may differ: there a resync does that.
 *
 * <p>Threads: the conductor's. Not final, so that the tests' canary can leave out what must not be left out.
 */
class ReadRepair implements AutoCloseable {
    private static final int NARROWING = 8;
    private static final int PART_BYTES_MAX = 64 << 10;
    private static final long RETRY_NANOS = 1_000_000;

    private enum Step {
        IDLE,
        /** Until neither a window of the barrier nor a write is in the way. */
        ENTERING,
        CHECKING,
        SOURCING,
        /** Until the conductor has decided on a member with too many errors. */
        JUDGING,
        WRITING,
        READING_BACK,
        /** Until the conductor has recorded what is bad. */
        RECORDING
    }

    private final RaidDevice device;
    private final Shard shard;
    private final IoBarrier barrier;
    private final Channel[] channels;
    private final MemorySegment data;
    private final MemorySegment check;
    private final ReadErrorLimit limit;
    private final int unit;
    private final Request request = new Request(_ -> answered = true);
    private final Piece piece = new Piece(_ -> {});
    private final PieceCursor cursor = new PieceCursor();

    private Step step = Step.IDLE;
    private boolean stopping;

    /** The request in hand: whom it goes to; whether his channel has taken it; whether he has answered. */
    private Channel asked;

    private boolean submitted;
    private boolean answered;

    /** The range in hand, and where its copy on the member that failed lies. */
    private ReadFailure range;

    private Member member;
    private long memberAddress;
    private int barrierTicket;

    /** How far it has come, the length of the part in hand, and whom that is read from. */
    private long at;

    private long window;
    private int candidate;
    private boolean counted;
    private long ticket;

    private volatile long repairedBlocks;

    ReadRepair(RaidDevice device, Shard shard, Arena arena) {
        this.device = device;
        this.shard = shard;
        barrier = device.barrier();
        int members = device.members().length;
        channels = new Channel[members];
        limit = new ReadErrorLimit(members);
        unit = device.limits().blockBytes();
        long bytes = Math.max(unit, PART_BYTES_MAX);
        data = arena.allocate(bytes, Math.max(unit, device.limits().memoryAlignment()));
        check = arena.allocate(unit, Math.max(unit, device.limits().memoryAlignment()));
    }

    /** Moves on; how much. */
    int work() {
        int moved = 0;
        while (isAnswered() && advance()) {
            moved++;
        }
        return moved;
    }

    private boolean isAnswered() {
        if (asked == null) {
            return true;
        }
        asked.poll(Integer.MAX_VALUE);
        if (!submitted) {
            submitted = asked.submit(request);
            asked.commit();
        }
        if (answered) {
            asked = null;
        }
        return answered;
    }

    /** How long there is nothing to do unless somebody wakes the shard. */
    long parkNanos() {
        return step == Step.ENTERING ? RETRY_NANOS : Long.MAX_VALUE;
    }

    /** Ends what is in hand and begins nothing more. */
    void stop() {
        stopping = true;
    }

    /** Whether nothing is in hand. */
    boolean isQuiet() {
        return step == Step.IDLE;
    }

    /** Blocks of members that were rewritten and read back well. Any thread. */
    long repairedBlocks() {
        return repairedBlocks;
    }

    @Override
    public void close() {
        for (Channel channel : channels) {
            if (channel != null) {
                channel.close();
            }
        }
    }

    private boolean advance() {
        switch (step) {
            case IDLE -> {
                return begin();
            }
            case ENTERING -> {
                if (!enter(range.start(), range.length())) {
                    return false;
                }
                locate();
                at = 0;
                window = range.length();
                counted = false;
                ticket = 0;
                check();
            }
            case CHECKING -> checked();
            case SOURCING -> sourced();
            case JUDGING -> {
                if (!isHandled()) {
                    return false;
                }
                write();
            }
            case WRITING -> written();
            case READING_BACK -> readBack();
            case RECORDING -> {
                if (!isHandled()) {
                    return false;
                }
                leave(range.start(), range.length());
                step = Step.IDLE;
            }
        }
        return true;
    }

    private boolean begin() {
        if (stopping) {
            return false;
        }
        range = device.takeReadFailure();
        if (range == null) {
            return false;
        }
        if (range.length() > PART_BYTES_MAX) {
            device.readFailed(
                    new ReadFailure(range.member(), range.start() + PART_BYTES_MAX, range.length() - PART_BYTES_MAX));
            range = new ReadFailure(range.member(), range.start(), PART_BYTES_MAX);
        }
        if (device.refusal() == null && device.doCopiesAgreeBelow(range.start() + range.length())) {
            step = Step.ENTERING;
        }
        return true;
    }

    /** Keeps others out of a range of the array; false: not yet. */
    boolean enter(long start, long length) {
        int inside = barrier.tryEnter(shard.index(), start, length);
        if (inside == IoBarrier.TURNED_AWAY) {
            return false;
        }
        if (!device.ranges().tryAcquire(start, length)) {
            barrier.leave(shard.index(), inside);
            return false;
        }
        barrierTicket = inside;
        return true;
    }

    void leave(long start, long length) {
        device.ranges().release(start, length);
        barrier.leave(shard.index(), barrierTicket);
    }

    /** Finds the member that failed among those that count and have a copy of the range. */
    private void locate() {
        piece.begin(null, false);
        cursor.start(device.plan().geometry(), range.start(), range.start() + range.length());
        cursor.next(piece, range.length(), 1);
        member = null;
        for (int i = 0; i < 2 * piece.copies(); i++) {
            Member one = candidate(i);
            if (one != null && one.index() == range.member()) {
                member = one;
                memberAddress = piece.address(piece.locate(i / 2), 0);
            }
        }
    }

    private Member candidate(int i) {
        int role = Geometry.role(piece.locate(i / 2));
        Roster roster = device.roster();
        return i % 2 == 0 ? roster.active(role) : roster.replacement(role);
    }

    /** Reads the part in hand from the member once more, unless all is done or the member does not count any more. */
    private void check() {
        window = Math.min(window, range.length() - at);
        if (window == 0 || member == null || !device.roster().contains(member)) {
            step = Step.RECORDING;
        } else if (member.holds(memberAddress + at, window, false)) {
            step = Step.CHECKING;
            ask(member, memberAddress, Op.READ, data);
        } else if (window > unit) {
            window = narrowed();
            check();
        } else {
            goOn();
        }
    }

    private long narrowed() {
        return Math.max(unit, window / NARROWING / unit * unit);
    }

    private void goOn() {
        at += window;
        check();
    }

    private void checked() {
        switch (request.status()) {
            case OK -> {
                at += window;
                window *= NARROWING;
                check();
            }
            case OFFLINE -> fail();
            case IO_ERROR, MEDIUM_ERROR, NO_SPACE, READ_ONLY, NOT_SUPPORTED, INVALID -> {
                if (window > unit) {
                    window = narrowed();
                    check();
                } else {
                    candidate = 0;
                    source();
                }
            }
        }
    }

    /** Asks the next other copy; without any the block is lost, and stays as it is. */
    private void source() {
        for (; candidate < 2 * piece.copies(); candidate++) {
            Member other = candidate(candidate);
            long address = piece.address(piece.locate(candidate / 2), 0);
            if (other != null && other.index() != range.member() && other.holds(address + at, window, false)) {
                step = Step.SOURCING;
                ask(other, address, Op.READ, data);
                return;
            }
        }
        goOn();
    }

    private void sourced() {
        if (request.status() != IoStatus.OK) {
            candidate++;
            source();
        } else if (!counted && limit.isExceededBy(member.index(), shard.clock().nanos())) {
            counted = true;
            ticket = device.report(new MemberFailure(
                    member, Op.READ, member.deviceAddress(memberAddress + at, false), window, IoStatus.MEDIUM_ERROR));
            step = Step.JUDGING;
        } else {
            counted = true;
            write();
        }
    }

    private void write() {
        if (device.roster().contains(member)) {
            step = Step.WRITING;
            ask(member, memberAddress, Op.WRITE, data);
        } else {
            step = Step.RECORDING;
        }
    }

    private void written() {
        switch (request.status()) {
            case OK -> {
                step = Step.READING_BACK;
                ask(member, memberAddress, Op.READ, check);
            }
            case MEDIUM_ERROR -> bad();
            case NO_SPACE, READ_ONLY, NOT_SUPPORTED -> goOn();
            case IO_ERROR, OFFLINE, INVALID -> fail();
        }
    }

    private void readBack() {
        if (request.status() == IoStatus.OFFLINE) {
            fail();
        } else if (request.status() == IoStatus.OK && MemorySegment.mismatch(data, 0, window, check, 0, window) == -1) {
            long now = repairedBlocks + 1; // Nobody else writes it.
            repairedBlocks = now;
            goOn();
        } else {
            bad();
        }
    }

    private void bad() {
        if (!member.hasLog()) {
            fail();
            return;
        }
        long start = member.deviceAddress(memberAddress + at, false);
        ticket = device.report(new RangeReport(member, start, start + window, true));
        goOn();
    }

    private void fail() {
        ticket = device.report(
                new MemberFailure(member, request.op(), request.offset(), request.length(), request.status()));
        step = Step.RECORDING;
    }

    private boolean isHandled() {
        return device.reports().handled() >= ticket || device.isUnrecordable();
    }

    private void ask(Member whom, long address, Op op, MemorySegment memory) {
        int index = whom.index();
        if (channels[index] == null) {
            channels[index] = whom.device().open(shard);
        }
        request.start(op, whom.deviceAddress(address + at, false), window, false)
                .add(memory, 0, window);
        asked = channels[index];
        answered = false;
        submitted = asked.submit(request);
        asked.commit();
    }
}
