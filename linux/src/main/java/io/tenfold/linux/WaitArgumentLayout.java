package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;

/**
 * {@code struct io_uring_getevents_arg}, linux/io_uring.h, for a wait with a limit, and behind it the
 * {@code struct __kernel_timespec} that it points to.
 */
final class WaitArgumentLayout {
    static final StructLayout LAYOUT = MemoryLayout.structLayout(
            JAVA_LONG.withName("sigmask"),
            JAVA_INT.withName("sigmask_sz"),
            JAVA_INT.withName("pad"),
            JAVA_LONG.withName("ts"),
            JAVA_LONG.withName("tv_sec"),
            JAVA_LONG.withName("tv_nsec"));

    static final long TS = offset("ts");
    static final long TV_SEC = offset("tv_sec");
    static final long TV_NSEC = offset("tv_nsec");

    /** Size of the argument alone. */
    static final long ARGUMENT_BYTES = TV_SEC;

    private WaitArgumentLayout() {}

    private static long offset(String field) {
        return LAYOUT.byteOffset(PathElement.groupElement(field));
    }
}
