/** The experiments: designs beside those that they replaced, under the same load. */
module io.tenfold.lab {
    requires io.tenfold.queue;
    requires io.tenfold.raid;
    requires io.tenfold.sim;

    exports io.tenfold.lab;
}
