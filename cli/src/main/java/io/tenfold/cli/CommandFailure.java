package io.tenfold.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Why a command did not do what it was asked for, in the words that its user reads: one line of the form
 * <i>what is wrong: name=value</i>, then details and hints, each only if it helps.
 */
final class CommandFailure extends Exception {
    private static final long serialVersionUID = 1;

    private final int exitCode;
    private final transient List<String> details = new ArrayList<>();
    private final transient List<String> hints = new ArrayList<>();

    private CommandFailure(int exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** Something failed on the way. */
    static CommandFailure failed(String message) {
        return new CommandFailure(ExitCode.FAILED, message, null);
    }

    /** Something failed on the way, for a reason that was thrown. */
    static CommandFailure failed(String message, Throwable cause) {
        return new CommandFailure(ExitCode.FAILED, message, cause);
    }

    /** The command line is wrong. */
    static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message, null);
    }

    /** It would not be safe, or not possible with what is there. */
    static CommandFailure refused(String message) {
        return new CommandFailure(ExitCode.REFUSED, message, null);
    }

    /** Adds what else is known. */
    CommandFailure detail(String text) {
        details.add(text);
        return this;
    }

    /** Adds what the user may do about it. */
    CommandFailure hint(String text) {
        hints.add(text);
        return this;
    }

    int exitCode() {
        return exitCode;
    }

    /** What the user sees, line by line. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("tenfold: " + getMessage());
        details.forEach(detail -> lines.add("  detail: " + detail));
        hints.forEach(hint -> lines.add("  hint: " + hint));
        return lines;
    }
}
