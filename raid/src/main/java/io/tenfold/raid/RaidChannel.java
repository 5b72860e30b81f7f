package io.tenfold.raid;

import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.block.RequestList;
import java.util.ArrayDeque;

/**
 * One shard's way into the array: cuts requests into pieces, sends each to the members that have a copy, and puts the
 * answers together.
 *
 * <p>The life of a write: {@link #enter} (the gate: the superblocks say "dirty"), {@link #pass} (the barrier: no resync works
 * on the same blocks), {@link #lock} (nobody else writes the same blocks), {@link #dispatch} (to all copies),
 * {@link #settle} (whoever failed is recorded as failed on the others), done.
 * The life of a read: dispatch (to the copy that {@link ReadBalance} chooses), {@link #readOn} (to the next where one
 * fails), done. Where a step cannot be taken the operation parks in a list, and {@link #poll} tries again.
 *
 * <p>Threads: its shard's.
 */
final class RaidChannel implements Channel {
    /** Back-pressure: more than this is "no room". Both pools grow to what is used and keep it. */
    static final int OPERATIONS_MAX = 4096;

    private static final int PIECES_MAX = 8192;

    /** Around an unreadable block reads become smaller by this factor, down to the block, and larger again. */
    private static final int NARROWING = 8;

    private final RaidDevice device;
    private final Shard shard;
    private final IoBarrier barrier;
    private final Stripe stripe = new Stripe();
    private final ReadBalance balance;
    private final Channel[] channels;
    private final int[] inFlight;
    private final boolean[] uncommitted;

    private final ArrayDeque<Operation> freeOperations = new ArrayDeque<>();
    private final ArrayDeque<Piece> freePieces = new ArrayDeque<>();
    private int operations;
    private int pieces;

    /** Parked: before the gate, the barrier, their range, without a free piece, until a failure is recorded. */
    private final ArrayDeque<Operation> atGate = new ArrayDeque<>();

    private final ArrayDeque<Operation> atBarrier = new ArrayDeque<>();

    private final ArrayDeque<Operation> atRange = new ArrayDeque<>();
    private final ArrayDeque<Operation> withoutPiece = new ArrayDeque<>();
    private final ArrayDeque<Operation> unrecorded = new ArrayDeque<>();

    /** Parked: pieces that a member's channel has had no room for. */
    private final ArrayDeque<Piece> withoutRoom = new ArrayDeque<>();

    /** Parked: parts of writes that are being repeated. */
    private final ArrayDeque<WriteNarrowing> narrowings = new ArrayDeque<>();

    private final RequestList done = new RequestList();

    /** Counts what happens in a poll. */
    private int moved;

    private boolean closed;

    RaidChannel(RaidDevice device, Shard shard) {
        this.device = device;
        this.shard = shard;
        balance = new ReadBalance(device, shard.clock());
        barrier = device.barrier();
        barrier.waiters().attach(shard.index(), shard);
        Member[] members = device.members();
        channels = new Channel[members.length];
        inFlight = new int[members.length];
        uncommitted = new boolean[members.length];
        for (Member member : device.roster().members()) {
            if (member.canServe()) { // A spare may have a role tomorrow.
                channels[member.index()] = member.device().open(shard);
            }
        }
    }

    Stripe stripe() {
        return stripe;
    }

    ReadBalance balance() {
        return balance;
    }

    /** Makes this poll soon. Any thread. */
    void wake() {
        shard.wake();
    }

    @Override
    public boolean submit(Request request) {
        Operation operation = freeOperations.poll();
        if (operation == null) {
            if (operations == OPERATIONS_MAX) {
                return false;
            }
            operations++;
            operation = new Operation();
        }
        request.started();
        stripe.count(Stripe.REQUESTS);
        operation.begin(request);
        if (request.op().changes()) {
            enter(operation);
        } else {
            dispatch(operation);
        }
        return true;
    }

    @Override
    public void commit() {
        for (int i = 0; i < channels.length; i++) {
            if (uncommitted[i]) {
                uncommitted[i] = false;
                channels[i].commit();
            }
        }
    }

    @Override
    public int poll(int max) {
        moved = 0;
        for (int i = 0; i < channels.length; i++) {
            if (inFlight[i] > 0) {
                channels[i].poll(Integer.MAX_VALUE);
            }
        }
        retryParked();
        commit();
        // Only what is done now: a completion that submits again must not keep its caller here for ever.
        int count = Math.min(max, done.size());
        for (int i = 0; i < count; i++) {
            done.poll().complete();
        }
        return moved + count;
    }

