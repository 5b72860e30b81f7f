package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;

/** {@code struct io_uring_params}, linux/io_uring.h: what a ring should be, and where its parts lie. */
final class UringParamsLayout {
    private static final StructLayout SQ_OFFSETS = MemoryLayout.structLayout(
            JAVA_INT.withName("head"),
            JAVA_INT.withName("tail"),
            JAVA_INT.withName("ring_mask"),
            JAVA_INT.withName("ring_entries"),
            JAVA_INT.withName("flags"),
            JAVA_INT.withName("dropped"),
            JAVA_INT.withName("array"),
            JAVA_INT.withName("resv1"),
            JAVA_LONG.withName("user_addr"));

    private static final StructLayout CQ_OFFSETS = MemoryLayout.structLayout(
            JAVA_INT.withName("head"),
            JAVA_INT.withName("tail"),
            JAVA_INT.withName("ring_mask"),
            JAVA_INT.withName("ring_entries"),
            JAVA_INT.withName("overflow"),
            JAVA_INT.withName("cqes"),
            JAVA_INT.withName("flags"),
            JAVA_INT.withName("resv1"),
            JAVA_LONG.withName("user_addr"));

    static final StructLayout LAYOUT = MemoryLayout.structLayout(
            JAVA_INT.withName("sq_entries"),
            JAVA_INT.withName("cq_entries"),
            JAVA_INT.withName("flags"),
            JAVA_INT.withName("sq_thread_cpu"),
            JAVA_INT.withName("sq_thread_idle"),
            JAVA_INT.withName("features"),
            JAVA_INT.withName("wq_fd"),
            MemoryLayout.sequenceLayout(3, JAVA_INT).withName("resv"),
            SQ_OFFSETS.withName("sq_off"),
            CQ_OFFSETS.withName("cq_off"));

    static final long BYTES = LAYOUT.byteSize();
    static final long SQ_ENTRIES = offset("sq_entries");
    static final long CQ_ENTRIES = offset("cq_entries");
    static final long FLAGS = offset("flags");
    static final long FEATURES = offset("features");
    static final long SQ_HEAD = offset("sq_off", "head");
    static final long SQ_TAIL = offset("sq_off", "tail");
    static final long SQ_FLAGS = offset("sq_off", "flags");
    static final long SQ_ARRAY = offset("sq_off", "array");
    static final long CQ_HEAD = offset("cq_off", "head");
    static final long CQ_TAIL = offset("cq_off", "tail");
    static final long CQ_CQES = offset("cq_off", "cqes");

    private UringParamsLayout() {}

    private static long offset(String... path) {
        PathElement[] elements = new PathElement[path.length];
        for (int i = 0; i < path.length; i++) {
            elements[i] = PathElement.groupElement(path[i]);
        }
        return LAYOUT.byteOffset(elements);
    }
}
