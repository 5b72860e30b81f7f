package io.tenfold.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Pieces on their way from any threads to one, which takes all that have come. Nothing is allocated. */
final class PieceInbox {
    /*
     * State. top: the last that came, from which Piece.next leads to those before it; null if there is none.
     * Invariants
     *   I1  A piece that was pushed is taken once. The taker empties the stack in one step, so a piece that is above `seen`
     *       in the pusher's look cannot leave and come back beneath it: there is no ABA.
     *   I2  If a push answers true the taker may sleep, and is to be woken; if it answers false, the push that found the
     *       stack empty wakes him after this piece had come, or he has not taken yet.
     * Order. The pusher's CAS releases what he wrote to the piece; the taker's exchange acquires it, from all pushers, as each
     *   CAS reads the one before it (a release sequence). Both are volatile mode, as the look that a sleeper takes comes
     *   after his waiter's own (see Waiter: what was written before wake is visible after park). Pinned by PieceInboxStress.
     * Progress. push is lock-free, take is wait-free.
     */
    private static final VarHandle TOP;

    static {
        try {
            TOP = MethodHandles.lookup().findVarHandle(PieceInbox.class, "top", Piece.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // By TOP.
    private volatile Piece top;

    /**
     * Any thread: adds all of a chain, which is empty afterwards and whose order is kept.
     *
     * @return whether nothing was there, so that the taker must be woken
     */
    boolean push(PieceChain chain) {
        Piece newest = chain.newest();
        Piece oldest = chain.oldest();
        chain.clear();
        Piece seen = (Piece) TOP.getVolatile(this);
        while (true) {
            oldest.next = seen;
            Piece witness = (Piece) TOP.compareAndExchange(this, seen, newest);
            if (witness == seen) {
                return seen == null;
            }
            seen = witness;
        }
    }

    /** The taker: all that has come, linked by {@link Piece#next}, first come first; or null. */
    Piece take() {
        if (top == null) {
            return null;
        }
        Piece newest = (Piece) TOP.getAndSet(this, null);
        Piece oldest = null;
        while (newest != null) {
            Piece before = newest.next;
            newest.next = oldest;
            oldest = newest;
            newest = before;
        }
        return oldest;
    }
}
