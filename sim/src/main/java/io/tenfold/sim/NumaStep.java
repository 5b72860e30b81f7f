package io.tenfold.sim;

/** One step of what a core of a {@link NumaMachine} does again and again. */
public sealed interface NumaStep {
    /** Reads a line. */
    record Read(NumaLine line) implements NumaStep {}

    /** Changes a line atomically. */
    record Change(NumaLine line) implements NumaStep {}

    /** Takes a lock, and waits for it if another has it. */
    record Take(NumaLock lock) implements NumaStep {}

    /** Gives back a lock that the core has. */
    record Give(NumaLock lock) implements NumaStep {}

    /**
     * Works on nothing that others use.
     *
     * @param nanos how long on the average, 0 or more; each time from half to one and a half of it, drawn by seed
     */
    record Work(long nanos) implements NumaStep {}
}
