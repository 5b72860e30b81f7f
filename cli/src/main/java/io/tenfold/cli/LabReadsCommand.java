package io.tenfold.cli;

import io.tenfold.lab.Experiment;
import io.tenfold.lab.LabProgress;
import io.tenfold.lab.ReadsExperiment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Experiment B. */
@Command(
        name = "reads",
        header = "What do the members of an array give together when it is read?",
        description = {
            "In a simulated machine arrays of flash drives and of spinning disks are read at random and in sequence, by"
                    + " three rules: the one that is used, that of kernels in 2016, and the first copy always. Shown is what the"
                    + " array gives in percent of one drive, or of all, and how evenly members are asked. Takes about half a"
                    + " minute and gives the same figures everywhere."
        })
final class LabReadsCommand implements Callable<Integer> {
    private final Console console;
    private final Function<LabProgress, List<Experiment>> experiment;

    @Mixin
    HelpOption help;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Option(
            names = "--svg",
            paramLabel = "FILE",
            description = "Draw the random reads into this file, which is replaced.")
    private Path svg;

    LabReadsCommand(Console console) {
        this(console, ReadsExperiment::run);
    }

    LabReadsCommand(Console console, Function<LabProgress, List<Experiment>> experiment) {
        this.console = console;
        this.experiment = experiment;
    }

    @Override
    public Integer call() throws IOException {
        List<Experiment> results;
        try (StepProgress progress = new StepProgress(console, "lab reads")) {
            results = experiment.apply(progress::at);
        }
        if (svg != null) {
            Files.writeString(svg, ReadsExperiment.drawing(results));
        }
        return LabReport.print(console, results, json);
    }
}
