/** The only native code: io_uring, files and block devices, CPUs. */
module io.tenfold.linux {
    requires transitive io.tenfold.block;

    exports io.tenfold.linux;
}
