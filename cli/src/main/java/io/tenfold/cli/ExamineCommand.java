package io.tenfold.cli;

import io.tenfold.base.Shard;
import io.tenfold.raid.ArrayReport;
import io.tenfold.raid.Examination;
import io.tenfold.raid.MemberReport;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What each member is, and what they add up to. */
@Command(
        name = "examine",
        header = "Say what files or devices are, and what arrays they add up to.",
        description = {
            "Each MEMBER is a file or a block device: a member of a Linux md array, or a disk or image with members in its"
                    + " partitions. Their order and names do not matter. Nothing is ever written to them.",
            "Exit status 0: every array found can be assembled, whole or degraded. 1: something could not be read. 3: no"
                    + " member was found, or an array cannot be assembled."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  tenfold examine /images/disk*.img", "  tenfold examine --json /dev/sd[b-e] | jq .arrays"})
final class ExamineCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    HelpOption help;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Parameters(arity = "1..*", paramLabel = "MEMBER", description = "Files or block devices, in any order.")
    private List<Path> paths;

    ExamineCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws CommandFailure {
        try (Members members = Members.open(paths, Members.Use.LOOK, console)) {
            Examination examination = Examination.of(members.devices(), Shard.ofCaller(0, console.clock()));
            if (json) {
                Json.print(console.out(), ReportJson.of(examination));
            } else {
                print(examination);
            }
            return members.unopened() > 0 ? ExitCode.FAILED : exitCode(examination);
        }
    }

    private void print(Examination examination) {
        for (MemberReport member : examination.members()) {
            MemberText.of(member).forEach(console.out()::println);
            console.out().println();
        }
        for (ArrayReport array : examination.arrays()) {
            ArrayText.of(array).forEach(console.out()::println);
            console.out().println();
        }
        if (examination.arrays().isEmpty()) {
            console.out().println("no array: no member of one was found");
        }
    }

    private static int exitCode(Examination examination) {
        boolean all =
                examination.arrays().stream().allMatch(array -> array.plan().isPresent());
        return all && !examination.arrays().isEmpty() ? ExitCode.OK : ExitCode.REFUSED;
    }
}
