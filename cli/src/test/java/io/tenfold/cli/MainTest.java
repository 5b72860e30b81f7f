package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MainTest {
    private final CapturedConsole captured = new CapturedConsole();

    @Test
    void versionIsOneLine() {
        assertThat(captured.run("--version")).isEqualTo(ExitCode.OK);
        assertThat(captured.out()).matches("tenfold \\d+\\.\\d+\\.\\d+\\S*\\R");
    }

    @Test
    void helpNamesTheExitCodes() {
        assertThat(captured.run("--help")).isEqualTo(ExitCode.OK);
        assertThat(captured.out()).contains("Exit status:", "3   refused");
    }

    @Test
    void noCommandShowsTheHelpAndIsAUsageError() {
        assertThat(captured.run()).isEqualTo(ExitCode.USAGE);
        assertThat(captured.out()).isEmpty();
        assertThat(captured.err()).startsWith("Usage: tenfold");
    }

    @Test
    void unknownOptionIsNamed() {
        assertThat(captured.run("--wrong")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.err()).isEqualToNormalizingNewlines("""
                tenfold: unknown option: '--wrong'
                  hint: tenfold --help
                """);
    }

    @Test
    void failureShowsItsDetailsAndHints() {
        int exitCode = Failures.report(
                captured.console,
                CommandFailure.refused("too few members: have=1, need=2")
                        .detail("missing slots=1")
                        .hint("find it"));
        assertThat(exitCode).isEqualTo(ExitCode.REFUSED);
        assertThat(captured.err()).isEqualToNormalizingNewlines("""
                tenfold: too few members: have=1, need=2
                  detail: missing slots=1
                  hint: find it
                """);
    }

    @Test
    void failuresOfFilesAreSaidInWords() {
        assertThat(Failures.words(new NoSuchFileException("a"))).isEqualTo("no such file: path=a");
        assertThat(Failures.words(new AccessDeniedException("a"))).isEqualTo("permission denied: path=a");
        assertThat(Failures.words(new FileSystemException("a", null, "Is a directory")))
                .isEqualTo("is a directory: path=a");
        assertThat(Failures.words(new IOException())).isEqualTo("I/O failed: kind=IOException");
    }

    @Test
    void unexpectedExceptionIsOneLineAndItsTraceIsInAFile() throws IOException {
        assertThat(Failures.report(captured.console, new IllegalStateException("x=1")))
                .isEqualTo(ExitCode.FAILED);
        String[] lines = captured.err().lines().toArray(String[]::new);
        assertThat(lines).hasSize(2);
        assertThat(lines[0])
                .isEqualTo("tenfold: internal error, please report it: kind=IllegalStateException, message=x=1");
        Path report = Path.of(lines[1].substring("  detail: report=".length()));
        assertThat(report).content().contains("unexpectedExceptionIsOneLine");
        Files.delete(report);
    }
}
