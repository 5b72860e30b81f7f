package io.tenfold.raid.canary;

/** Starts a thread on purpose. */
public final class StartsAThread {
    /** A thread outside the program's composition. */
    public void start(Runnable task) {
        Thread.ofPlatform().start(task);
    }
}
