package io.tenfold.cli;

import io.tenfold.base.Clock;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What the start-up cache is trained with: the launcher runs this once after a build, and the JVM keeps the classes that
 * it has loaded and linked.
 */
final class Training {
    private Training() {}

    /** Runs what is run often. */
    public static void main(String[] args) {
        Console nowhere = new Console(
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
                false,
                Clock.system());
        Main.run(nowhere, "--version");
        Main.run(nowhere, "--help");
    }
}
