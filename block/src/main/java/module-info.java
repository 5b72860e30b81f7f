/** The contract between everything that offers blocks and everything that uses them. */
module io.tenfold.block {
    requires transitive io.tenfold.base;

    exports io.tenfold.block;
}
