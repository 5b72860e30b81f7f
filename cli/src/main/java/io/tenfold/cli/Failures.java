package io.tenfold.cli;

import io.tenfold.raid.Refusal;
import io.tenfold.raid.RefusedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns what was thrown into what a user reads, and into an exit code. Never a stack trace, unless he asked for it. */
final class Failures {
    /** Set to anything but 0: stack traces are shown. */
    static final String DEBUG = "TENFOLD_DEBUG";

    private Failures() {}

    /** A command line that cannot be understood. */
    static int usage(Console console, ParameterException e) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName();
        CommandFailure failure =
                CommandFailure.usage(decapitalized(e.getMessage().strip()));
        if (e instanceof UnmatchedArgumentException unmatched) {
            unmatched.getSuggestions().stream()
                    .findFirst()
                    .ifPresent(name -> failure.hint("did you mean " + name + "?"));
        }
        return show(console, failure.hint(command + " --help"));
    }

    /** What a command threw. */
    static int report(Console console, Exception e) {
        if (debugging()) {
            e.printStackTrace(console.err());
        }
        return switch (e) {
            case CommandFailure failure -> show(console, failure);
            case IOException failure -> show(console, CommandFailure.failed(words(failure), failure));
            case UncheckedIOException failure ->
                show(console, CommandFailure.failed(words(failure.getCause()), failure));
            default -> show(console, internal(e));
        };
    }

    /** What an I/O failure of a file says, without Java's class names. */
    static String words(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "no such file: path=" + missing.getFile();
            case AccessDeniedException denied -> "permission denied: path=" + denied.getFile();
            case FileSystemException other
            when other.getReason() != null -> decapitalized(other.getReason()) + ": path=" + other.getFile();
            default ->
                e.getMessage() == null ? "I/O failed: kind=" + e.getClass().getSimpleName() : e.getMessage();
        };
    }

    /** Makes the volume's refusals this program's. */
    static <T> T orRefuse(Refusable<T> action) throws CommandFailure {
        try {
            return action.run();
        } catch (RefusedException e) {
            throw refusal(e.refusal());
        }
    }

    /** The volume's refusal in this program's form. */
    static CommandFailure refusal(Refusal refusal) {
        CommandFailure failure = CommandFailure.refused(refusal.message());
        if (!refusal.detail().isEmpty()) {
            failure.detail(refusal.detail());
        }
        refusal.hints().forEach(failure::hint);
        return failure;
    }

    /** Something that may be refused. */
    @FunctionalInterface
    interface Refusable<T> {
        T run() throws RefusedException;
    }

    private static CommandFailure internal(Exception e) {
        CommandFailure failure = CommandFailure.failed(
                "internal error, please report it: kind=" + e.getClass().getSimpleName() + ", message="
                        + e.getMessage(),
                e);
        try {
            Path report = Files.createTempFile("tenfold-error-", ".txt");
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            Files.writeString(report, trace.toString());
            return failure.detail("report=" + report);
        } catch (IOException _) {
            return failure.hint(DEBUG + "=1 shows where it happened");
        }
    }

    private static int show(Console console, CommandFailure failure) {
        console.out().flush();
        failure.lines().forEach(console.err()::println);
        return failure.exitCode();
    }

    private static boolean debugging() {
        String value = System.getenv(DEBUG);
        return value != null && !value.isEmpty() && !value.equals("0");
    }

    private static String decapitalized(String text) {
        // A name or an abbreviation stays as it is.
        return text.length() > 1 && Character.isUpperCase(text.charAt(0)) && Character.isLowerCase(text.charAt(1))
                ? Character.toLowerCase(text.charAt(0)) + text.substring(1)
                : text;
    }
}
