package io.tenfold.queue;

import io.tenfold.block.Op;

/**
 * Goes through the pieces by rising offset, a batch of reads or writes at a time, and keeps deadlines: reads go before
 * writes, but writes are passed over a few times at most; and a batch begins with the oldest piece if that has waited for
 * too long. The rules and their numbers are those of the kernel's mq-deadline (block/mq-deadline.c), without priorities.
 *
 * <p>Once a piece has waited for too long and is the oldest of its kind, at most the rest of a batch and one batch of writes
 * go before it if it is a read, and the rest of a batch and {@link #WRITES_PASSED_OVER} batches of reads if it is a write.
 *
 * <p>What changes the device is a write here: discards and zeroes too. Threads: the owner of the hardware queue.
 */
final class DeadlineScheduler implements Scheduler {
    /** How long a read may wait before it is begun with. */
    static final long READ_EXPIRY_NANOS = 500_000_000;

    /** How long a write may. */
    static final long WRITE_EXPIRY_NANOS = 5_000_000_000L;

    /** How many batches of reads go before writes that wait. */
    static final int WRITES_PASSED_OVER = 2;

    /** How many pieces there are in a batch, unless there are none behind the last. */
    static final int BATCH = 16;

    private final Kind reads;
    private final Kind writes;
    private final int passedOverMax;
    private final int batchMax;
    private long sequences;

    /** Of which kind the batch is; null before the first. */
    private Kind current;

    private int batched;

    /** How many batches of reads have begun since the last of writes, while writes waited. */
    private int passedOver;

    /** Reads, or writes. */
    private static final class Kind {
        private final PieceTree sorted = new PieceTree();
        private final long expiryNanos;
        private Piece oldest;
        private Piece newest;

        /** The end of the last that was given out. */
        private long position;

        Kind(long expiryNanos) {
            this.expiryNanos = expiryNanos;
        }

        void add(Piece piece) {
            sorted.add(piece);
            piece.previous = newest;
            if (newest == null) {
                oldest = piece;
            } else {
                newest.next = piece;
            }
            newest = piece;
        }

        Piece behindTheLast() {
            return sorted.firstFrom(position);
        }

        /** With which a batch begins; there is one. */
        Piece start(long now) {
            Piece behind = now - oldest.arrivalNanos >= expiryNanos ? null : behindTheLast();
            return behind == null ? oldest : behind;
        }

        void remove(Piece piece) {
            sorted.remove(piece);
            if (piece.previous == null) {
                oldest = piece.next;
            } else {
                piece.previous.next = piece.next;
            }
            if (piece.next == null) {
                newest = piece.previous;
            } else {
                piece.next.previous = piece.previous;
            }
            piece.next = null;
            piece.previous = null;
            position = piece.lower.end();
        }
    }

    DeadlineScheduler() {
        this(READ_EXPIRY_NANOS, WRITE_EXPIRY_NANOS, WRITES_PASSED_OVER, BATCH);
    }

    /** One with other numbers. */
    DeadlineScheduler(long readExpiryNanos, long writeExpiryNanos, int passedOverMax, int batchMax) {
        reads = new Kind(readExpiryNanos);
        writes = new Kind(writeExpiryNanos);
        this.passedOverMax = passedOverMax;
        this.batchMax = batchMax;
    }

    @Override
    public void add(Piece piece, long now) {
        assert piece.next == null && piece.previous == null : "in a list already: " + piece;
        piece.arrivalNanos = now;
        piece.sequence = sequences++;
        (piece.lower.op() == Op.READ ? reads : writes).add(piece);
    }

    @Override
    public Piece next(long now) {
        Piece piece = current == null || batched == batchMax ? null : current.behindTheLast();
        if (piece == null) {
            if (isEmpty()) {
                return null;
            }
            current = choose();
            piece = current.start(now);
            batched = 0;
        }
        batched++;
        current.remove(piece);
        return piece;
    }

    /** Whose turn it is; there is one at least. */
    private Kind choose() {
        boolean readsWait = reads.oldest != null;
        boolean writesWait = writes.oldest != null;
        if (writesWait && (!readsWait || passedOver >= passedOverMax)) {
            passedOver = 0;
            return writes;
        }
        passedOver += writesWait ? 1 : 0;
        return reads;
    }

    @Override
    public boolean isEmpty() {
        return reads.oldest == null && writes.oldest == null;
    }
}
