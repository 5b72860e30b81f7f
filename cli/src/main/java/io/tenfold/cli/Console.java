package io.tenfold.cli;

import io.tenfold.base.Clock;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * Where a command speaks: results on {@code out}, everything else on {@code err}.
 *
 * @param out results alone, so that they may be piped
 * @param err messages and progress
 * @param terminal a person looks at {@code err}: a line there may be drawn over
 * @param clock paces progress and dates messages
 * @param data the same as {@code out}, for bytes that are no text
 * @param termination how its user says that a server is to stop; asked for by a command that serves
 */
record Console(
        PrintStream out,
        PrintStream err,
        boolean terminal,
        Clock clock,
        WritableByteChannel data,
        Supplier<Termination> termination) {
    /** Set by the launcher, which is better at finding out: standard error is a terminal. */
    private static final String TERMINAL = "io.tenfold.terminal";

    /** The process's own streams. Standard output is buffered: it is flushed when the command ends. */
    static Console ofProcess() {
        PrintStream out = stream(new FileOutputStream(FileDescriptor.out), false);
        PrintStream err = stream(new FileOutputStream(FileDescriptor.err), true);
        return new Console(
                out,
                err,
                Boolean.getBoolean(TERMINAL),
                Clock.system(),
                new FileOutputStream(FileDescriptor.out).getChannel(),
                Termination::bySignals);
    }

    private static PrintStream stream(OutputStream to, boolean autoFlush) {
        return new PrintStream(to, autoFlush, StandardCharsets.UTF_8);
    }

    /** Says something to the person who runs this. */
    void say(String text) {
        err.println("tenfold: " + text);
    }
}
