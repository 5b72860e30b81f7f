package io.tenfold.queue;

/** Pieces that will be pushed together into a {@link PieceInbox}, linked from the last to the first. Threads: one. */
final class PieceChain {
    private Piece newest;
    private Piece oldest;

    void add(Piece piece) {
        piece.next = newest;
        newest = piece;
        if (oldest == null) {
            oldest = piece;
        }
    }

    boolean isEmpty() {
        return newest == null;
    }

    Piece newest() {
        return newest;
    }

    Piece oldest() {
        return oldest;
    }

    void clear() {
        newest = null;
        oldest = null;
    }
}