    private void retryParked() {
        for (int i = withoutRoom.size(); i > 0; i--) {
            submitTargets(withoutRoom.poll());
        }
        for (int i = narrowings.size(); i > 0; i--) {
            narrow(narrowings.poll());
        }
        for (int i = withoutPiece.size(); i > 0; i--) {
            dispatch(withoutPiece.poll());
        }
        for (int i = unrecorded.size(); i > 0; i--) {
            settle(unrecorded.poll());
        }
        if (!atGate.isEmpty() && (device.gate().isOpen() || device.refusal() != null)) {
            for (int i = atGate.size(); i > 0; i--) {
                enter(atGate.poll());
            }
            if (atGate.isEmpty()) {
                stripe.set(Stripe.WAITS_FOR_GATE, 0);
            }
        }
        for (int i = atBarrier.size(); i > 0; i--) {
            Operation operation = atBarrier.poll();
            if (tryPass(operation)) {
                barrier.waiters().stop(shard.index());
                lock(operation);
            } else {
                atBarrier.add(operation);
            }
        }
        for (int i = atRange.size(); i > 0; i--) {
            lock(atRange.poll());
        }
        if (atRange.isEmpty() && stripe.get(Stripe.WAITS_FOR_RANGE) != 0) {
            stripe.set(Stripe.WAITS_FOR_RANGE, 0);
            device.ranges().stopWaiting();
        }
    }

    /** A write's first step. */
    private void enter(Operation operation) {
        IoStatus refusal = device.refusal();
        if (refusal != null) {
            operation.fail(refusal);
            finish(operation);
        } else if (device.gate().enter(stripe)) {
            pass(operation);
        } else {
            atGate.add(operation);
            stripe.set(Stripe.WAITS_FOR_GATE, 1);
            device.wakeConductor();
        }
    }

    /** A write's second step. */
    private void pass(Operation operation) {
        if (!tryPass(operation)) {
            barrier.waiters().start(shard.index());
            // Once more after the announcement, or a window that is lowered in between would be missed.
            if (!tryPass(operation)) {
                atBarrier.add(operation);
                return;
            }
            barrier.waiters().stop(shard.index());
        }
        lock(operation);
    }

    private boolean tryPass(Operation operation) {
        Request request = operation.request();
        operation.barrierTicket(barrier.tryEnter(shard.index(), request.offset(), request.length()));
        return operation.barrierTicket() != IoBarrier.TURNED_AWAY;
    }

    /** A write's third step. */
    private void lock(Operation operation) {
        Request request = operation.request();
        WriteRanges ranges = device.ranges();
        if (!ranges.tryAcquire(request.offset(), request.length())) {
            if (stripe.get(Stripe.WAITS_FOR_RANGE) == 0) {
                stripe.set(Stripe.WAITS_FOR_RANGE, 1);
                ranges.startWaiting();
                stripe.count(Stripe.OVERLAPS);
            }
            // Once more after the announcement, or a release in between would be missed.
            if (!ranges.tryAcquire(request.offset(), request.length())) {
                atRange.add(operation);
                return;
            }
        }
        operation.holdsRange(true);
        dispatch(operation);
    }

    /** Cuts pieces and sends them off, as many as there are free ones. */
    private void dispatch(Operation operation) {
        Request request = operation.request();
        if (request.op() == Op.FLUSH) {
            if (device.limits().readOnly()) {
                finish(operation);
                return;
            }
            Piece piece = takePiece();
            if (piece == null) {
                withoutPiece.add(operation);
                return;
            }
            piece.begin(operation, false);
            operation.pieceStarted();
            flushAll(piece);
        } else {
            while (operation.cursor().hasNext() || operation.nextSpan() < request.end()) {
                Piece piece = takePiece();
                if (piece == null) {
                    withoutPiece.add(operation);
                    return;
                }
                cut(operation, piece);
                operation.pieceStarted();
                if (request.op() == Op.READ) {
                    readOn(piece);
                } else {
                    writeAll(piece);
                }
            }
        }
        partDone(operation);
    }

