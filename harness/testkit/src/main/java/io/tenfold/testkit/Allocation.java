package io.tenfold.testkit;

import java.lang.management.ManagementFactory;

/** What the calling thread has taken from the heap, to show that a data path takes nothing. */
public final class Allocation {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    /** Bytes since the thread began. Asking allocates nothing. */
    public static long ofThisThread() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }
}
