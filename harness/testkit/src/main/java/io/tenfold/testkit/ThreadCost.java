package io.tenfold.testkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What threads have used so far. Asking allocates nothing. */
public final class ThreadCost {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private ThreadCost() {}

    /** Bytes of heap that the calling thread has allocated. */
    public static long allocatedBytes() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /** Nanoseconds of CPU that a live thread has used. */
    public static long cpuNanos(Thread thread) {
        return THREADS.getThreadCpuTime(thread.threadId());
    }
}
