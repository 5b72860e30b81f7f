/** The seams: time, waiting, randomness, event loops, memory. Knows nothing of blocks. */
module io.tenfold.base {
    exports io.tenfold.base;
}
