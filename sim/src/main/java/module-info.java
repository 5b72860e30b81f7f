/** A simulated machine: virtual time, disks that lose power. */
module io.tenfold.sim {
    requires transitive io.tenfold.block;

    exports io.tenfold.sim;
}
