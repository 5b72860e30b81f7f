package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of the C library on CPUs. Affinity is that of the calling thread. */
final class CpuCalls {
    private static final int CALLING_THREAD = 0;

    private static final FunctionDescriptor AFFINITY = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);

    /** {@code int sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t *to)}, sched_getaffinity(2). */
    private static final MethodHandle GET_AFFINITY = NativeCalls.bind("sched_getaffinity", AFFINITY);

    /** {@code int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *to)}, sched_setaffinity(2). */
    private static final MethodHandle SET_AFFINITY = NativeCalls.bind("sched_setaffinity", AFFINITY);

    /** {@code int sched_getcpu(void)}, sched_getcpu(3). */
    private static final MethodHandle GET_CPU = NativeCalls.bindPlain("sched_getcpu", FunctionDescriptor.of(JAVA_INT));

    private CpuCalls() {}

    /** Fills a set with the CPUs allowed, bit by bit; 0, or {@code -errno}: -EINVAL if the set is too small. */
    static int getAffinity(MemorySegment capture, MemorySegment set) {
        try {
            return NativeCalls.result(
                    capture, (int) GET_AFFINITY.invokeExact(capture, CALLING_THREAD, set.byteSize(), set.address()));
        } catch (Throwable t) {
            throw NativeCalls.broken("sched_getaffinity", t);
        }
    }

    /** Allows the CPUs of a set and no others; 0, or {@code -errno}. */
    static int setAffinity(MemorySegment capture, MemorySegment set) {
        try {
            return NativeCalls.result(
                    capture, (int) SET_AFFINITY.invokeExact(capture, CALLING_THREAD, set.byteSize(), set.address()));
        } catch (Throwable t) {
            throw NativeCalls.broken("sched_setaffinity", t);
        }
    }

    /** The CPU that the calling thread is on, or was a moment ago. */
    static int current() {
        try {
            return (int) GET_CPU.invokeExact();
        } catch (Throwable t) {
            throw NativeCalls.broken("sched_getcpu", t);
        }
    }
}
