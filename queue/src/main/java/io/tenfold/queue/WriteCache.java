package io.tenfold.queue;

/** What the device does with what was written to it, which decides what flush and FUA need. */
public enum WriteCache {
    /** What is complete is stable: a flush has nothing to do, and FUA is of no use. */
    WRITE_THROUGH,
    /** What is complete is stable after a flush only. The device does not know FUA: it takes a write and a flush. */
    VOLATILE,
    /** The same, but a write with FUA is stable when it is complete. */
    VOLATILE_WITH_FUA
}
