package io.tenfold.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A program that is run to its end, within a time, as a user would from a shell.
 *
 * <p>Immutable; each {@code with…} gives a changed copy. Whatever the program started is ended with it.
 */
public final class Command {
    private static final Duration USUAL = Duration.ofMinutes(2);

    private final List<String> words;
    private final Map<String, String> environment;
    private final Path directory;
    private final Path input;
    private final Path output;
    private final Duration within;

    private Command(
            List<String> words,
            Map<String, String> environment,
            Path directory,
            Path input,
            Path output,
            Duration within) {
        this.words = words;
        this.environment = environment;
        this.directory = directory;
        this.input = input;
        this.output = output;
        this.within = within;
    }

    /** The program and its arguments, each as it is: no shell looks at them. Paths and numbers may be given as they are. */
    public static Command of(Object... words) {
        List<String> texts = new ArrayList<>();
        for (Object word : words) {
            texts.add(word.toString());
        }
        return new Command(List.copyOf(texts), Map.of(), null, null, null, USUAL);
    }

    /** With more arguments behind those there are. */
    public Command with(Object... more) {
        List<String> all = new ArrayList<>(words);
        for (Object word : more) {
            all.add(word.toString());
        }
        return new Command(List.copyOf(all), environment, directory, input, output, within);
    }

    /** In that directory rather than the test's own. */
    public Command in(Path newDirectory) {
        return new Command(words, environment, newDirectory, input, output, within);
    }

    /** With one more variable in its environment. */
    public Command withVariable(String name, String value) {
        Map<String, String> all = new LinkedHashMap<>(environment);
        all.put(name, value);
        return new Command(words, Map.copyOf(all), directory, input, output, within);
    }

    /** With the file as its standard input; otherwise that is empty. */
    public Command from(Path file) {
        return new Command(words, environment, directory, file, output, within);
    }

    /** With its standard output in the file; otherwise {@link Result#out()} holds it. */
    public Command to(Path file) {
        return new Command(words, environment, directory, input, file, within);
    }

    /** Killed, and the test failed, after that time rather than two minutes. */
    public Command within(Duration limit) {
        return new Command(words, environment, directory, input, output, limit);
    }

    /** Runs it to its end. An exit code other than zero is the caller's to judge. */
    public Result run() {
        try {
            Path out = output != null ? output : Files.createTempFile("command", ".out");
            Path err = Files.createTempFile("command", ".err");
            try {
                Process process = start(out, err);
                boolean ended = false;
                try {
                    ended = process.waitFor(within.toNanos(), TimeUnit.NANOSECONDS);
                } finally {
                    endAll(process);
                }
                Result result = new Result(
                        String.join(" ", words),
                        process.waitFor(),
                        output == null ? Files.readString(out) : "",
                        Files.readString(err));
                if (!ended) {
                    throw new AssertionError("did not end: seconds=" + within.toSeconds() + "\n" + result);
                }
                return result;
            } finally {
                Files.delete(err);
                if (output == null) {
                    Files.delete(out);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run: command=" + String.join(" ", words), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("the test's time ran out: command=" + String.join(" ", words), e);
        }
    }

    /** Starts it and returns at once; its output goes to the two files. The caller ends it with {@link #endAll}. */
    public Process start(Path out, Path err) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectInput(input != null ? input.toFile() : new File("/dev/null"))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        if (directory != null) {
            builder.directory(directory.toFile());
        }
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Kills the process and all that it started, at once. Does nothing to one that has ended. */
    public static void endAll(Process process) {
        List<ProcessHandle> started = process.descendants().toList();
        process.destroyForcibly();
        started.forEach(ProcessHandle::destroyForcibly);
    }

    /** How it ended, and what it said. */
    public record Result(String command, int exitCode, String out, String err) {
        /** Fails the test, with all that the program said, unless it succeeded. */
        public Result succeeded() {
            return exited(0);
        }

        /** Fails the test, with all that the program said, unless it ended with that code. */
        public Result exited(int expected) {
            if (exitCode != expected) {
                throw new AssertionError(
                        "wrong exit code: expected=" + expected + ", actual=" + exitCode + "\n" + this);
            }
            return this;
        }

        /** Fails the test unless the program ended with a code other than zero. */
        public Result failed() {
            if (exitCode == 0) {
                throw new AssertionError("should have failed\n" + this);
            }
            return this;
        }

        /** Both outputs, first the standard one. */
        public String all() {
            return out + err;
        }

        @Override
        public String toString() {
            return "$ " + command + "\nexit code " + exitCode + "\n--- standard output\n" + out + "--- standard error\n"
                    + err;
        }
    }
}
