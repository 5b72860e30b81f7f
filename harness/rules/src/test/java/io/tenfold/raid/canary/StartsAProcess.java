package io.tenfold.raid.canary;

import java.io.IOException;

/** Breaks the rule that only the program and the lab start processes. */
public final class StartsAProcess {
    public Process start() throws IOException {
        return new ProcessBuilder("true").start();
    }
}
