package io.tenfold.queue;

/** Pieces at the device, the one that has been there for longest first. Threads: the owner of the hardware queue. */
final class Flights {
    private Piece first;
    private Piece last;

    /** The one that was sent first, or null. */
    Piece first() {
        return first;
    }

    void add(Piece piece, long now) {
        piece.sentNanos = now;
        piece.next = null;
        piece.previous = last;
        if (last == null) {
            first = piece;
        } else {
            last.next = piece;
        }
        last = piece;
    }

    void remove(Piece piece) {
        if (piece.previous == null) {
            first = piece.next;
        } else {
            piece.previous.next = piece.next;
        }
        if (piece.next == null) {
            last = piece.previous;
        } else {
            piece.next.previous = piece.previous;
        }
        piece.next = null;
        piece.previous = null;
    }
}
