package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The page of commands says what the commands say of themselves. */
class CommandsDocTest {
    @Test
    void everyCommandsHelpStandsInThePageWordForWord() throws IOException {
        String page = Files.readString(Repository.root().resolve("docs/commands.md"));
        List<List<String>> commands = new ArrayList<>();
        collect(List.of(), Main.commandLine(new CapturedConsole().console), commands);
        assertThat(commands).contains(List.of("up"), List.of("create"), List.of("copy"), List.of("lab", "split"));
        for (List<String> command : commands) {
            CapturedConsole captured = new CapturedConsole();
            List<String> arguments = new ArrayList<>(command);
            arguments.add("--help");
            assertThat(captured.run(arguments.toArray(String[]::new))).isZero();
            assertThat(page)
                    .as("docs/commands.md, command=%s", command)
                    .contains(captured.out().strip());
        }
    }

    private static void collect(List<String> path, CommandLine command, List<List<String>> into) {
        into.add(path);
        command.getSubcommands().forEach((name, subcommand) -> {
            List<String> longer = new ArrayList<>(path);
            longer.add(name);
            collect(longer, subcommand, into);
        });
    }
}
