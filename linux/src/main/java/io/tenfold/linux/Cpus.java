package io.tenfold.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/**
 * The machine's CPUs, by the numbers that the kernel gives them: which may be used, which one is in use, and how to stay
 * on one.
 *
 * <p>Threads: any; what is asked and set concerns the calling one, and is inherited by the threads that it starts.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html">sched_setaffinity(2)</a>
 */
public final class Cpus {
    /** As many as fit the C library's own set. */
    private static final int SET_BYTES_FIRST = 128;

    private static final int SET_BYTES_MAX = 1 << 16;

    private Cpus() {}

    /** Whether this can be used here at all. Otherwise {@link #unavailableBecause} says why. */
    public static boolean isAvailable() {
        return Support.CAN_CALL;
    }

    /** Why this cannot be used here, in words for a log; empty if it can. */
    public static String unavailableBecause() {
        return Support.REASON;
    }

    /**
     * The numbers of the CPUs that the calling thread may use, rising; at least one.
     *
     * @throws IOException if the system does not tell
     */
    public static int[] allowed() throws IOException {
        for (int bytes = SET_BYTES_FIRST; ; bytes *= 2) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment set = arena.allocate(bytes, Long.BYTES);
                int answer = CpuCalls.getAffinity(NativeCalls.newCapture(arena), set);
                if (answer == 0) {
                    return BitSet.valueOf(set.toArray(ValueLayout.JAVA_LONG)).stream()
                            .toArray();
                }
                if (answer != -Errno.EINVAL || bytes >= SET_BYTES_MAX) { // EINVAL: the kernel's set is larger.
                    throw new IOException("cannot learn which CPUs may be used: error=" + Errno.text(-answer));
                }
            }
        }
    }

    /** The number of the CPU that the calling thread is on, or was a moment ago. Costs some nanoseconds. */
    public static int current() {
        return CpuCalls.current();
    }

    /**
     * Keeps the calling thread, a platform thread, on one CPU.
     *
     * @param cpu one of {@link #allowed()}
     * @throws IOException if the system does not let it
     */
    public static void pin(int cpu) throws IOException {
        if (cpu < 0 || cpu >= SET_BYTES_MAX * Byte.SIZE) {
            throw new IllegalArgumentException("no such CPU: cpu=" + cpu);
        }
        try (Arena arena = Arena.ofConfined()) {
            long bytes = Math.max(SET_BYTES_FIRST, (cpu / Long.SIZE + 1) * (long) Long.BYTES);
            MemorySegment set = arena.allocate(bytes, Long.BYTES);
            set.setAtIndex(ValueLayout.JAVA_LONG, cpu / Long.SIZE, 1L << cpu % Long.SIZE);
            int answer = CpuCalls.setAffinity(NativeCalls.newCapture(arena), set);
            if (answer < 0) {
                throw new IOException("cannot stay on one CPU: cpu=" + cpu + ", error=" + Errno.text(-answer));
            }
        }
    }
}
