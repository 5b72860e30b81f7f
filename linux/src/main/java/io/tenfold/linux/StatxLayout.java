package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;

/** {@code struct statx}, linux/stat.h: what there is to know about a file. */
final class StatxLayout {
    static final StructLayout LAYOUT = MemoryLayout.structLayout(
            JAVA_INT.withName("stx_mask"),
            JAVA_INT.withName("stx_blksize"),
            JAVA_LONG.withName("stx_attributes"),
            JAVA_INT.withName("stx_nlink"),
            JAVA_INT.withName("stx_uid"),
            JAVA_INT.withName("stx_gid"),
            JAVA_SHORT.withName("stx_mode"),
            MemoryLayout.paddingLayout(2),
            JAVA_LONG.withName("stx_ino"),
            JAVA_LONG.withName("stx_size"),
            JAVA_LONG.withName("stx_blocks"),
            JAVA_LONG.withName("stx_attributes_mask"),
            MemoryLayout.sequenceLayout(8, JAVA_LONG).withName("times"),
            JAVA_INT.withName("stx_rdev_major"),
            JAVA_INT.withName("stx_rdev_minor"),
            JAVA_INT.withName("stx_dev_major"),
            JAVA_INT.withName("stx_dev_minor"),
            JAVA_LONG.withName("stx_mnt_id"),
            JAVA_INT.withName("stx_dio_mem_align"),
            JAVA_INT.withName("stx_dio_offset_align"),
            MemoryLayout.sequenceLayout(12, JAVA_LONG).withName("spare"));

    static final long MASK = offset("stx_mask");
    static final long MODE = offset("stx_mode");
    static final long SIZE = offset("stx_size");
    static final long RDEV_MAJOR = offset("stx_rdev_major");
    static final long RDEV_MINOR = offset("stx_rdev_minor");
    static final long DEV_MAJOR = offset("stx_dev_major");
    static final long DEV_MINOR = offset("stx_dev_minor");
    static final long DIO_MEM_ALIGN = offset("stx_dio_mem_align");
    static final long DIO_OFFSET_ALIGN = offset("stx_dio_offset_align");

    /** Mask: type, mode and size. */
    static final int BASIC_STATS = 0x7ff;

    /** Mask: what O_DIRECT asks for; Linux 6.1. */
    static final int DIOALIGN = 0x2000;

    // The type within the mode, inode(7).
    static final int S_IFMT = 0170000;
    static final int S_IFREG = 0100000;
    static final int S_IFBLK = 0060000;

    private StatxLayout() {}

    private static long offset(String field) {
        return LAYOUT.byteOffset(PathElement.groupElement(field));
    }
}
