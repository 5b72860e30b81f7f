package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page of commands says what the commands say of themselves. */
class CommandsDocTest {
    @Test
    void everyCommandsHelpStandsInThePageWordForWord() throws IOException {
        String page = Files.readString(Repository.root().resolve("docs/commands.md"));
        List<String> commands = new ArrayList<>(List.of(""));
        commands.addAll(
                Main.commandLine(new CapturedConsole().console).getSubcommands().keySet());
        assertThat(commands).contains("up", "create", "examine", "detail", "serve", "copy");
        for (String command : commands) {
            CapturedConsole captured = new CapturedConsole();
            int exitCode = command.isEmpty() ? captured.run("--help") : captured.run(command, "--help");
            assertThat(exitCode).isZero();
            assertThat(page)
                    .as("docs/commands.md, command=%s", command)
                    .contains(captured.out().strip());
        }
    }
}
