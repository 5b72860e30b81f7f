package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls of the C library on files and block devices. */
final class FileCalls {
    // asm-generic/fcntl.h, the same on x86-64 and AArch64 but for O_DIRECT.
    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_EXCL = 0x80;
    static final int O_CLOEXEC = 0x80000;
    static final int O_DIRECT = "aarch64".equals(System.getProperty("os.arch")) ? 0x10000 : 0x4000;

    // linux/falloc.h
    static final int FALLOC_KEEP_SIZE = 1;
    static final int FALLOC_PUNCH_HOLE = 2;
    static final int FALLOC_ZERO_RANGE = 0x10;

    /** {@code RWF_DSYNC}, linux/fs.h: this write is stable when it completes. */
    static final int RWF_DSYNC = 2;

    // linux/fs.h
    static final long BLKGETSIZE64 = 0x80081272L;
    static final long BLKSSZGET = 0x1268L;
    static final long BLKROGET = 0x125eL;

    /** {@code int open(const char *path, int flags, ...)}, open(2). */
    private static final MethodHandle OPEN = NativeCalls.bind(
            "open", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));

    /** {@code int close(int fd)}, close(2). */
    private static final MethodHandle CLOSE = NativeCalls.bind("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    /** {@code int ioctl(int fd, unsigned long request, ...)}, ioctl(2). */
    private static final MethodHandle IOCTL = NativeCalls.bind(
            "ioctl",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG),
            Linker.Option.firstVariadicArg(2));

    /** {@code int statx(int dir, const char *path, int flags, unsigned mask, struct statx *to)}, statx(2). */
    private static final MethodHandle STATX = NativeCalls.bind(
            "statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG));

    /** {@code int fstatfs(int fd, struct statfs *to)}, fstatfs(2). */
    private static final MethodHandle FSTATFS =
            NativeCalls.bind("fstatfs", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));

    private static final FunctionDescriptor AT_OFFSET =
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);

    /** {@code ssize_t pread(int fd, void *to, size_t count, off_t offset)}, pread(2). */
    private static final MethodHandle PREAD = NativeCalls.bind("pread", AT_OFFSET);

    /** {@code ssize_t pwrite(int fd, const void *from, size_t count, off_t offset)}, pwrite(2). */
    private static final MethodHandle PWRITE = NativeCalls.bind("pwrite", AT_OFFSET);

    private static final FunctionDescriptor VECTOR_AT_OFFSET =
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);

    /** {@code ssize_t preadv(int fd, const struct iovec *to, int count, off_t offset)}, preadv(2). */
    private static final MethodHandle PREADV = NativeCalls.bind("preadv", VECTOR_AT_OFFSET);

    /** {@code ssize_t pwritev(int fd, const struct iovec *from, int count, off_t offset)}, pwritev(2). */
    private static final MethodHandle PWRITEV = NativeCalls.bind("pwritev", VECTOR_AT_OFFSET);

    /** {@code off_t lseek(int fd, off_t offset, int whence)}, lseek(2). */
    private static final MethodHandle LSEEK =
            NativeCalls.bind("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));

    private static final int SEEK_END = 2;

    /** {@code int fdatasync(int fd)}, fdatasync(2). */
    private static final MethodHandle FDATASYNC =
            NativeCalls.bind("fdatasync", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    /** {@code int fallocate(int fd, int mode, off_t offset, off_t length)}, fallocate(2). */
    private static final MethodHandle FALLOCATE =
            NativeCalls.bind("fallocate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));

    /** {@code int fcntl(int fd, int command, ...)}, fcntl(2). */
    private static final MethodHandle FCNTL = NativeCalls.bind(
            "fcntl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));

    private static final int F_SETFL = 4;
    private static final int AT_EMPTY_PATH = 0x1000;

    private FileCalls() {}

    /** Opens a file that exists; its descriptor, or {@code -errno}. */
    static int open(MemorySegment capture, MemorySegment path, int flags) {
        try {
            return NativeCalls.result(capture, (int) OPEN.invokeExact(capture, path.address(), flags | O_CLOEXEC, 0));
        } catch (Throwable t) {
            throw NativeCalls.broken("open", t);
        }
    }

    /** Closes a descriptor, which is gone whatever the answer: 0, or {@code -errno}. */
    static int close(MemorySegment capture, int fd) {
        try {
            return NativeCalls.result(capture, (int) CLOSE.invokeExact(capture, fd));
        } catch (Throwable t) {
            throw NativeCalls.broken("close", t);
        }
    }

    /** Sets those of an open file's flags that can change; 0, or {@code -errno}. */
    static int setStatusFlags(MemorySegment capture, int fd, int flags) {
        try {
            return NativeCalls.result(capture, (int) FCNTL.invokeExact(capture, fd, F_SETFL, flags));
        } catch (Throwable t) {
            throw NativeCalls.broken("fcntl", t);
        }
    }

    /** Asks a device; 0 or more, or {@code -errno}. */
    static int ioctl(MemorySegment capture, int fd, long request, MemorySegment argument) {
        try {
            return NativeCalls.result(capture, (int) IOCTL.invokeExact(capture, fd, request, argument.address()));
        } catch (Throwable t) {
            throw NativeCalls.broken("ioctl", t);
        }
    }

    /** Describes an open file, in the form of {@link StatxLayout}; 0, or {@code -errno}. */
    static int statx(MemorySegment capture, int fd, MemorySegment emptyPath, int mask, MemorySegment to) {
        try {
            return NativeCalls.result(capture, (int)
                    STATX.invokeExact(capture, fd, emptyPath.address(), AT_EMPTY_PATH, mask, to.address()));
        } catch (Throwable t) {
            throw NativeCalls.broken("statx", t);
        }
    }

    /** Describes an open file's file system; its magic number comes first. 0, or {@code -errno}. */
    static int fstatfs(MemorySegment capture, int fd, MemorySegment to) {
        try {
            return NativeCalls.result(capture, (int) FSTATFS.invokeExact(capture, fd, to.address()));
        } catch (Throwable t) {
            throw NativeCalls.broken("fstatfs", t);
        }
    }

    /** Reads; bytes, 0 at the end, or {@code -errno}. Blocks. */
    static long pread(MemorySegment capture, int fd, long to, long count, long offset) {
        try {
            return NativeCalls.result(capture, (long) PREAD.invokeExact(capture, fd, to, count, offset));
        } catch (Throwable t) {
            throw NativeCalls.broken("pread", t);
        }
    }

    /** Writes; bytes, or {@code -errno}. Blocks. */
    static long pwrite(MemorySegment capture, int fd, long from, long count, long offset) {
        try {
            return NativeCalls.result(capture, (long) PWRITE.invokeExact(capture, fd, from, count, offset));
        } catch (Throwable t) {
            throw NativeCalls.broken("pwrite", t);
        }
    }

    /** Reads into several pieces; bytes, 0 at the end, or {@code -errno}. Blocks. */
    static long preadv(MemorySegment capture, int fd, long vector, int count, long offset) {
        try {
            return NativeCalls.result(capture, (long) PREADV.invokeExact(capture, fd, vector, count, offset));
        } catch (Throwable t) {
            throw NativeCalls.broken("preadv", t);
        }
    }

    /** Writes several pieces; bytes, or {@code -errno}. Blocks. */
    static long pwritev(MemorySegment capture, int fd, long vector, int count, long offset) {
        try {
            return NativeCalls.result(capture, (long) PWRITEV.invokeExact(capture, fd, vector, count, offset));
        } catch (Throwable t) {
            throw NativeCalls.broken("pwritev", t);
        }
    }

    /** Where a file or block device ends, in bytes, or {@code -errno}. Moves its position, which nothing here uses. */
    static long seekToEnd(MemorySegment capture, int fd) {
        try {
            return NativeCalls.result(capture, (long) LSEEK.invokeExact(capture, fd, 0L, SEEK_END));
        } catch (Throwable t) {
            throw NativeCalls.broken("lseek", t);
        }
    }

    /** Flushes the file's data to stable storage; 0, or {@code -errno}. Blocks. */
    static int fdatasync(MemorySegment capture, int fd) {
        try {
            return NativeCalls.result(capture, (int) FDATASYNC.invokeExact(capture, fd));
        } catch (Throwable t) {
            throw NativeCalls.broken("fdatasync", t);
        }
    }

    /** Zeroes or gives up a range; 0, or {@code -errno}. Blocks. */
    static int fallocate(MemorySegment capture, int fd, int mode, long offset, long length) {
        try {
            return NativeCalls.result(capture, (int) FALLOCATE.invokeExact(capture, fd, mode, offset, length));
        } catch (Throwable t) {
            throw NativeCalls.broken("fallocate", t);
        }
    }
}
