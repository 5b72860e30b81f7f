package io.tenfold.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A megabyte of zeroes that everybody writes from and nobody to. */
final class Zeroes {
    static final int BYTES = 1 << 20;

    /** As aligned as any O_DIRECT asks for. */
    private static final long ALIGNMENT = 65536;

    private static final MemorySegment MEMORY = Arena.global().allocate(BYTES, ALIGNMENT);

    private Zeroes() {}

    static long address() {
        return MEMORY.address();
    }
}
