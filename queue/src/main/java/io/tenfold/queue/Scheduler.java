package io.tenfold.queue;

/**
 * In which order the pieces of one hardware queue go to the device.
 *
 * <p>Threads: the owner of the hardware queue.
 */
interface Scheduler {
    /**
     * Takes a piece, linking it by {@link Piece#next}. Pieces of one request come one after the other.
     *
     * @param now the owner's clock in nanoseconds, which becomes the {@link Piece#arrivalNanos}; 0 always if neither the
     *     schedule nor a time-out needs it
     */
    void add(Piece piece, long now);

    /**
     * Gives the next piece out, or null if there is none. It is no longer linked.
     *
     * @param now as in {@link #add}
     */
    Piece next(long now);

    /** Whether there is none. */
    boolean isEmpty();
}
