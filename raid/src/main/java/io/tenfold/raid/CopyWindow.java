package io.tenfold.raid;

import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One range that a {@link CopyPass} has in hand: reads all copies of it, compares, rewrites. Where a copy cannot be read it
 * goes on block by block through the range.
 */
final class CopyWindow {
    private enum Step {
        FREE,
        READING,
        WRITING
    }

    private final RaidDevice device;
    private final Channel[] channels;
    private final Map<Member, MemberFailure> unwritten;
    private final Arena arena;
    private final int bytesMax;
    private final int alignment;
    private final int blockBytes;

    /** Where the range lies; only its place counts. */
    private final Piece piece = new Piece(_ -> {});

    private final List<Copy> copies = new ArrayList<>();
    private int used;
    private Step step = Step.FREE;

    /** The part of the range in hand. */
    private long at;

    private long length;
    private boolean blockwise;

    private long doneBytes;
    private long rewrittenBytes;
    private long unreadableBytes;

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

        /** Whether the step has brought its data, or written it. */
        boolean isGood() {
            return asked && request.status() == IoStatus.OK;
        }

        long deviceAddress() {
            return member.deviceAddress(piece.address(place, at), false);
        }

        void ask() {
            asked = true;
            submitted = false;
            answered = false;
        }
    }

    /**
     * A window of a pass.
     *
     * @param unwritten gets the members on which a copy could not be rewritten
     */
    CopyWindow(
            RaidDevice device,
            Channel[] channels,
            Map<Member, MemberFailure> unwritten,
            Arena arena,
            int bytesMax,
            int alignment) {
        this.device = device;
        this.channels = channels;
        this.unwritten = unwritten;
        this.arena = arena;
        this.bytesMax = bytesMax;
        this.alignment = alignment;
        this.blockBytes = device.limits().blockBytes();
    }

    boolean isFree() {
        return step == Step.FREE;
    }

    /** Takes the next range of a pass in hand. */
    void start(PieceCursor cursor) {
        piece.begin(null, false);
        cursor.next(piece, bytesMax, Integer.MAX_VALUE);
        blockwise = false;
        at = 0;
        length = piece.length();
        read();
    }

    /** Moves on; how much. */
    int work() {
        if (step == Step.FREE) {
            return 0;
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
        if (step == Step.READING) {
            compare();
        } else {
            written();
        }
        return moved + 1;
    }

    private void read() {
        step = Step.READING;
        used = 0;
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
        if (member == null) {
            return;
        }
        if (used == copies.size()) {
            copies.add(new Copy());
        }
        Copy copy = copies.get(used++);
        copy.member = member;
        copy.place = place;
        copy.asked = false;
        if (member.isKnownGood(piece.address(place, at), length)) {
            copy.request.read(copy.deviceAddress(), copy.memory, 0, length);
            copy.ask();
        }
    }

    private void compare() {
        Copy source = null;
        boolean allGood = true;
        for (int i = 0; i < used; i++) {
            Copy copy = copies.get(i);
            boolean good = copy.isGood();
            allGood &= good;
            if (copy.asked && copy.request.status() == IoStatus.OFFLINE) {
                device.report(failure(copy));
            }
            if (source == null && good && copy.member.holds(piece.address(copy.place, at), length, false)) {
                source = copy;
            }
        }
        if (!allGood && !blockwise) {
            blockwise = true;
            length = Math.min(blockBytes, length);
            read();
        } else if (source == null) {
            unreadableBytes += length;
            next();
        } else {
            rewrite(source);
        }
    }

    private void rewrite(Copy source) {
        step = Step.WRITING;
        boolean any = false;
        MemorySegment right = source.memory.asSlice(0, length);
        for (int i = 0; i < used; i++) {
            Copy copy = copies.get(i);
            boolean differs = !copy.isGood() || copy.memory.asSlice(0, length).mismatch(right) != -1;
            // What its log calls bad is not written either: it stays bad, and is not read.
            boolean can = copy.member.isKnownGood(piece.address(copy.place, at), length)
                    && device.roster().contains(copy.member);
            copy.asked = false;
            if (differs && can) {
                copy.request.write(copy.deviceAddress(), source.memory, 0, length, false);
                copy.ask();
                rewrittenBytes += length;
                any = true;
            }
        }
        if (!any) {
            next();
        }
    }

    private void written() {
        for (int i = 0; i < used; i++) {
            Copy copy = copies.get(i);
            if (copy.asked && copy.request.status() != IoStatus.OK) {
                unwritten.putIfAbsent(copy.member, failure(copy));
                if (copy.request.status() != IoStatus.NO_SPACE) { // Which is no fault of the member's.
                    device.report(failure(copy));
                }
            }
        }
        next();
    }

    private static MemberFailure failure(Copy copy) {
        Request request = copy.request;
        return new MemberFailure(copy.member, request.op(), request.offset(), request.length(), request.status());
    }

    private void next() {
        at += length;
        doneBytes += length;
        if (at == piece.length()) {
            step = Step.FREE;
        } else {
            length = Math.min(blockBytes, piece.length() - at);
            read();
        }
    }

    long takeDoneBytes() {
        long taken = doneBytes;
        doneBytes = 0;
        return taken;
    }

    long takeRewrittenBytes() {
        long taken = rewrittenBytes;
        rewrittenBytes = 0;
        return taken;
    }

    long takeUnreadableBytes() {
        long taken = unreadableBytes;
        unreadableBytes = 0;
        return taken;
    }
}
