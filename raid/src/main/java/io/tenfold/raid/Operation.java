package io.tenfold.raid;

import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import java.util.BitSet;

/** What a channel knows of one request that it was given. Pooled by its channel, reused, and of its thread alone. */
final class Operation {
    private final PieceCursor cursor = new PieceCursor();

    /** Members, by index, that failed a part of this. */
    private final BitSet failed = new BitSet();

    /** Members, by index, on which a part of this is bad. */
    private final BitSet bad = new BitSet();

    private Request request;

    /** The array bytes from which pieces have not been cut yet are those of the cursor, and from here to the end. */
    private long nextSpan;

    private boolean reshaped;
    private int outstanding;
    private IoStatus status;
    private long epoch;
    private long ticket;
    private boolean holdsRange;

    /** Of the barrier, while it is inside. */
    private int barrierTicket;

    void begin(Request request) {
        this.request = request;
        nextSpan = request.offset();
        outstanding = 1; // The cutting of pieces counts as one.
        status = IoStatus.OK;
        epoch = 0;
        ticket = 0;
        holdsRange = false;
        barrierTicket = IoBarrier.TURNED_AWAY;
        failed.clear();
        bad.clear();
    }

    void end() {
        request = null;
    }

    Request request() {
        return request;
    }

    PieceCursor cursor() {
        return cursor;
    }

    /** Where the part lies that has no cursor yet; the request's end: nothing is left. */
    long nextSpan() {
        return nextSpan;
    }

    /** Cuts up to {@code to} from here on. */
    void span(Geometry geometry, long to, boolean reshaped) {
        cursor.start(geometry, nextSpan, to);
        nextSpan = to;
        this.reshaped = reshaped;
    }

    boolean isReshaped() {
        return reshaped;
    }

    void pieceStarted() {
        outstanding++;
    }

    /** A piece, or the cutting, is done; whether all is. */
    boolean partDone() {
        return --outstanding == 0;
    }

    IoStatus status() {
        return status;
    }

    /** A part failed: the first failure counts. */
    void fail(IoStatus how) {
        if (status == IoStatus.OK) {
            status = how;
        }
    }

    /** It was carried out, or will be, without those whom a roster of this age lacks. */
    void uses(long rosterEpoch) {
        epoch = Math.max(epoch, rosterEpoch);
    }

    long epoch() {
        return epoch;
    }

    /** A member failed a part of it, which was reported under a ticket. */
    void failedOn(Member member, long reportTicket) {
        failed.set(member.index());
        ticket = Math.max(ticket, reportTicket);
    }

    BitSet failed() {
        return failed;
    }

    /** A part of it is bad on a member, which was reported under a ticket. */
    void badOn(Member member, long reportTicket) {
        bad.set(member.index());
        ticket = Math.max(ticket, reportTicket);
    }

    BitSet bad() {
        return bad;
    }

    /** It is not over before a report was handled. */
    void awaits(long reportTicket) {
        ticket = Math.max(ticket, reportTicket);
    }

    long ticket() {
        return ticket;
    }

    boolean holdsRange() {
        return holdsRange;
    }

    void holdsRange(boolean held) {
        holdsRange = held;
    }

    /** What the barrier answered when it entered; {@link IoBarrier#TURNED_AWAY}: it is not inside. */
    int barrierTicket() {
        return barrierTicket;
    }

    void barrierTicket(int ticket) {
        barrierTicket = ticket;
    }
}
