package io.tenfold.queue;

import io.tenfold.block.Request;
import java.util.function.Consumer;

/**
 * What the device gets as one request: a whole request, several adjacent ones, or a part of one.
 *
 * <p>Each tag has one piece for life, whose tag is its place in the queue's table; flushes, which need no tag, have pieces
 * of their own.
 *
 * <p>Threads: whoever holds it. It passes from its submitter to the owner of the hardware queue and back.
 */
final class Piece {
    /** Of a piece that carries a flush. */
    static final int NO_TAG = Tags.NONE;

    final int tag;

    /** What goes to the device. Its operation, offset and length are the piece's. */
    final Request lower;

    /** What it is a piece of, while it is under way. */
    Bundle bundle;

    /** How often it has been sent again. */
    int retries;

    /** When the device got it, by the owner's clock; only where there are time-outs. */
    long sentNanos;

    /** Whether the device took longer than it may. */
    boolean late;

    /** When its scheduler got it, by the clock of the hardware queue's owner; only if its queue needs the time. */
    long arrivalNanos;

    /** The next in whatever list it is in: it is in one at most. */
    Piece next;

    /** The one before it, in lists that are linked both ways. */
    Piece previous;

    /** Its place in a scheduler's tree, if it has one. */
    Piece left;

    /** The same. */
    Piece right;

    /** The scheduler's: which came first. */
    long sequence;

    /**
     * A piece for a tag.
     *
     * @param ended told each time that the device has ended it
     */
    Piece(int tag, Consumer<Piece> ended) {
        this.tag = tag;
        lower = new Request(_ -> ended.accept(this));
    }

    @Override
    public String toString() {
        return "tag=" + tag + " " + lower;
    }
}
