package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StepProgressTest {
    @Test
    void pipeGetsALineAtTheBeginningAndOneEveryTenSeconds() {
        CapturedConsole captured = new CapturedConsole();
        try (StepProgress progress = new StepProgress(captured.console, "lab tags")) {
            progress.at(0, 40);
            captured.passMillis(5_000);
            progress.at(4, 40);
            captured.passMillis(5_000);
            progress.at(10, 40);
            progress.at(11, 40);
        }
        assertThat(captured.err()).isEqualToNormalizingNewlines("""
                tenfold: lab tags   0 %, 0 of 40 runs
                tenfold: lab tags  25 %, 10 of 40 runs, 30 s left
                """);
    }

    @Test
    void terminalGetsOneLineThatIsWipedAtTheEnd() {
        CapturedConsole captured = new CapturedConsole(true);
        try (StepProgress progress = new StepProgress(captured.console, "lab")) {
            progress.at(0, 2);
            captured.passMillis(1_000);
            progress.at(1, 2);
        }
        String line = "tenfold: lab  50 %, 1 of 2 runs, 1 s left";
        assertThat(captured.err())
                .isEqualTo("\rtenfold: lab   0 %, 0 of 2 runs\r" + line + "\r" + " ".repeat(line.length()) + "\r");
    }
}
