/** The program: commands, configuration, threads, signals. */
module io.tenfold.cli {
    requires info.picocli;
    requires io.tenfold.block;
    requires io.tenfold.lab;
    requires io.tenfold.linux;
    requires io.tenfold.nbd;
    requires io.tenfold.raid;
    requires jdk.unsupported;
    requires tools.jackson.core;

    opens io.tenfold.cli to
            info.picocli;
}
