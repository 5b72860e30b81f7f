package io.tenfold.cli;

import io.tenfold.base.Reactor;
import io.tenfold.raid.ArrayPlan;
import io.tenfold.raid.RaidDevice;
import io.tenfold.raid.ReadRule;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Copies an array's content out of its members. */
@Command(
        name = "copy",
        header = "Copy an array's content out of its members.",
        description = {
            "Reads the array as it is, whole or degraded, from the first good copy of everything, and writes its content to a"
                    + " file, a block device or a pipe. The members are never written to. In a regular file, zeroes become"
                    + " holes.",
            "A range that no copy can give is copied as zeroes, named with its offset and length, and makes the exit status"
                    + " 1; everything else is copied."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tenfold copy disk*.img --to array.raw",
            "  tenfold copy /dev/sd[b-e]2 --to - | zstd > array.raw.zst"
        })
final class CopyCommand implements Callable<Integer> {
    private static final int RANGES_SHOWN = 100;

    private final Console console;

    @Mixin
    HelpOption help;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "FILE",
            description = "Where to copy to; - is standard output.")
    private String to;

    @Option(names = "--force", description = "Overwrite a file that is not empty, or a block device.")
    private boolean force;

    @Option(
            names = "--json",
            description = "Print the result as one JSON object, and progress as JSON lines on standard error.")
    private boolean json;

    @Parameters(arity = "1..*", paramLabel = "MEMBER", description = "Files or block devices, in any order.")
    private List<Path> paths;

    CopyCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        if (json && to.equals("-")) {
            throw CommandFailure.usage("standard output cannot take both the content and JSON: --to=-, --json");
        }
        try (Members members = Members.open(paths, Members.Use.READ, console)) {
            ArrayPlan plan = Assembled.forReading(members.devices(), console);
            RaidDevice array = new RaidDevice(plan, true, ReadRule.FIRST_COPY);
            try (CopyOutput output = CopyOutput.open(to, force, array.sizeBytes(), members, console);
                    Reactor reactor =
                            EventLoops.open(1, console.clock()).reactors().getFirst()) {
                long start = console.clock().nanos();
                ArrayCopy.Result result = copy(array, reactor, output);
                print(plan, result, console.clock().nanos() - start);
                return result.unreadable().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
            }
        }
    }

    private ArrayCopy.Result copy(RaidDevice array, Reactor reactor, CopyOutput output) throws CommandFailure {
        try (ArrayCopy copy = new ArrayCopy(array, reactor, output.target());
                Progress progress = new Progress(console, "copy", array.sizeBytes(), json)) {
            return copy.run(progress::at);
        } catch (IOException e) {
            throw CommandFailure.failed(
                            "cannot write: target=" + to + ", written="
                                    + output.target().writtenBytes() + ", reason=" + Failures.words(e),
                            e)
                    .detail("the copy is incomplete");
        }
    }

    private void print(ArrayPlan plan, ArrayCopy.Result result, long nanos) {
        List<ByteRange> unreadable = result.unreadable();
        if (json) {
            Json.print(
                    console.out(),
                    Json.object(
                            "array", plan.label(),
                            "uuid", plan.uuid().toString(),
                            "size", plan.sizeBytes(),
                            "target", to,
                            "written", result.writtenBytes(),
                            "sha256", result.sha256(),
                            "seconds", nanos / 1e9,
                            "unreadable",
                                    unreadable.stream()
                                            .map(range ->
                                                    Json.object("offset", range.offset(), "length", range.length()))
                                            .toList()));
            return;
        }
        for (ByteRange range : unreadable.subList(0, Math.min(RANGES_SHOWN, unreadable.size()))) {
            console.say("unreadable on every copy, copied as zeroes: offset=" + range.offset() + ", length="
                    + range.length());
        }
        if (unreadable.size() > RANGES_SHOWN) {
            console.say("and " + (unreadable.size() - RANGES_SHOWN) + " ranges more, which --json lists");
        }
        PrintStream out = to.equals("-") ? console.err() : console.out();
        out.println("copied  " + plan.label() + ", " + plan.sizeBytes() + " bytes (" + Size.rounded(plan.sizeBytes())
                + "), in "
                + Progress.duration(nanos / 1_000_000_000) + ", "
                + Size.rounded((long) (plan.sizeBytes() / (nanos / 1e9)))
                + "/s");
        out.println("to      " + (to.equals("-") ? "standard output" : to) + ", " + Size.rounded(result.writtenBytes())
                + " written" + (result.writtenBytes() < plan.sizeBytes() ? ", the rest are holes" : ""));
        out.println("sha256  " + result.sha256());
    }
}
