package io.tenfold.raid;

import io.tenfold.block.Request;

/**
 * A write that a member answered with a medium error, once more in smaller and smaller parts, down to the block, so that
 * only blocks that really cannot be written are called bad. One after another; made anew each time, as this is rare.
 *
 * <p>Threads: its channel's.
 */
final class WriteNarrowing {
    private static final int NARROWING = 8;
    private static final long NOTHING = -1;

    private final RaidChannel channel;
    private final RaidDevice device;
    private final Piece piece;
    private final Member member;
    private final Request whole;
    private final long unit;
    private final Request part = new Request(_ -> answered());

    /** How far it has come, and how long the part in hand is. */
    private long at;

    private long window;

    /** Where the bad range starts that ends where the part in hand starts, or {@link #NOTHING}. */
    private long badFrom = NOTHING;

    /**
     * Prepares to repeat a request of a piece.
     *
     * @param whole has failed, and keeps its memory until the piece ends
     */
    WriteNarrowing(RaidChannel channel, RaidDevice device, Piece piece, Member member, Request whole) {
        this.channel = channel;
        this.device = device;
        this.piece = piece;
        this.member = member;
        this.whole = whole;
        unit = device.limits().blockBytes();
        window = whole.length();
        failed();
    }

    /** Whether nothing is left to be tried. */
    boolean isDone() {
        return at == whole.length();
    }

    Piece piece() {
        return piece;
    }

    Member member() {
        return member;
    }

    /** The next part. */
    Request next() {
        part.start(whole.op(), whole.offset() + at, window, whole.fua());
        return whole.op().carriesData() ? part.addPartOf(whole, at, window) : part;
    }

    private void answered() {
        channel.answered(member);
        switch (part.status()) {
            case OK -> {
                endBad();
                channel.written(piece.operation(), member, part);
                at += window;
                window *= NARROWING;
            }
            case MEDIUM_ERROR -> failed();
            case IO_ERROR, NO_SPACE, READ_ONLY, NOT_SUPPORTED, OFFLINE, INVALID -> {
                endBad();
                channel.writeFailed(piece.operation(), member, part);
                at = whole.length();
            }
        }
        window = Math.min(window, whole.length() - at);
        if (isDone()) {
            endBad();
        }
        channel.narrow(this);
    }

    private void failed() {
        if (window > unit) {
            window = Math.max(unit, window / NARROWING / unit * unit);
            return;
        }
        if (badFrom == NOTHING) {
            badFrom = at;
        }
        at += window;
        if (isDone()) {
            endBad();
        }
    }

    private void endBad() {
        if (badFrom != NOTHING) {
            RangeReport bad = new RangeReport(member, whole.offset() + badFrom, whole.offset() + at, true);
            piece.operation().badOn(member, device.report(bad));
            badFrom = NOTHING;
        }
    }
}
