package io.tenfold.system;

import io.tenfold.testkit.Command;
import io.tenfold.testkit.NbdClient;
import io.tenfold.testkit.Repository;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The program, run as a user would: {@code ./tenfold} of this repository. A value is one server that runs; closing it
 * kills it.
 */
final class Tenfold implements AutoCloseable {
    private static final Path PROGRAM = Repository.root().resolve("tenfold");
    private static final Duration FIRST_START = Duration.ofMinutes(10);
    private static final Duration READY = Duration.ofMinutes(1);
    private static final Pattern ADDRESS = Pattern.compile("nbd(\\+unix)?://\\S+");
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Command::endAll)));
        // Builds the program if that is still to be done, so that no test's time goes into it.
        Command.of(PROGRAM, "--version").within(FIRST_START).run().succeeded();
    }

    private final Process process;
    private final Path out;
    private final Path err;
    private URI address;

    private Tenfold(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** A command, to be run to its end. */
    static Command command(Object... arguments) {
        return Command.of(PROGRAM).with(arguments);
    }

    /** A command, run to its end; how it ended is the caller's to judge. */
    static Command.Result run(Object... arguments) {
        return command(arguments).run();
    }

    /** Starts a command that serves, and waits until it says where. Its output goes to files in {@code logs}. */
    static Tenfold start(Path logs, Object... arguments) throws IOException, InterruptedException {
        return start(logs, command(arguments));
    }

    /** Starts a command that serves, and waits until it says where. Its output goes to files in {@code logs}. */
    static Tenfold start(Path logs, Command command) throws IOException, InterruptedException {
        Files.createDirectories(logs);
        Path out = Files.createTempFile(logs, "tenfold", ".out");
        Path err = Files.createTempFile(logs, "tenfold", ".err");
        Process process = command.start(out, err);
        RUNNING.add(process);
        Tenfold server = new Tenfold(process, out, err);
        try {
            server.awaitReady();
            return server;
        } catch (Throwable e) {
            server.close();
            throw e;
        }
    }

    private void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + READY.toNanos();
        while (System.nanoTime() < deadline) {
            Matcher found = ADDRESS.matcher(Files.readString(out));
            if (found.find() && Files.readString(out).endsWith("\n")) {
                address = URI.create(found.group());
                return;
            }
            if (process.waitFor(10, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("ended before it served: exit code=" + process.exitValue() + "\n" + output());
            }
        }
        throw new AssertionError("not ready: seconds=" + READY.toSeconds() + "\n" + output());
    }

    /** Where it serves, as it says itself. */
    URI address() {
        return address;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** A connection to the array it serves. */
    NbdClient connect() throws IOException {
        return NbdClient.connect(address);
    }

    /** All that it has said so far, on both outputs. */
    String output() throws IOException {
        return Files.readString(out) + Files.readString(err);
    }

    /** Waits until it has said something that the text is part of. */
    void awaitOutput(String text) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + READY.toNanos();
        while (!output().contains(text)) {
            if (System.nanoTime() > deadline || process.waitFor(10, TimeUnit.MILLISECONDS)) {
                if (output().contains(text)) {
                    return;
                }
                throw new AssertionError("never said: text=" + text + "\n" + output());
            }
        }
    }

    /** As {@code kill -9} does. Returns when it is gone. */
    void kill() throws InterruptedException {
        Command.endAll(process);
        process.waitFor();
    }

    /** Asks it to end, as {@code kill} and Ctrl-C do, and waits until it has; its exit code. */
    int stop() throws InterruptedException, IOException {
        process.destroy();
        if (!process.waitFor(READY.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("did not stop: seconds=" + READY.toSeconds() + "\n" + output());
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        Command.endAll(process);
        RUNNING.remove(process);
    }
}
