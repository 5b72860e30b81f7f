/** The multi-queue layer in front of a device. */
module io.tenfold.queue {
    requires transitive io.tenfold.block;

    exports io.tenfold.queue;
}
