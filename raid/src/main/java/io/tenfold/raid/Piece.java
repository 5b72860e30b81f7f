package io.tenfold.raid;

import io.tenfold.block.Completion;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.util.Arrays;

/**
 * A part of an operation that lies in one run on each member which has a copy of it, and the requests to those members.
 * Pooled by its channel, reused, and of its thread alone. Offsets within a piece count from its start.
 *
 * <p>For a read one member at a time is asked, for a write and a flush all of them at once.
 */
final class Piece {
    /** {@link #preferred} of a piece of which nobody was asked yet. */
    static final int UNDECIDED = -2;

    /** {@link #timedFrom} of a read of which no time is taken. */
    static final long NOT_TIMED = Long.MIN_VALUE;

    private final Completion completion;

    /** Of this piece's targets: the request and whom it goes to. They grow when a piece is used for more members. */
    private Request[] requests = new Request[0];

    private Member[] targets = new Member[0];
    private int targetCount;

    /** Targets that the members' channels had room for so far, and those that have not answered. */
    private int submitted;

    private int pending;

    private Operation operation;
    private Geometry geometry;
    private long step;
    private long start;
    private long length;
    private boolean reshaped;

    /** Reading: the window asked for now, how long the next may be, and which candidate is being asked. */
    private long windowStart;

    private long windowLength;
    private int candidate;

    /** The candidate that was asked out of order; before that {@link #UNDECIDED}. */
    private int preferred;

    private long timedFrom;
    private boolean mediumError;
    private boolean refused;

    Piece(Completion completion) {
        this.completion = completion;
    }

    void begin(Operation operation, boolean reshaped) {
        this.operation = operation;
        this.reshaped = reshaped;
        targetCount = 0;
        submitted = 0;
        pending = 0;
        windowStart = 0;
        windowLength = 0;
        candidate = 0;
        preferred = UNDECIDED;
        mediumError = false;
        refused = false;
    }

    /** Where it lies: {@code length} bytes from the array's {@code start} on, going on {@code step} chunks further on. */
    void place(Geometry geometry, long step, long start, long length) {
        this.geometry = geometry;
        this.step = step;
        this.start = start;
        this.length = length;
        windowLength = length;
    }

    /** Forgets what it must not keep alive. */
    void end() {
        operation = null;
        Arrays.fill(targets, 0, targetCount, null);
        for (int i = 0; i < targetCount; i++) {
            requests[i].flush();
        }
        targetCount = 0;
    }

    Operation operation() {
        return operation;
    }

    boolean isReshaped() {
        return reshaped;
    }

    long length() {
        return length;
    }

    /** The array's byte with which it starts. */
    long arrayStart() {
        return start;
    }

    /** The array's byte behind its last one; chunks of others may lie in between. */
    long arrayEnd() {
        long within = geometry.withinChunk(start);
        long more = geometry.chunkOf(within + length - 1); // Chunks after the first.
        return geometry.startOf(geometry.chunkOf(start) + more * step) + within + length - geometry.startOf(more);
    }

    /** The place of a copy of its first chunk. */
    long locate(int copy) {
        return geometry.locate(geometry.chunkOf(start), copy);
    }

    /** The address on a member's data at which a part of it starts, given the place of the copy there. */
    long address(long place, long within) {
        return geometry.startOf(Geometry.memberChunk(place)) + geometry.withinChunk(start) + within;
    }

    int copies() {
        return geometry.copies();
    }

    /** Adds a target; its request is still to be filled in. */
    Request addTarget(Member member) {
        if (targetCount == requests.length) {
            int more = Math.max(2, 2 * targetCount);
            requests = Arrays.copyOf(requests, more);
            targets = Arrays.copyOf(targets, more);
            for (int i = targetCount; i < more; i++) {
                requests[i] = new Request(completion);
                requests[i].context(this);
                requests[i].user(i);
            }
        }
        targets[targetCount] = member;
        pending++;
        return requests[targetCount++];
    }

