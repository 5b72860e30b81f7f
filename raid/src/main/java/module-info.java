/** RAID10 as Linux md does it. */
module io.tenfold.raid {
    requires transitive io.tenfold.block;

    exports io.tenfold.raid;
}
