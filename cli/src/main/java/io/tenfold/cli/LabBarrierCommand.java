package io.tenfold.cli;

import io.tenfold.lab.BarrierExperiment;
import io.tenfold.lab.Experiment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Experiment A. */
@Command(
        name = "barrier",
        header = "What does it cost to keep I/O out of where resync works?",
        description = {
            "Requests enter and leave the I/O barrier, from 1, 2 and 16 threads, while nothing is raised; four designs, each run"
                    + " in a JVM of its own, in rounds. Measures this machine: let nothing else run. Takes less than two minutes.",
            "Besides, a model of cache lines that is set by the posting's two figures predicts what the designs would make of a"
                    + " machine of four nodes with up to 64 cores."
        })
final class LabBarrierCommand implements Callable<Integer> {
    private final Console console;
    private final LabRun experiment;

    @Mixin
    HelpOption help;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Option(
            names = "--svg",
            paramLabel = "FILE",
            description = "Draw the prediction for 1 to 64 cores into this file, which is replaced.")
    private Path svg;

    LabBarrierCommand(Console console) {
        this(console, BarrierExperiment::run);
    }

    LabBarrierCommand(Console console, LabRun experiment) {
        this.console = console;
        this.experiment = experiment;
    }

    @Override
    public Integer call() throws IOException {
        List<Experiment> results;
        try (StepProgress progress = new StepProgress(console, "lab barrier")) {
            results = experiment.run(progress::at);
        }
        if (svg != null) {
            Files.writeString(svg, BarrierExperiment.drawing());
        }
        return LabReport.print(console, results, json);
    }
}
