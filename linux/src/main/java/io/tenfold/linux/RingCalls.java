package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The system calls behind {@link Uring}, io_uring(7), and the memory and eventfd calls that go with them. */
final class RingCalls {
    // The same numbers on every architecture: asm-generic/unistd.h and arch tables from Linux 5.1 on.
    private static final long SYS_IO_URING_SETUP = 425;
    private static final long SYS_IO_URING_ENTER = 426;
    private static final long SYS_IO_URING_REGISTER = 427;

    static final int PROT_READ = 1;
    static final int PROT_WRITE = 2;
    static final int MAP_SHARED = 1;
    static final int MAP_POPULATE = 0x8000;

    static final int EFD_CLOEXEC = 0x80000;

    /** {@code long syscall(long number, ...)}, syscall(2), with six arguments. */
    private static final MethodHandle SYSCALL = NativeCalls.bind(
            "syscall",
            FunctionDescriptor.of(
                    JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Linker.Option.firstVariadicArg(1));

    /** {@code void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)}, mmap(2). */
    private static final MethodHandle MMAP = NativeCalls.bind(
            "mmap", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));

    /** {@code int munmap(void *addr, size_t length)}, munmap(2). */
    private static final MethodHandle MUNMAP =
            NativeCalls.bind("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    /** {@code int eventfd(unsigned int initval, int flags)}, eventfd(2). */
    private static final MethodHandle EVENTFD =
            NativeCalls.bind("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

    /** {@code int eventfd_write(int fd, eventfd_t value)}, eventfd(3). Takes no errno: any thread may call it. */
    private static final MethodHandle EVENTFD_WRITE =
            NativeCalls.bindPlain("eventfd_write", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));

    private RingCalls() {}

    /** Makes a ring; its file descriptor, or {@code -errno}. */
    static int setup(MemorySegment capture, int entries, long params) {
        try {
            return (int) NativeCalls.result(capture, (long)
                    SYSCALL.invokeExact(capture, SYS_IO_URING_SETUP, (long) entries, params, 0L, 0L, 0L, 0L));
        } catch (Throwable t) {
            throw NativeCalls.broken("io_uring_setup", t);
        }
    }

    /** Submits and waits, io_uring_enter(2); how many entries were taken, or {@code -errno}. Blocks if told to wait. */
    static int enter(
            MemorySegment capture,
            int fd,
            int toSubmit,
            int minComplete,
            int flags,
            long argument,
            long argumentBytes) {
        try {
            return (int) NativeCalls.result(capture, (long) SYSCALL.invokeExact(
                    capture,
                    SYS_IO_URING_ENTER,
                    (long) fd,
                    (long) toSubmit,
                    (long) minComplete,
                    (long) flags,
                    argument,
                    argumentBytes));
        } catch (Throwable t) {
            throw NativeCalls.broken("io_uring_enter", t);
        }
    }

    /** Tells the ring something, io_uring_register(2); 0 or more, or {@code -errno}. */
    static int register(MemorySegment capture, int fd, int opcode, long argument, int count) {
        try {
            return (int) NativeCalls.result(capture, (long) SYSCALL.invokeExact(
                    capture, SYS_IO_URING_REGISTER, (long) fd, (long) opcode, argument, (long) count, 0L, 0L));
        } catch (Throwable t) {
            throw NativeCalls.broken("io_uring_register", t);
        }
    }

    /** Maps part of a file for reading and writing, shared; its address, or {@code -errno}. */
    static long mapShared(MemorySegment capture, int fd, long offset, long bytes) {
        try {
            return NativeCalls.result(capture, (long) MMAP.invokeExact(
                    capture, 0L, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset));
        } catch (Throwable t) {
            throw NativeCalls.broken("mmap", t);
        }
    }

    /** Ends a mapping; 0, or {@code -errno}. */
    static int unmap(MemorySegment capture, long address, long bytes) {
        try {
            return NativeCalls.result(capture, (int) MUNMAP.invokeExact(capture, address, bytes));
        } catch (Throwable t) {
            throw NativeCalls.broken("munmap", t);
        }
    }

    /** A counter that wakes who reads it; its file descriptor, or {@code -errno}. */
    static int eventfd(MemorySegment capture) {
        try {
            return NativeCalls.result(capture, (int) EVENTFD.invokeExact(capture, 0, EFD_CLOEXEC));
        } catch (Throwable t) {
            throw NativeCalls.broken("eventfd", t);
        }
    }

    /** Adds one to such a counter. Any thread; does not block, as the counter never comes near 2<sup>64</sup>. */
    static void ring(int eventfd) {
        try {
            int answer = (int) EVENTFD_WRITE.invokeExact(eventfd, 1L);
            assert answer == 0 : "eventfd_write failed: fd=" + eventfd;
        } catch (Throwable t) {
            throw NativeCalls.broken("eventfd_write", t);
        }
    }
}
