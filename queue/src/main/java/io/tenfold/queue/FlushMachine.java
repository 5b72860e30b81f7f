package io.tenfold.queue;

import io.tenfold.block.IoStatus;

/**
 * Flushes of one hardware queue: at most one is at the device; those who want one meanwhile share the next. The idea is
 * that of the kernel's flush machinery (block/blk-flush.c), without its stages.
 *
 * <p>Why the next and not the one under way: a flush covers what was complete when it was submitted, and who comes later
 * may stand for a write that was not.
 *
 * <p>Threads: the owner of the hardware queue.
 */
final class FlushMachine {
    private final HardwareQueue hardware;

    /** Carries the flush that is at the device. */
    private final Piece carrier = new Piece(Piece.NO_TAG, _ -> ended());

    /** Who waits for the flush under way, linked; and who for the next. */
    private Piece covered;

    private Piece waiting;
    private boolean underWay;

    FlushMachine(HardwareQueue hardware) {
        this.hardware = hardware;
    }

    /** Takes one who wants all stable that is complete now. */
    void add(Piece piece) {
        piece.next = waiting;
        waiting = piece;
    }

    /** Whether there is nothing to start. */
    boolean isIdle() {
        return waiting == null;
    }

    boolean isUnderWay() {
        return underWay;
    }

    /** Sends a flush, if one is wanted and none is under way. */
    void start(long now) {
        if (waiting == null || underWay) {
            return;
        }
        carrier.lower.flush();
        if (hardware.send(carrier, now)) {
            underWay = true;
            covered = waiting;
            waiting = null;
            hardware.countFlush();
        }
    }

    private void ended() {
        underWay = false;
        hardware.landed(carrier);
        carrier.late = false;
        IoStatus how = carrier.lower.status();
        Piece piece = covered;
        covered = null;
        while (piece != null) {
            Piece after = piece.next;
            piece.next = null;
            piece.lower.outcome(how);
            hardware.giveBack(piece);
            piece = after;
        }
    }
}
