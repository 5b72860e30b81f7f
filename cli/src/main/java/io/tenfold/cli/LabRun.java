package io.tenfold.cli;

import io.tenfold.lab.Experiment;
import io.tenfold.lab.LabProgress;
import java.io.IOException;
import java.util.List;

/** What makes the results of an experiment. */
@FunctionalInterface
interface LabRun {
    /**
     * Runs it.
     *
     * @throws IOException if a run failed
     */
    List<Experiment> run(LabProgress progress) throws IOException;
}
