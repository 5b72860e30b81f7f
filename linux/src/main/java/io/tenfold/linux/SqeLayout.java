package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;

/** {@code struct io_uring_sqe}, linux/io_uring.h: what is asked of the kernel. */
final class SqeLayout {
    static final StructLayout LAYOUT = MemoryLayout.structLayout(
            JAVA_BYTE.withName("opcode"),
            JAVA_BYTE.withName("flags"),
            JAVA_SHORT.withName("ioprio"),
            JAVA_INT.withName("fd"),
            JAVA_LONG.withName("off"),
            JAVA_LONG.withName("addr"),
            JAVA_INT.withName("len"),
            JAVA_INT.withName("op_flags"),
            JAVA_LONG.withName("user_data"),
            JAVA_SHORT.withName("buf_index"),
            JAVA_SHORT.withName("personality"),
            JAVA_INT.withName("file_index"),
            JAVA_LONG.withName("addr3"),
            JAVA_LONG.withName("pad2"));

    static final long BYTES = LAYOUT.byteSize();
    static final long OPCODE = offset("opcode");
    static final long FD = offset("fd");
    static final long OFF = offset("off");
    static final long ADDR = offset("addr");
    static final long LEN = offset("len");
    static final long OP_FLAGS = offset("op_flags");
    static final long USER_DATA = offset("user_data");

    // enum io_uring_op.
    static final int OP_NOP = 0;
    static final int OP_READV = 1;
    static final int OP_WRITEV = 2;
    static final int OP_FSYNC = 3;
    static final int OP_SENDMSG = 9;
    static final int OP_TIMEOUT = 11;
    static final int OP_ACCEPT = 13;
    static final int OP_ASYNC_CANCEL = 14;
    static final int OP_FALLOCATE = 17;
    static final int OP_READ = 22;
    static final int OP_WRITE = 23;
    static final int OP_SEND = 26;
    static final int OP_RECV = 27;

    /** {@code fsync_flags}: as fdatasync. */
    static final int FSYNC_DATASYNC = 1;

    private SqeLayout() {}

    /**
     * Fills a whole entry; what is not named becomes 0. The names are those of reads and writes; other operations use
     * the same places for other things, see io_uring_enter(2).
     *
     * @param sqe address of the entry
     * @param opFlags {@code rw_flags}, {@code msg_flags} and so on
     */
    static void fill(long sqe, int opcode, int fd, long off, long addr, int len, int opFlags, long userData) {
        for (long at = 0; at < BYTES; at += Long.BYTES) { // Entries are reused.
            RawMemory.putLong(sqe + at, 0);
        }
        RawMemory.putByte(sqe + OPCODE, (byte) opcode);
        RawMemory.putInt(sqe + FD, fd);
        RawMemory.putLong(sqe + OFF, off);
        RawMemory.putLong(sqe + ADDR, addr);
        RawMemory.putInt(sqe + LEN, len);
        RawMemory.putInt(sqe + OP_FLAGS, opFlags);
        RawMemory.putLong(sqe + USER_DATA, userData);
    }

    private static long offset(String field) {
        return LAYOUT.byteOffset(PathElement.groupElement(field));
    }
}
