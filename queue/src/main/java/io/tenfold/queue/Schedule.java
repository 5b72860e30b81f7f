package io.tenfold.queue;

/** In which order the pieces of a hardware queue go to the device, as a configuration names it. */
public enum Schedule {
    /** As they come, for devices that do not care. */
    NONE,
    /** First in, first out, whichever submitter they come from. */
    FIFO,
    /** Sorted by offset, reads before writes, but none later than its deadline allows. */
    DEADLINE;

    Scheduler create() {
        return switch (this) {
            case NONE, FIFO -> new FifoScheduler();
            case DEADLINE -> new DeadlineScheduler();
        };
    }
}
