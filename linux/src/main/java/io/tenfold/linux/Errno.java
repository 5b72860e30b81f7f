package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.tenfold.block.IoStatus;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;

/** Error numbers of Linux on x86-64 and AArch64, asm-generic/errno-base.h and errno.h. */
final class Errno {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int EIO = 5;
    static final int ENXIO = 6;
    static final int EBADF = 9;
    static final int EAGAIN = 11;
    static final int ENOMEM = 12;
    static final int EACCES = 13;
    static final int EBUSY = 16;
    static final int EEXIST = 17;
    static final int ENODEV = 19;
    static final int EINVAL = 22;
    static final int ENOTTY = 25;
    static final int EFBIG = 27;
    static final int ENOSPC = 28;
    static final int EROFS = 30;
    static final int EPIPE = 32;
    static final int ENOSYS = 38;
    static final int ENODATA = 61;
    static final int ETIME = 62;
    static final int EBADR = 53;
    static final int EILSEQ = 84;
    static final int EOPNOTSUPP = 95;
    static final int EADDRINUSE = 98;
    static final int ECONNABORTED = 103;
    static final int ECONNRESET = 104;
    static final int ESHUTDOWN = 108;
    static final int ENOMEDIUM = 123;
    static final int EDQUOT = 122;
    static final int ECANCELED = 125;

    /** {@code char *strerror(int)}, strerror(3); safe among threads since glibc 2.32 and in musl. */
    private static final MethodHandle STRERROR =
            NativeCalls.bindPlain("strerror", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));

    private Errno() {}

    /** The system's words for an error, with its number. */
    static String text(int errno) {
        try {
            return RawMemory.getString((long) STRERROR.invokeExact(errno)) + " (errno " + errno + ")";
        } catch (Throwable t) {
            throw NativeCalls.broken("strerror", t);
        }
    }

    /** What an error of a read, write, flush or the like means to the request. */
    static IoStatus status(int errno) {
        return switch (errno) {
            case 0 -> IoStatus.OK;
            case ENOSPC, EDQUOT -> IoStatus.NO_SPACE;
            // The block layer's words for a bad sector and for a failed integrity check (blk_status_to_errno).
            case ENODATA, EILSEQ -> IoStatus.MEDIUM_ERROR;
            case EROFS -> IoStatus.READ_ONLY;
            case EOPNOTSUPP, ENOTTY, ENOSYS -> IoStatus.NOT_SUPPORTED;
            case ENXIO, ENODEV, ENOMEDIUM, ESHUTDOWN -> IoStatus.OFFLINE;
            case EINVAL -> IoStatus.INVALID;
            default -> IoStatus.IO_ERROR;
        };
    }
}
