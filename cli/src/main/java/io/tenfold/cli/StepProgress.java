package io.tenfold.cli;

import java.util.Locale;

/**
 * Shows how many of many runs are done, and the time left: one changing line on a terminal, a plain line at the beginning and
 * now and then elsewhere, on standard error.
 *
 * <p>Threads: one.
 */
final class StepProgress implements AutoCloseable {
    private static final long LINES_NANOS = 10_000_000_000L;

    private final Console console;
    private final String activity;
    private final long startNanos;
    private long shownNanos = Long.MIN_VALUE;
    private int drawn;

    /** Begins a piece of work; shows nothing yet. */
    StepProgress(Console console, String activity) {
        this.console = console;
        this.activity = activity;
        startNanos = console.clock().nanos();
    }

    /** So many of so many are done. */
    void at(int done, int of) {
        long now = console.clock().nanos();
        if (console.terminal()) {
            String line = line(now, done, of);
            console.err().print("\r" + line + " ".repeat(Math.max(0, drawn - line.length())));
            console.err().flush();
            drawn = line.length();
        } else if (shownNanos == Long.MIN_VALUE || now - shownNanos >= LINES_NANOS) {
            shownNanos = now;
            console.err().println(line(now, done, of));
        }
    }

    private String line(long now, int done, int of) {
        String text = String.format(
                Locale.ROOT, "tenfold: %s %3d %%, %d of %d runs", activity, of == 0 ? 100 : done * 100L / of, done, of);
        if (done == 0) {
            return text;
        }
        long left = (now - startNanos) / done * (of - done);
        return text + ", " + Progress.duration((left + 999_999_999) / 1_000_000_000) + " left";
    }

    /** Ends the work, done or not: what is said next begins on a line of its own. */
    @Override
    public void close() {
        if (drawn > 0) {
            console.err().print("\r" + " ".repeat(drawn) + "\r");
            console.err().flush();
            drawn = 0;
        }
    }
}