    private void cut(Operation operation, Piece piece) {
        if (!operation.cursor().hasNext()) {
            device.nextSpan(operation);
        }
        piece.begin(operation, operation.isReshaped());
        Request request = operation.request();
        long bytesMax = request.op().carriesData() ? device.pieceBytesMax() : device.zeroedPieceBytesMax();
        // A run of n chunks of a request in s segments has at most n + s - 1 of them.
        int chunksMax = Math.max(1, device.pieceSegmentsMax() - request.segments() + 1);
        operation.cursor().next(piece, bytesMax, chunksMax);
        moved++;
    }

    private void flushAll(Piece piece) {
        Roster roster = device.roster();
        piece.operation().uses(roster.epoch());
        for (Member member : roster.members()) {
            if (member.role() != Member.NO_ROLE) {
                piece.addTarget(member).flush();
            }
        }
        submitTargets(piece);
    }

    private void writeAll(Piece piece) {
        Roster roster = device.roster();
        Operation operation = piece.operation();
        operation.uses(roster.epoch());
        for (int copy = 0; copy < piece.copies(); copy++) {
            long place = piece.locate(copy);
            addWrite(piece, roster.active(Geometry.role(place)), place);
            addWrite(piece, roster.replacement(Geometry.role(place)), place);
        }
        if (piece.targetCount() == 0) {
            operation.fail(IoStatus.OFFLINE);
            pieceDone(piece);
        } else {
            submitTargets(piece);
        }
    }

    private void addWrite(Piece piece, Member member, long place) {
        if (member != null) {
            long at = member.deviceAddress(piece.address(place, 0), piece.isReshaped());
            piece.fill(piece.addTarget(member), at, 0, piece.length());
        }
    }

    /** Asks the next copy that can give the piece's window; smaller windows if none can; the piece fails at one block. */
    private void readOn(Piece piece) {
        Roster roster = device.roster();
        while (!findCandidate(piece, roster)) {
            if (!piece.shrinkWindow(NARROWING, device.limits().blockBytes())) {
                stripe.count(Stripe.READS_LOST);
                piece.operation().fail(piece.lost());
                pieceDone(piece);
                return;
            }
        }
        submitTargets(piece);
    }

    /**
     * Finds whom the balance chooses; and then the next of: the member with copy 0, its replacement, the member with copy 1,
     * and so on.
     */
    private boolean findCandidate(Piece piece, Roster roster) {
        if (piece.preferred() == Piece.UNDECIDED) {
            piece.preferred(balance.choose(piece, roster));
            if (piece.preferred() != ReadBalance.NONE && ask(piece, roster, piece.preferred())) {
                return true;
            }
        }
        for (int candidate = piece.candidate(); candidate < 2 * piece.copies(); candidate++) {
            if (candidate != piece.preferred() && ask(piece, roster, candidate)) {
                piece.candidate(candidate + 1);
                return true;
            }
        }
        return false;
    }

    private boolean ask(Piece piece, Roster roster, int candidate) {
        long place = piece.locate(candidate / 2);
        int role = Geometry.role(place);
        Member member = candidate % 2 == 0 ? roster.active(role) : roster.replacement(role);
        if (member == null) {
            return false;
        }
        long address = piece.address(place, piece.windowStart());
        if (!member.holds(address, piece.windowLength(), piece.isReshaped())) {
            piece.sawMediumError();
            return false;
        }
        long at = member.deviceAddress(address, piece.isReshaped());
        piece.fill(piece.onlyTarget(member), at, piece.windowStart(), piece.windowLength());
        balance.asked(piece, member, at);
        return true;
    }

    private void submitTargets(Piece piece) {
        while (piece.hasUnsubmitted()) {
            int next = piece.nextToSubmit();
            if (!send(piece.target(next), piece.request(next))) {
                withoutRoom.add(piece);
                return;
            }
            piece.submittedOne();
        }
    }

    private boolean send(Member member, Request request) {
        int index = member.index();
        if (!channels[index].submit(request)) {
            return false;
        }
        inFlight[index]++;
        uncommitted[index] = true;
        moved++;
        return true;
    }

    /** One request to a member has ended. */
    void answered(Member member) {
        inFlight[member.index()]--;
        moved++;
    }

    /** Goes on with a write that is repeated in parts. */
    void narrow(WriteNarrowing narrowing) {
        if (narrowing.isDone()) {
            targetDone(narrowing.piece());
        } else if (!send(narrowing.member(), narrowing.next())) {
            narrowings.add(narrowing);
        }
    }

