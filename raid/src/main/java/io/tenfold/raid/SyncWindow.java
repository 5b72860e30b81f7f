package io.tenfold.raid;

import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * One range that a {@link SyncPass} has in hand. Raises a window of the barrier over it, reads copies, compares, writes, and
 * lowers the window. Where a copy cannot be read it goes on block by block through the range.
 *
 * <p>Threads: the conductor's.
 */
final class SyncWindow {
    private enum Step {
        FREE,
        /** Waits until no write is inside. */
        RAISING,
        READING,
        WRITING,
        /** Until the conductor has recorded what is bad. */
        RECORDING
    }

    private final RaidDevice device;
    private final SyncPass pass;
    private final Channel[] channels;
    private final Arena arena;
    private final int bytesMax;
    private final int alignment;
    private final int blockBytes;
    private final WindowRaiser raiser;
    private final BarrierWindow barrier;

    /** Where the range lies; only its place counts. */
    private final Piece piece = new Piece(_ -> {});

    private final List<Copy> copies = new ArrayList<>();
    private int used;
    private Step step = Step.FREE;

    /** Where in the pass's order the range begins. */
    private long position;

    /** The part of the range in hand. */
    private long at;

    private long length;
    private boolean blockwise;

    /** Of the last report about what is bad. */
    private long ticket;

    /** Filling: the candidate that is being read, as {@link #readSource} counts them. */
    private int candidate;

    /** One member's copy of the part in hand. */
    private final class Copy {
        final MemorySegment memory = arena.allocate(bytesMax, alignment);
        final Request request = new Request(_ -> completed());
        Member member;
        long place;

        /** Has something to do in this step; was taken by the channel; has been answered. */
        boolean asked;

        boolean submitted;
        boolean answered;

        void completed() {
            answered = true;
        }

        void is(Member itsMember, long itsPlace) {
            member = itsMember;
            place = itsPlace;
            asked = false;
        }

        /** Whether the step has brought its data, or written it. */
        boolean isGood() {
            return asked && request.status() == IoStatus.OK;
        }

        void read() {
            request.read(deviceAddress(), memory, 0, length);
            ask();
        }

        void write(MemorySegment from) {
            request.write(deviceAddress(), from, 0, length, false);
            ask();
        }

        private long deviceAddress() {
            return member.deviceAddress(piece.address(place, at), false);
        }

        private void ask() {
            asked = true;
            submitted = false;
            answered = false;
        }

        MemberFailure failure() {
            return new MemberFailure(member, request.op(), request.offset(), request.length(), request.status());
        }
    }

    SyncWindow(
            RaidDevice device,
            SyncPass pass,
            BarrierWindow barrier,
            Channel[] channels,
            Arena arena,
            int bytesMax,
            int alignment) {
        this.device = device;
        this.pass = pass;
        this.barrier = barrier;
        raiser = device.barrier().windows();
        this.channels = channels;
        this.arena = arena;
        this.bytesMax = bytesMax;
        this.alignment = alignment;
        this.blockBytes = device.limits().blockBytes();
    }

    boolean isFree() {
        return step == Step.FREE;
    }

    /** Where in the pass's order the range in hand begins. */
    long position() {
        return position;
    }

    /** What the next range's place is to be set in. Only while free. */
    Piece piece() {
        return piece;
    }

    /** Takes the range in hand whose place was set. */
    void start(long itsPosition) {
        position = itsPosition;
        blockwise = false;
        at = 0;
        length = piece.length();
        step = Step.RAISING;
        if (raiser.raise(barrier, piece.arrayStart(), piece.arrayEnd())) {
            read();
        }
    }

    /** Moves on; how much. */
    int work() {
        if (step == Step.FREE) {
            return 0;
        }
        if (step == Step.RAISING) {
            if (!raiser.poll(barrier)) {
                return 0;
            }
            read();
            return 1;
        }
        if (step == Step.RECORDING) {
            if (device.reports().handled() < ticket && !device.isUnrecordable()) {
                return 0;
            }
            recorded();
            return 1;
        }
        int moved = 0;
        boolean all = true;
        for (int i = 0; i < used; i++) {
            Copy copy = copies.get(i);
            if (copy.asked && !copy.submitted && channels[copy.member.index()].submit(copy.request)) {
                copy.submitted = true;
                moved++;
            }
            all &= !copy.asked || copy.answered;
        }
        if (!all) {
            return moved;
        }
        if (step == Step.WRITING) {
            written();
        } else if (pass.kind().fills()) {
            sourceRead();
        } else {
            compare();
        }
        return moved + 1;
    }

    private void read() {
        step = Step.READING;
        used = 0;
        if (pass.isCancelled()) {
            finish();
        } else if (pass.kind().fills()) {
            candidate = 0;
            readSource();
        } else {
            readAll();
        }
    }

    private Copy copy(int i) {
        if (i == copies.size()) {
            copies.add(new Copy());
        }
        return copies.get(i);
    }

    /** Filling: asks the next copy that can give the part in hand. */
    private void readSource() {
        Roster roster = device.roster();
        for (; candidate < 2 * piece.copies(); candidate++) {
            long place = piece.locate(candidate / 2);
            int role = Geometry.role(place);
            Member member = candidate % 2 == 0 ? roster.active(role) : roster.replacement(role);
            if (member != null
                    && member.index() != pass.target().index()
                    && member.holds(piece.address(place, at), length, false)) {
                Copy source = copy(0);
                source.is(member, place);
                source.read();
                used = 1;
                return;
            }
        }
        if (!blockwise && length > blockBytes) {
            blockwise();
            return;
        }
        pass.unreadable(length);
        if (pass.target().hasLog()) {
            long start = pass.target().deviceAddress(piece.address(placeOfTarget(), at), false);
            device.report(new RangeReport(pass.target(), start, start + length, true));
        } else {
            pass.giveUp("no copy can be read: arrayOffset=" + (piece.arrayStart() + at) + ", length=" + length);
        }
        next();
    }

