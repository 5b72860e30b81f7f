package io.tenfold.queue;

/** First in, first out: pieces stay in the order in which they came, so those of one request next to one another. */
final class FifoScheduler implements Scheduler {
    private Piece first;
    private Piece last;

    @Override
    public void add(Piece piece, long now) {
        assert piece.next == null : "in a list already: " + piece;
        piece.arrivalNanos = now;
        if (last == null) {
            first = piece;
        } else {
            last.next = piece;
        }
        last = piece;
    }

    @Override
    public Piece next(long now) {
        Piece piece = first;
        if (piece != null) {
            first = piece.next;
            if (first == null) {
                last = null;
            }
            piece.next = null;
        }
        return piece;
    }

    @Override
    public boolean isEmpty() {
        return first == null;
    }
}
