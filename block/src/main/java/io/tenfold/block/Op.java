package io.tenfold.block;

/** What a request asks for. */
public enum Op {
    /** Fill the request's memory from the device. */
    READ,
    /** Take the request's memory to the device. */
    WRITE,
    /**
     * Make stable all that was completed before this was submitted, on any channel of the device. Offset and length are 0.
     */
    FLUSH,
    /**
     * The range's content is no longer wanted; later reads of it may return anything, though always the same until it
     * is written. No memory.
     */
    DISCARD,
    /** The range reads as zeroes afterwards. No memory. */
    WRITE_ZEROES;

    /** Whether this changes what the device holds. */
    public boolean changes() {
        return switch (this) {
            case WRITE, DISCARD, WRITE_ZEROES -> true;
            case READ, FLUSH -> false;
        };
    }

    /** Whether a request of this kind carries memory. */
    public boolean carriesData() {
        return this == READ || this == WRITE;
    }
}