    private void sourceRead() {
        Copy source = copies.getFirst();
        if (!source.isGood()) {
            reportIfGone(source);
            if (blockwise) {
                candidate++;
                readSource();
            } else {
                blockwise();
            }
            return;
        }
        Copy target = copy(1);
        if (!device.roster().contains(pass.target())) {
            finish();
            return;
        }
        target.is(pass.target(), placeOfTarget());
        source.asked = false;
        target.write(source.memory);
        used = 2;
        step = Step.WRITING;
        pass.rewritten(length);
    }

    private long placeOfTarget() {
        for (int copy = 0; copy < piece.copies(); copy++) {
            long place = piece.locate(copy);
            if (Geometry.role(place) == pass.target().role()) {
                return place;
            }
        }
        throw new AssertionError("no copy belongs to the target: " + pass.target() + ", array=" + piece.arrayStart());
    }

    private void blockwise() {
        blockwise = true;
        length = Math.min(blockBytes, length);
        read();
    }

    /** Comparing: reads all copies of the part in hand. */
    private void readAll() {
        Roster roster = device.roster();
        for (int copy = 0; copy < piece.copies(); copy++) {
            long place = piece.locate(copy);
            add(roster.active(Geometry.role(place)), place);
            add(roster.replacement(Geometry.role(place)), place);
        }
        if (used < 2) {
            length = piece.length() - at; // Nothing to compare with, here and in the rest.
            next();
        }
    }

    private void add(Member member, long place) {
        if (member == null || !member.isValidAt(piece.address(place, at))) {
            return;
        }
        Copy copy = copy(used++);
        copy.is(member, place);
        if (member.holds(piece.address(place, at), length, false)) {
            copy.read();
        }
    }

    private void compare() {
        Copy first = null;
        boolean allGood = true;
        for (int i = 0; i < used; i++) {
            Copy copy = copies.get(i);
            boolean good = copy.isGood();
            allGood &= good;
            reportIfGone(copy);
            if (first == null && good) {
                first = copy;
            }
        }
        if (!allGood && !blockwise) {
            blockwise();
        } else if (first == null) {
            pass.unreadable(length);
            next();
        } else {
            rewrite(first);
        }
    }

    private void rewrite(Copy first) {
        step = Step.WRITING;
        boolean any = false;
        MemorySegment right = first.memory.asSlice(0, length);
        for (int i = 0; i < used; i++) {
            Copy copy = copies.get(i);
            boolean good = copy.isGood();
            boolean differs = good && copy.memory.asSlice(0, length).mismatch(right) != -1;
            // What its log calls bad is not written either: it stays bad, and is not read.
            boolean can = copy.member.holds(piece.address(copy.place, at), length, false)
                    && device.roster().contains(copy.member);
            copy.asked = false;
            if (differs) {
                pass.mismatched(differing(copy.memory, right));
            }
            if ((differs || !good) && can && pass.kind().rewrites()) {
                copy.write(first.memory);
                pass.rewritten(length);
                any = true;
            }
        }
        if (!any) {
            next();
        }
    }

    /** Bytes of blocks that differ. */
    private long differing(MemorySegment memory, MemorySegment right) {
        long count = 0;
        for (long from = 0; from < length; from += blockBytes) {
            long to = Math.min(length, from + blockBytes);
            count += MemorySegment.mismatch(memory, from, to, right, from, to) == -1 ? 0 : to - from;
        }
        return count;
    }

    private void written() {
        boolean bad = false;
        long before = ticket;
        for (int i = 0; i < used; i++) {
            Copy copy = copies.get(i);
            if (!copy.asked || copy.request.status() == IoStatus.OK) {
                continue;
            }
            if (copy.request.status() == IoStatus.MEDIUM_ERROR && copy.member.hasLog()) {
                bad = true;
                if (length <= blockBytes) { // It costs the member this block alone.
                    ticket = device.report(
                            new RangeReport(copy.member, copy.request.offset(), copy.request.end(), true));
                }
                continue;
            }
            pass.unwritten(copy.failure());
            if (copy.request.status() != IoStatus.NO_SPACE) { // Which is no fault of the member's.
                device.report(copy.failure());
            }
        }
        if (bad && length > blockBytes) {
            blockwise();
        } else if (ticket > before) {
            step = Step.RECORDING;
        } else {
            next();
        }
    }

    private void recorded() {
        for (int i = 0; i < used; i++) {
            Copy copy = copies.get(i);
            if (copy.asked && copy.request.status() == IoStatus.MEDIUM_ERROR && copy.member.hasLogOverflowed()) {
                pass.unwritten(copy.failure());
            }
        }
        next();
    }

    private void reportIfGone(Copy copy) {
        if (copy.asked && copy.request.status() == IoStatus.OFFLINE) {
            device.report(copy.failure());
        }
    }

    private void next() {
        at += length;
        if (at == piece.length() || pass.isCancelled()) {
            finish();
        } else {
            length = Math.min(blockBytes, piece.length() - at);
            read();
        }
    }

    private void finish() {
        if (pass.isCancelled()) {
            pass.abandoned(position);
        }
        step = Step.FREE;
        raiser.lower(barrier);
    }
}
