package io.tenfold.cli;

import io.tenfold.lab.Experiment;
import io.tenfold.lab.LabProgress;
import io.tenfold.lab.SplitExperiment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Experiment C. */
@Command(
        name = "split",
        header = "Do the pieces of large requests reach a disk next to one another?",
        description = {
            "In a simulated machine 64 submitters, and 256, write 512 KiB at random to a spinning disk that takes 128 KiB at a"
                    + " time, through a queue of 64 tags. Counted is how many of the disk's requests start where the one before"
                    + " ended, of at most 75 %%, under the original rules, when waiters are woken by what they need, when nobody"
                    + " takes tags before those who wait, and in other designs beside. Takes about a minute and gives the"
                    + " same figures everywhere."
        })
final class LabSplitCommand implements Callable<Integer> {
    private final Console console;
    private final Function<LabProgress, List<Experiment>> experiment;

    @Mixin
    HelpOption help;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Option(names = "--svg", paramLabel = "FILE", description = "Draw the shares into this file, which is replaced.")
    private Path svg;

    LabSplitCommand(Console console) {
        this(console, SplitExperiment::run);
    }

    LabSplitCommand(Console console, Function<LabProgress, List<Experiment>> experiment) {
        this.console = console;
        this.experiment = experiment;
    }

    @Override
    public Integer call() throws IOException {
        List<Experiment> results;
        try (StepProgress progress = new StepProgress(console, "lab split")) {
            results = experiment.apply(progress::at);
        }
        if (svg != null) {
            Files.writeString(svg, SplitExperiment.drawing(results));
        }
        return LabReport.print(console, results, json);
    }
}
