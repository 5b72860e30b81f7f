package io.tenfold.cli;

import io.tenfold.base.Shard;
import io.tenfold.raid.ArrayPlan;
import io.tenfold.raid.ArrayReport;
import io.tenfold.raid.Examination;
import io.tenfold.raid.Superblock;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The array that members make, in the words of {@code mdadm --detail}. */
@Command(
        name = "detail",
        header = "Show the array that members make, slot by slot.",
        description =
                "Says what would be assembled from the members, in the words that users of mdadm know. Their order and"
                        + " names do not matter. Nothing is ever written to them.",
        footerHeading = "%nExamples:%n",
        footer = {"  tenfold detail tenfold-data/*.img", "  tenfold detail --json m0.img m1.img m3.img"})
final class DetailCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    HelpOption help;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Parameters(arity = "1..*", paramLabel = "MEMBER", description = "Files or block devices, in any order.")
    private List<Path> paths;

    DetailCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws CommandFailure {
        try (Members members = Members.open(paths, Members.Use.LOOK, console)) {
            Examination examination = Examination.of(members.devices(), Shard.ofCaller(0, console.clock()));
            ArrayPlan plan = Failures.orRefuse(examination::assemble);
            ArrayReport report = examination.arrays().stream()
                    .filter(array -> array.plan().isPresent())
                    .findFirst()
                    .orElseThrow();
            if (json) {
                Json.print(console.out(), ReportJson.array(report));
            } else {
                print(plan, report.freshest().orElseThrow());
            }
            return members.unopened() > 0 ? ExitCode.FAILED : ExitCode.OK;
        }
    }

    private void print(ArrayPlan plan, Superblock freshest) {
        PrintStream out = console.out();
        out.println(plan.label() + ":");
        add("Version", plan.version());
        add("Creation Time", Times.shown(freshest.createdMicros()));
        add("Raid Level", MemberText.levelName(plan.level()));
        add("Array Size", MemberText.kibibytes(plan.sizeBytes()));
        add("Used Dev Size", MemberText.kibibytes(freshest.sizeSectors() * 512));
        add("Raid Devices", plan.roles());
        add(
                "Total Devices",
                plan.members().size() + plan.spares().size() + plan.leftOut().size());
        out.println();
        add("Update Time", Times.shown(freshest.updatedMicros()));
        add("State", ArrayText.state(plan));
        add(
                "Active Devices",
                plan.members().stream().filter(ArrayPlan.Member::isInSync).count());
        add("Working Devices", plan.members().size() + plan.spares().size());
        add("Left out", plan.leftOut().size());
        add("Spare Devices", plan.spares().size());
        out.println();
        if (plan.level() == 10) {
            add("Layout", plan.geometry().layout());
            add("Chunk Size", Size.exact(plan.geometry().chunkBytes()));
        }
        add("Consistency Policy", plan.bitmap().isPresent() ? "bitmap" : "resync");
        out.println();
        add("Name", plan.name());
        add("UUID", plan.uuid());
        add("Events", plan.events());
        slots(plan);
    }

    private void slots(ArrayPlan plan) {
        PrintStream out = console.out();
        out.println();
        out.println("    Number   RaidDevice   State");
        for (int slot = 0; slot < plan.roles(); slot++) {
            int role = slot;
            List<ArrayPlan.Member> holders = plan.members().stream()
                    .filter(member -> member.role() == role)
                    .toList();
            if (holders.isEmpty()) {
                row("-", role, "missing");
            }
            for (ArrayPlan.Member member : holders) {
                row(
                        member.devNumber(),
                        role,
                        ArrayText.memberState(member) + "   " + member.report().name());
            }
        }
        plan.spares().forEach(spare -> row("-", "-", "spare   " + spare.name()));
        plan.leftOut()
                .forEach(member -> row("-", "-", "left out   " + member.member().name() + ": " + member.text()));
        List<String> notes = plan.whyReadOnly();
        if (!notes.isEmpty()) {
            out.println();
            out.println(notes.stream().collect(Collectors.joining("; ", "Read-only: ", "")));
        }
    }

    private void row(Object number, Object slot, String state) {
        console.out().println(String.format(Locale.ROOT, "%8s %10s      %s", number, slot, state));
    }

    private void add(String name, Object value) {
        console.out().println(String.format(Locale.ROOT, "%18s : %s", name, value));
    }
}
