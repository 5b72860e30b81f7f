package io.tenfold.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The option that every command has. */
@Command
final class HelpOption {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    boolean help;
}
