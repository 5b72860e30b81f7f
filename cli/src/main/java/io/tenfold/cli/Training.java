package io.tenfold.cli;

import io.tenfold.base.Clock;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;

/**
 * What the start-up cache is trained with: the launcher runs this once after a build, and the JVM keeps the classes that
 * it has loaded and linked.
 */
final class Training {
    private Training() {}

    /** Runs what is run often. */
    public static void main(String[] args) {
        OutputStream nowhereAtAll = OutputStream.nullOutputStream();
        Console nowhere = new Console(
                new PrintStream(nowhereAtAll, false, StandardCharsets.UTF_8),
                new PrintStream(nowhereAtAll, false, StandardCharsets.UTF_8),
                false,
                Clock.system(),
                Channels.newChannel(nowhereAtAll),
                () -> new Termination(() -> {}));
        Main.run(nowhere, "--version");
        Main.run(nowhere, "--help");
    }
}
