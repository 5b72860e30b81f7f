package io.tenfold.cli;

/** What the program's exit status says. Stands in {@code --help} and in docs/commands.md. */
final class ExitCode {
    /** Done, all of it. */
    static final int OK = 0;

    /** Something failed on the way, or only a part could be done. */
    static final int FAILED = 1;

    /** The command line is wrong; nothing was touched. */
    static final int USAGE = 2;

    /** What was asked for would not be safe, or the members do not make an array; nothing was written. */
    static final int REFUSED = 3;

    /** An experiment does not reach a figure that was promised. */
    static final int BAR_MISSED = 3;

    private ExitCode() {}
}
