package io.tenfold.cli;

import java.util.Locale;

/**
 * Shows how far a long piece of work has come, with its rate and the time left: one changing line on a terminal, a plain
 * line now and then elsewhere, or JSON objects, all on standard error.
 *
 * <p>Threads: one.
 */
final class Progress implements AutoCloseable {
    private static final long TERMINAL_NANOS = 200_000_000;
    private static final long LINES_NANOS = 10_000_000_000L;

    private final Console console;
    private final String activity;
    private final long totalBytes;
    private final boolean json;
    private final long startNanos;
    private long shownNanos;
    private long doneBytes;
    private int drawn;

    /**
     * Begins a piece of work; shows nothing yet.
     *
     * @param activity what is being done, as a word: {@code copy}, {@code resync}
     * @param totalBytes how much there is to do
     * @param json show JSON objects, one on a line
     */
    Progress(Console console, String activity, long totalBytes, boolean json) {
        this.console = console;
        this.activity = activity;
        this.totalBytes = totalBytes;
        this.json = json;
        startNanos = console.clock().nanos();
        shownNanos = startNanos;
    }

    /** So much is done. Shows it if it is time to; cheap otherwise. */
    void at(long bytes) {
        doneBytes = bytes;
        long now = console.clock().nanos();
        if (now - shownNanos >= (console.terminal() ? TERMINAL_NANOS : LINES_NANOS)) {
            shownNanos = now;
            show(now);
        }
    }

    private void show(long now) {
        if (json) {
            Json.print(
                    console.err(),
                    Json.object(
                            "activity", activity,
                            "done", doneBytes,
                            "total", totalBytes,
                            "bytesPerSecond", bytesPerSecond(now),
                            "secondsLeft", secondsLeft(now)));
        } else if (console.terminal()) {
            String line = line(now);
            console.err().print("\r" + line + " ".repeat(Math.max(0, drawn - line.length())));
            console.err().flush();
            drawn = line.length();
        } else {
            console.err().println(line(now));
        }
    }

    private String line(long now) {
        long rate = bytesPerSecond(now);
        String left = rate == 0 ? "" : ", " + duration(secondsLeft(now)) + " left";
        return String.format(
                Locale.ROOT,
                "tenfold: %s %3d %%, %s of %s, %s/s%s",
                activity,
                totalBytes == 0 ? 100 : percent(),
                Size.rounded(doneBytes),
                Size.rounded(totalBytes),
                Size.rounded(rate),
                left);
    }

    private long percent() {
        return (long) (doneBytes / (double) totalBytes * 100);
    }

    private long bytesPerSecond(long now) {
        return (long) (doneBytes / (Math.max(1, now - startNanos) / 1e9));
    }

    private long secondsLeft(long now) {
        long rate = bytesPerSecond(now);
        return rate == 0 ? -1 : (totalBytes - doneBytes + rate - 1) / rate;
    }

    /** {@code 45 s}, {@code 3 min 05 s}, {@code 2 h 10 min}. */
    static String duration(long seconds) {
        if (seconds < 60) {
            return seconds + " s";
        }
        return seconds < 3600
                ? String.format(Locale.ROOT, "%d min %02d s", seconds / 60, seconds % 60)
                : String.format(Locale.ROOT, "%d h %02d min", seconds / 3600, seconds / 60 % 60);
    }

    /** The mean rate so far, for the last word on it. */
    String rate() {
        return Size.rounded(bytesPerSecond(console.clock().nanos())) + "/s";
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
