package io.tenfold.raid;

/**
 * Cuts a range of the array into pieces, each of which lies in one run on each of its members.
 *
 * <p>A piece is a chunk or a part of one. Where the layout allows it ({@link Geometry#runStep}) it goes on in the chunk that
 * lies behind the first on the same members, and so on: one request to a member then carries what would be many.
 *
 * <p>Threads: one. Reused.
 */
final class PieceCursor {
    private Geometry geometry;
    private long to;
    private long lastChunk;
    private long step;
    private long nextLane;
    private long endLane;

    /** Where the next piece starts; {@code to}: there is none. */
    private long at;

    /** Starts over, for the array's bytes from {@code from} to before {@code to}, all in one geometry. */
    void start(Geometry geometry, long from, long to) {
        this.geometry = geometry;
        this.to = to;
        lastChunk = geometry.chunkOf(to - 1);
        step = geometry.runStep();
        long firstChunk = geometry.chunkOf(from);
        nextLane = firstChunk + 1;
        endLane = step == 0 ? lastChunk + 1 : Math.min(firstChunk + step, lastChunk + 1);
        at = from;
    }

    boolean hasNext() {
        return at < to;
    }

    /**
     * Fills in the next piece.
     *
     * @param bytesMax most bytes, a multiple of the block
     * @param chunksMax most chunks, above 0
     */
    void next(Piece piece, long bytesMax, int chunksMax) {
        long chunk = geometry.chunkOf(at);
        long end = Math.min(to, geometry.startOf(chunk + 1));
        long start = at;
        long length = Math.min(bytesMax, end - at);
        at += length;
        for (int chunks = 1; at == end; chunks++) {
            chunk += step;
            if (step == 0 || chunk > lastChunk) {
                at = nextLane < endLane ? geometry.startOf(nextLane++) : to;
                break;
            }
            at = geometry.startOf(chunk);
            end = Math.min(to, geometry.startOf(chunk + 1));
            if (chunks == chunksMax || length + (end - at) > bytesMax) {
                break;
            }
            length += end - at;
            at = end;
        }
        piece.place(geometry, step, start, length);
    }
}
