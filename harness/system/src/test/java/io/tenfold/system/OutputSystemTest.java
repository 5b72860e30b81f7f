package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.Command;
import io.tenfold.testkit.Corpus;
import io.tenfold.testkit.Repository;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where results may go: pipes and devices take them, and what cannot be written is never called done. */
@Timeout(120)
class OutputSystemTest {
    @TempDir
    Path dir;

    private String members() throws IOException {
        return Corpus.open().unpack("near2-2", dir).stream()
                .map(member -> "'" + member + "'")
                .collect(Collectors.joining(" "));
    }

    private Command.Result shell(String line) throws IOException {
        Path program = Repository.root().resolve("tenfold");
        String script =
                "set -o pipefail; tenfold() { '" + program + "' \"$@\"; }; " + line.replace("MEMBERS", members());
        return Command.of("bash", "-c", script).in(dir).run();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tenfold copy MEMBERS --to - | cat >copy",
                "tenfold copy MEMBERS --to - >copy",
                "mkfifo pipe; cat pipe >copy & tenfold copy MEMBERS --to pipe && wait",
            })
    void copyGoesIntoAPipeAsIntoAFile(String line) throws IOException {
        Command.Result result = shell(line + " && sha256sum <copy");
        assertThat(result.exitCode()).as("%s", result).isZero();
        String hash = result.out().lines().toList().getLast().substring(0, 64);
        assertThat(result.out() + result.err()).containsPattern("sha256 +" + hash);
    }

    @Test
    void copyGoesIntoADeviceThatTakesAnything() throws IOException {
        Command.Result result = shell("tenfold copy MEMBERS --to /dev/null");
        assertThat(result.exitCode()).as("%s", result).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tenfold examine MEMBERS >/dev/full",
                "tenfold examine --json MEMBERS >/dev/full",
                "tenfold detail MEMBERS >/dev/full",
                "tenfold copy MEMBERS --to - >/dev/full",
                "tenfold --help >/dev/full",
            })
    void outputThatCannotBeWrittenIsAFailure(String line) throws IOException {
        Command.Result result = shell(line);
        assertThat(result.exitCode()).as("%s", result).isEqualTo(1);
        assertThat(result.err()).contains("cannot write");
    }
}
