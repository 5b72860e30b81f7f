package io.tenfold.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * How the {@code …Calls} classes bind functions of the C library, and what they have in common.
 *
 * <p>A call that can fail takes first the segment that receives errno. It belongs to the calling thread: two threads
 * that shared one would read each other's errors. It answers what the function answers, or {@code -errno}.
 */
final class NativeCalls {
    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
    private static final long ERRNO = CAPTURE.byteOffset(PathElement.groupElement("errno"));

    private NativeCalls() {}

    /**
     * A segment that receives errno, for the calls of one thread; it must not be used once the arena is closed. It does
     * not know its arena, so that a call need not keep that from being closed (two atomic instructions).
     */
    @SuppressWarnings("restricted") // As long as it was.
    static MemorySegment newCapture(Arena arena) {
        return MemorySegment.ofAddress(arena.allocate(CAPTURE).address()).reinterpret(CAPTURE.byteSize());
    }

    /** Binds a function that sets errno. */
    static MethodHandle bind(String symbol, FunctionDescriptor type, Linker.Option... options) {
        Linker.Option[] all = new Linker.Option[options.length + 1];
        System.arraycopy(options, 0, all, 0, options.length);
        all[options.length] = Linker.Option.captureCallState("errno");
        return bindPlain(symbol, type, all);
    }

    /** Binds a function that does not set errno, or whose errno nobody asks for. */
    @SuppressWarnings("restricted") // The one place that links native symbols.
    static MethodHandle bindPlain(String symbol, FunctionDescriptor type, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(symbol), type, options);
    }

    /** What a call answered, or {@code -errno}. */
    static int result(MemorySegment capture, int answer) {
        return answer >= 0 ? answer : -capture.get(ValueLayout.JAVA_INT, ERRNO);
    }

    /** What a call answered, or {@code -errno}. */
    static long result(MemorySegment capture, long answer) {
        return answer >= 0 ? answer : -capture.get(ValueLayout.JAVA_INT, ERRNO);
    }

    /** A downcall itself threw, which it does only if it was bound or called wrongly. */
    static AssertionError broken(String function, Throwable t) {
        return new AssertionError("downcall failed: function=" + function, t);
    }
}
