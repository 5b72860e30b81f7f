/** NBD, the network block device protocol. */
module io.tenfold.nbd {
    requires transitive io.tenfold.block;

    exports io.tenfold.nbd;
}
