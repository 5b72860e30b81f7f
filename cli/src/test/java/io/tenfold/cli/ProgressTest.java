package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTest {
    private static final long MIB = 1 << 20;

    @Test
    void outsideATerminalALineComesEveryTenSeconds() {
        CapturedConsole captured = new CapturedConsole();
        try (Progress progress = new Progress(captured.console, "copy", 1000 * MIB, false)) {
            for (int second = 1; second <= 20; second++) {
                captured.passMillis(1000);
                progress.at(10 * MIB * second);
            }
        }
        assertThat(captured.err()).isEqualToNormalizingNewlines("""
                tenfold: copy  10 %, 100 MiB of 1000 MiB, 10.0 MiB/s, 1 min 30 s left
                tenfold: copy  20 %, 200 MiB of 1000 MiB, 10.0 MiB/s, 1 min 20 s left
                """);
    }

    @Test
    void onATerminalOneLineIsDrawnOverAndWipedAtTheEnd() {
        CapturedConsole captured = new CapturedConsole(true);
        try (Progress progress = new Progress(captured.console, "copy", 4 * MIB, false)) {
            captured.passMillis(1000);
            progress.at(MIB);
            captured.passMillis(100);
            progress.at(2 * MIB);
            captured.passMillis(900);
            progress.at(4 * MIB);
        }
        String first = "tenfold: copy  25 %, 1.00 MiB of 4.00 MiB, 1.00 MiB/s, 3 s left";
        String last = "tenfold: copy 100 %, 4.00 MiB of 4.00 MiB, 2.00 MiB/s, 0 s left";
        assertThat(captured.err()).isEqualTo("\r" + first + "\r" + last + "\r" + " ".repeat(last.length()) + "\r");
    }

    @Test
    void asJsonEachLineIsAnObject() {
        CapturedConsole captured = new CapturedConsole();
        try (Progress progress = new Progress(captured.console, "resync", 100, true)) {
            captured.passMillis(10_000);
            progress.at(50);
        }
        assertThat(captured.err().strip())
                .isEqualTo(
                        "{\"activity\":\"resync\",\"done\":50,\"total\":100,\"bytesPerSecond\":5,\"secondsLeft\":10}");
    }

    @Test
    void nothingIsShownOfWorkThatIsSoonDone() {
        CapturedConsole captured = new CapturedConsole();
        try (Progress progress = new Progress(captured.console, "copy", 100, false)) {
            captured.passMillis(9_999);
            progress.at(100);
        }
        assertThat(captured.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0, 0 s", "59, 59 s", "60, 1 min 00 s", "185, 3 min 05 s", "3600, 1 h 00 min", "7800, 2 h 10 min"})
    void durationsAreReadable(long seconds, String text) {
        assertThat(Progress.duration(seconds)).isEqualTo(text);
    }
}
