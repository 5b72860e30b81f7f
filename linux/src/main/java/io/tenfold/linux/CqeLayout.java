package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;

/** {@code struct io_uring_cqe}, linux/io_uring.h: what the kernel answers. */
final class CqeLayout {
    static final StructLayout LAYOUT = MemoryLayout.structLayout(
            JAVA_LONG.withName("user_data"), JAVA_INT.withName("res"), JAVA_INT.withName("flags"));

    static final long BYTES = LAYOUT.byteSize();
    static final long USER_DATA = LAYOUT.byteOffset(PathElement.groupElement("user_data"));
    static final long RES = LAYOUT.byteOffset(PathElement.groupElement("res"));

    private CqeLayout() {}
}
