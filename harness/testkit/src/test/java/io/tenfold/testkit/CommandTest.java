package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CommandTest {
    @TempDir
    Path dir;

    @Test
    void givesExitCodeAndBothOutputs() {
        Command.Result result =
                Command.of("sh", "-c", "echo out; echo err >&2; exit 3").run();
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.out()).isEqualTo("out\n");
        assertThat(result.err()).isEqualTo("err\n");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(result::succeeded)
                .withMessageStartingWith("wrong exit code: expected=0, actual=3")
                .withMessageContaining("err\n");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> Command.of("true").run().failed());
    }

    @Test
    void runsWhereAndWithWhatItIsTold() throws IOException {
        Path input = Files.writeString(dir.resolve("input"), "from a file\n");
        Path output = dir.resolve("output");
        Command.of("sh", "-c", "cat; pwd; echo $GREETING")
                .in(dir)
                .withVariable("GREETING", "hello")
                .from(input)
                .to(output)
                .run()
                .succeeded();
        assertThat(output).hasContent("from a file\n" + dir.toRealPath() + "\nhello\n");
    }

    @Test
    void whatDoesNotEndIsKilledWithAllThatItStarted() {
        Path pid = dir.resolve("pid");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> Command.of("sh", "-c", "sleep 1000 & echo $! >" + pid + "; wait")
                        .within(Duration.ofSeconds(1))
                        .run())
                .withMessageStartingWith("did not end: seconds=1");
        assertThat(pid).isNotEmptyFile();
        assertThat(Files.exists(pid)).isTrue();
        long child = Long.parseLong(readLine(pid));
        ProcessHandle.of(child).ifPresent(handle -> assertThat(handle.onExit()).succeedsWithin(Duration.ofSeconds(10)));
    }

    private static String readLine(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
