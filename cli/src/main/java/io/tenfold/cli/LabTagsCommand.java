package io.tenfold.cli;

import io.tenfold.lab.Experiment;
import io.tenfold.lab.TagsExperiment;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Experiment D. */
@Command(
        name = "tags",
        header = "Which tag allocator serves twelve submitters best?",
        description = {
            "Twelve threads with reads in flight on a null device behind the queue: with 64 tags of which 60 are wanted, with"
                    + " 64 of which 384 are, and with 2048; five designs of tags, each run in a JVM of its own, in rounds."
                    + " Measures this machine: let nothing else run. Takes about three minutes."
        })
final class LabTagsCommand implements Callable<Integer> {
    private final Console console;
    private final LabRun experiment;

    @Mixin
    HelpOption help;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    LabTagsCommand(Console console) {
        this(console, TagsExperiment::run);
    }

    LabTagsCommand(Console console, LabRun experiment) {
        this.console = console;
        this.experiment = experiment;
    }

    @Override
    public Integer call() throws IOException {
        List<Experiment> results;
        try (StepProgress progress = new StepProgress(console, "lab tags")) {
            results = experiment.run(progress::at);
        }
        return LabReport.print(console, results, json);
    }
}
