package io.tenfold.lab;

/** Hears how far an experiment has come. Called by the thread that runs it. */
@FunctionalInterface
public interface LabProgress {
    /** So many of so many runs are done. */
    void at(int done, int of);
}
