package io.tenfold.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A JVM of its own for one run of one design, so that no other design has shaped its compiled code or its heap: the same
 * java with the same modules as this process.
 */
final class ChildJvm {
    private ChildJvm() {}

    /** An argument that a child was given as milliseconds. */
    static long nanos(String millis) {
        return Long.parseLong(millis) * 1_000_000;
    }

    /**
     * Runs a main class of this package and waits for its end. If this thread is interrupted the child is ended.
     *
     * @return what it printed
     * @throws IOException if it could not be run, or failed; the message has the last line that it said of it
     */
    static String run(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Compiling in the background, beside more busy threads than processors, would last longer than the run.
        command.addAll(
                List.of("-XX:+UseSerialGC", "-XX:-BackgroundCompilation", "-XX:-UsePerfData", "-Xms64m", "-Xmx256m"));
        String modules = System.getProperty("jdk.module.path");
        if (main.getModule().isNamed() && modules != null) {
            command.addAll(List.of("--module-path", modules, "--module"));
            command.add(main.getModule().getName() + "/" + main.getName());
        } else {
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        }
        command.addAll(Arrays.asList(arguments));
        Path errors = Files.createTempFile("tenfold-lab-", ".err");
        try {
            return run(command, errors);
        } finally {
            Files.deleteIfExists(errors);
        }
    }

    private static String run(List<String> command, Path errors) throws IOException {
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        Thread killer = Thread.ofPlatform().unstarted(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(killer);
        try {
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exitCode = process.waitFor();
            if (exitCode != 0) {
                List<String> said = Files.readAllLines(errors);
                throw new IOException("a run failed: exitCode=" + exitCode + ", said="
                        + (said.isEmpty() ? "nothing" : said.getFirst()));
            }
            return output;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a run was under way");
        } finally {
            process.destroyForcibly();
            forget(killer);
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // This process ends: the hook does its work.
        }
    }
}
