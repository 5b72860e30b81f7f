package io.tenfold.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The experiments, each a command of its own. */
@Command(
        name = "lab",
        header = "Repeat the measurements that the designs come from.",
        description = {
            "Each experiment runs the designs that were replaced beside ours, under the same load, and says whether the figures"
                    + " that were promised are reached. It shows how far it is on standard error, and needs no files.",
            "Exit status 0: all figures are reached. 3: one is missed. 1: a run failed."
        },
        synopsisSubcommandLabel = "EXPERIMENT",
        commandListHeading = "%nExperiments:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  tenfold lab barrier",
            "  tenfold lab reads",
            "  tenfold lab split",
            "  tenfold lab tags --json | jq .experiments[0].bars"
        })
final class LabCommand implements Runnable {
    @Mixin
    HelpOption help;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "experiment is missing");
    }
}
