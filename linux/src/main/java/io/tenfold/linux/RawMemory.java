package io.tenfold.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Memory by its address, as the kernel knows it: ring entries, vectors, structures. Nothing is checked but alignment,
 * so an address is only ever one that the kernel gave, or that of a segment which is alive meanwhile.
 */
final class RawMemory {
    private static final MemorySegment ALL = everything();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private RawMemory() {}

    @SuppressWarnings("restricted") // One segment over all of memory, so that an access costs no object.
    private static MemorySegment everything() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    static byte getByte(long address) {
        return ALL.get(ValueLayout.JAVA_BYTE, address);
    }

    static void putByte(long address, byte value) {
        ALL.set(ValueLayout.JAVA_BYTE, address, value);
    }

    static int getInt(long address) {
        return ALL.get(ValueLayout.JAVA_INT, address);
    }

    static void putInt(long address, int value) {
        ALL.set(ValueLayout.JAVA_INT, address, value);
    }

    static long getLong(long address) {
        return ALL.get(ValueLayout.JAVA_LONG, address);
    }

    static void putLong(long address, long value) {
        ALL.set(ValueLayout.JAVA_LONG, address, value);
    }

    /** Reads what the kernel publishes: what it wrote before is visible afterwards. */
    static int getIntAcquire(long address) {
        return (int) INT.getAcquire(ALL, address);
    }

    /** Publishes to the kernel: it sees what was written before. */
    static void putIntRelease(long address, int value) {
        INT.setRelease(ALL, address, value);
    }

    /** A string of C, at most 4096 bytes of it. */
    static String getString(long address) {
        return ALL.asSlice(address, 4096).getString(0);
    }
}
