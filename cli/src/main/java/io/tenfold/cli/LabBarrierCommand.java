package io.tenfold.cli;

import io.tenfold.lab.BarrierExperiment;
import io.tenfold.lab.Experiment;
import java.io.IOException;
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
                    + " in a JVM of its own, in rounds. Measures this machine: let nothing else run. Takes about a minute and"
                    + " a half."
        })
final class LabBarrierCommand implements Callable<Integer> {
    private final Console console;
    private final LabRun experiment;

    @Mixin
    HelpOption help;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

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
        return LabReport.print(console, results, json);
    }
}