    /** A member has answered. */
    private void answered(Request request) {
        Piece piece = (Piece) request.context();
        Member member = piece.target((int) request.user());
        answered(member);
        if (piece.operation().request().op() == Op.READ) {
            balance.answered(piece, member, request);
            readAnswered(piece, member, request);
            return;
        }
        if (request.status() == IoStatus.OK) {
            written(piece.operation(), member, request);
        } else if (request.status() == IoStatus.MEDIUM_ERROR && request.op().changes() && member.hasLog()) {
            stripe.count(Stripe.WRITE_ERRORS);
            narrow(new WriteNarrowing(this, device, piece, member, request));
            return;
        } else {
            stripe.count(Stripe.WRITE_ERRORS);
            writeFailed(piece.operation(), member, request);
        }
        targetDone(piece);
    }

    private void targetDone(Piece piece) {
        if (piece.answered()) {
            pieceDone(piece);
        }
    }

    /** A member has written a range: if that was called bad, it is not any more. */
    void written(Operation operation, Member member, Request request) {
        if (member.isBad(request.offset(), request.length())) {
            operation.awaits(device.report(new RangeReport(member, request.offset(), request.end(), false)));
        }
    }

    private void readAnswered(Piece piece, Member member, Request request) {
        if (request.status() == IoStatus.OK) {
            if (piece.wasRefused()) {
                stripe.count(Stripe.READS_RESCUED);
            }
            if (piece.windowDone(NARROWING)) {
                pieceDone(piece);
            } else {
                readOn(piece);
            }
            return;
        }
        stripe.count(Stripe.READ_ERRORS);
        piece.refused();
        if (request.status() == IoStatus.OFFLINE) {
            device.report(failure(member, request)); // It has gone. Nobody waits for that here.
        } else {
            piece.sawMediumError();
            piece.reportWindow(member, device);
        }
        readOn(piece);
    }

    /** A member has not written a range, and not because that is bad. */
    void writeFailed(Operation operation, Member member, Request request) {
        switch (request.status()) {
            case NO_SPACE, NOT_SUPPORTED, READ_ONLY -> {
                // Nothing is wrong with what the member holds, but its copy may now differ from the others.
                device.copiesMayDiffer();
                operation.fail(request.status());
            }
            case OK, IO_ERROR, MEDIUM_ERROR, OFFLINE, INVALID ->
                operation.failedOn(member, device.report(failure(member, request)));
        }
    }

    private static MemberFailure failure(Member member, Request request) {
        return new MemberFailure(member, request.op(), request.offset(), request.length(), request.status());
    }

    private void pieceDone(Piece piece) {
        Operation operation = piece.operation();
        piece.end();
        freePieces.add(piece);
        partDone(operation);
    }

    private void partDone(Operation operation) {
        if (operation.partDone()) {
            if (operation.ticket() == 0) {
                releaseRange(operation);
            }
            settle(operation);
        }
    }

    private void releaseRange(Operation operation) {
        if (operation.holdsRange()) {
            operation.holdsRange(false);
            device.ranges()
                    .release(operation.request().offset(), operation.request().length());
        }
    }

    /**
     * All members have answered. A write or flush that a member lacks is acknowledged only when the others' superblocks say
     * that this member does not count, or its own log says that the range does not: otherwise it might be believed after a
     * crash. Nobody else writes the range before that.
     */
    private void settle(Operation operation) {
        if (operation.request().op() != Op.READ) {
            if (!device.isRecorded(operation)) {
                unrecorded.add(operation);
                return;
            }
            IoStatus verdict = device.verdict(operation);
            if (verdict != IoStatus.OK) {
                operation.fail(verdict);
            }
            if (operation.request().op().changes()) {
                releaseRange(operation);
                // Not before: a copy that a member lacks must not be taken for the right one by a resync.
                barrier.leave(shard.index(), operation.barrierTicket());
                device.gate().leave(stripe);
            }
        }
        finish(operation);
    }

    private void finish(Operation operation) {
        Request request = operation.request();
        request.outcome(operation.status());
        done.add(request);
        operation.end();
        freeOperations.add(operation);
        moved++;
    }

    private Piece takePiece() {
        Piece piece = freePieces.poll();
        if (piece == null && pieces < PIECES_MAX) {
            pieces++;
            piece = new Piece(this::answered);
        }
        return piece;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        assert freeOperations.size() == operations
                : "closed with requests in flight: " + (operations - freeOperations.size());
        for (Channel channel : channels) {
            if (channel != null) {
                channel.close();
            }
        }
        device.closed(this);
    }
}
