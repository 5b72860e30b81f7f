package io.tenfold.cli;

import io.tenfold.base.Clock;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;

/** A console whose words a test can read, and whose clock it sets. */
final class CapturedConsole {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private long nanos;

    /** How the test stops a server. */
    final Termination termination = new Termination(() -> {});

    /** The console, for the command. */
    final Console console;

    CapturedConsole(boolean terminal) {
        Clock clock = new Clock() {
            @Override
            public long nanos() {
                return nanos;
            }

            @Override
            public long epochMicros() {
                return nanos / 1000;
            }
        };
        console = new Console(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                terminal,
                clock,
                Channels.newChannel(out),
                () -> termination);
    }

    CapturedConsole() {
        this(false);
    }

    /** Runs a command and answers its exit code. */
    int run(String... args) {
        return Main.run(console, args);
    }

    /** Moves the clock. */
    void passMillis(long millis) {
        nanos += millis * 1_000_000;
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