    /** Makes a request for a part of this piece, with the memory of the operation that belongs to it. */
    void fill(Request request, long deviceOffset, long within, long bytes) {
        Request whole = operation.request();
        // What a discarded range reads as is each member's own business, and copies must agree.
        Op op = whole.op() == Op.DISCARD ? Op.WRITE_ZEROES : whole.op();
        request.start(op, deviceOffset, bytes, whole.fua());
        if (!op.carriesData()) {
            return;
        }
        long chunk = geometry.chunkOf(start);
        long from = start;
        long skip = within;
        for (long left = bytes; left > 0; ) {
            long here = geometry.startOf(chunk + 1) - from;
            if (skip < here) {
                long take = Math.min(left, here - skip);
                request.addPartOf(whole, from + skip - whole.offset(), take);
                left -= take;
                skip = 0;
            } else {
                skip -= here;
            }
            chunk += step;
            from = geometry.startOf(chunk);
        }
    }

    int targetCount() {
        return targetCount;
    }

    Member target(int i) {
        return targets[i];
    }

    Request request(int i) {
        return requests[i];
    }

    boolean hasUnsubmitted() {
        return submitted < targetCount;
    }

    int nextToSubmit() {
        return submitted;
    }

    void submittedOne() {
        submitted++;
    }

    /** One target has answered; whether all have. */
    boolean answered() {
        return --pending == 0;
    }

    /** Makes a member the only target; its request is still to be filled in. */
    Request onlyTarget(Member member) {
        targetCount = 0;
        submitted = 0;
        pending = 0;
        return addTarget(member);
    }

    int candidate() {
        return candidate;
    }

    void candidate(int next) {
        candidate = next;
    }

    /** Who was asked out of order for this window, {@link ReadBalance#NONE} if nobody was, or {@link #UNDECIDED}. */
    int preferred() {
        return preferred;
    }

    void preferred(int asked) {
        preferred = asked;
    }

    /** When the member was asked, or {@link #NOT_TIMED}. */
    long timedFrom() {
        return timedFrom;
    }

    void timedFrom(long nanos) {
        timedFrom = nanos;
    }

    long windowStart() {
        return windowStart;
    }

    long windowLength() {
        return windowLength;
    }

    /** The window was read; whether the piece is done. Otherwise the next window, larger than this one, is set. */
    boolean windowDone(long growth) {
        windowStart += windowLength;
        windowLength = Math.min(length - windowStart, windowLength * growth);
        candidate = 0;
        preferred = ReadBalance.NONE;
        return windowStart == length;
    }

    /** No copy could give the window; whether it can be made smaller. */
    boolean shrinkWindow(long factor, long unit) {
        if (windowLength <= unit) {
            return false;
        }
        windowLength = Math.max(unit, windowLength / factor / unit * unit);
        candidate = 0;
        preferred = ReadBalance.NONE;
        return true;
    }

    /** A copy has answered with an error. */
    void refused() {
        refused = true;
    }

    /** Whether a copy has answered with an error since this was asked last. */
    boolean wasRefused() {
        boolean was = refused;
        refused = false;
        return was;
    }

    /** Tells a device that a member could not read the window, chunk by chunk. */
    void reportWindow(Member member, RaidDevice device) {
        long chunk = geometry.chunkOf(start);
        long from = start;
        long skip = windowStart;
        for (long left = windowLength; left > 0; ) {
            long here = geometry.startOf(chunk + 1) - from;
            if (skip < here) {
                long take = Math.min(left, here - skip);
                device.readFailed(new ReadFailure(member.index(), from + skip, take));
                left -= take;
                skip = 0;
            } else {
                skip -= here;
            }
            chunk += step;
            from = geometry.startOf(chunk);
        }
    }

    /** Remembers that a copy that is there could not give its data. */
    void sawMediumError() {
        mediumError = true;
    }

    /** How a window ends that nobody could give. */
    IoStatus lost() {
        return mediumError ? IoStatus.MEDIUM_ERROR : IoStatus.OFFLINE;
    }
}
