/** The program: commands, configuration, threads, signals. */
module io.tenfold.cli {
    requires io.tenfold.block;
}
