package io.tenfold.linux;

import io.tenfold.block.DeviceLimits;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Opens a file or block device, and finds out what it can. Nothing here changes a byte of it.
 *
 * <p>O_DIRECT is used where the file system says that it has it (statx, Linux 6.1) or shows it by a read, and where the
 * size allows: through it, the last part of a file that ends within a block could not be reached.
 */
final class FileOpening {
    private static final int SECTOR_BYTES = 512;
    private static final int BLOCK_BYTES_MAX = 65536;

    /** Longest read or write. A kernel takes 2 GiB; more than this at a time gains nothing. */
    private static final int TRANSFER_BYTES_MAX = 32 << 20;

    /** Longest discard or write-zeroes, which the kernel does in one piece. */
    private static final long RANGE_BYTES_MAX = 1 << 30;

    private static final int OPTIMAL_BYTES = 128 << 10;

    /** Most pieces of memory in one request; a kernel takes 1024. */
    static final int SEGMENTS_MAX = 128;

    // linux/magic.h
    private static final long TMPFS_MAGIC = 0x01021994L;
    private static final long RAMFS_MAGIC = 0x858458f6L;

    /** Room for {@code struct statfs}; only its first word is looked at. */
    private static final long STATFS_BYTES = 512;

    private final Arena arena;
    private final MemorySegment capture;
    private final Path path;
    private final boolean readOnly;
    private final boolean isDevice;
    private final int fd;
    private final FileFacts facts;

    FileOpening(Arena arena, Path path, boolean readOnly) throws IOException {
        this.arena = arena;
        this.path = path;
        this.readOnly = readOnly;
        capture = NativeCalls.newCapture(arena);
        isDevice = isDevice(path);
        fd = open();
        try {
            facts = inspect();
        } catch (IOException | RuntimeException e) {
            FileCalls.close(capture, fd);
            throw e;
        }
    }

    int fd() {
        return fd;
    }

    FileFacts facts() {
        return facts;
    }

    /** Opens again what is open, as a separate open file; the same descriptor if /proc is not there. */
    static int reopen(MemorySegment capture, int fd, boolean readOnly) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment link = arena.allocateFrom("/proc/self/fd/" + fd);
            int again = FileCalls.open(capture, link, readOnly ? FileCalls.O_RDONLY : FileCalls.O_RDWR);
            return again >= 0 ? again : fd;
        }
    }

    /** Looks before opening, since opening a pipe would wait for its other end. */
    private static boolean isDevice(Path path) throws IOException {
        if (!Files.exists(path)) {
            throw new IOException("cannot open: path=" + path + ", error=" + Errno.text(Errno.ENOENT));
        }
        int type = (Integer) Files.getAttribute(path, "unix:mode") & StatxLayout.S_IFMT;
        if (type != StatxLayout.S_IFBLK && type != StatxLayout.S_IFREG) {
            throw new IOException("cannot open: path=" + path + ", reason=neither a regular file nor a block device");
        }
        return type == StatxLayout.S_IFBLK;
    }

    private int open() throws IOException {
        int flags = readOnly ? FileCalls.O_RDONLY : FileCalls.O_RDWR;
        if (isDevice && !readOnly) {
            flags |= FileCalls.O_EXCL; // For a block device: refuse if something in the kernel uses it.
        }
        int opened = FileCalls.open(capture, arena.allocateFrom(path.toString()), flags);
        if (opened == -Errno.EBUSY) {
            throw new IOException(
                    "device is in use (mounted, part of an array, or opened by another program): path=" + path);
        }
        if (opened < 0) {
            throw new IOException("cannot open: path=" + path + ", error=" + Errno.text(-opened));
        }
        return opened;
    }

    /** Finds out all there is to know. */
    private FileFacts inspect() throws IOException {
        MemorySegment stat = stat();
        if (isDevice && !readOnly) {
            requireWritable();
        }
        long size = isDevice ? deviceSize() : stat.get(ValueLayout.JAVA_LONG, StatxLayout.SIZE);
        int block = isDevice ? logicalBlock() : SECTOR_BYTES;
        boolean isInMemory = !isDevice && isInMemory();
        int alignment = isInMemory ? 0 : switchToDirect(alignmentTold(stat, block), size);
        boolean isDirect = alignment > 0;
        int blockBytes = Math.max(alignment, block);
        Sysfs sysfs = isDevice
                ? Sysfs.ofDevice(intAt(stat, StatxLayout.RDEV_MAJOR), intAt(stat, StatxLayout.RDEV_MINOR))
                : Sysfs.ofDevice(intAt(stat, StatxLayout.DEV_MAJOR), intAt(stat, StatxLayout.DEV_MINOR));
        boolean discards = !readOnly && (isDevice ? sysfs.unmapsToZeroes() : punchesHoles(size));
        DeviceLimits limits = new DeviceLimits(
                blockBytes,
                isDirect ? blockBytes : 1,
                TRANSFER_BYTES_MAX,
                SEGMENTS_MAX,
                discards ? RANGE_BYTES_MAX : 0,
                readOnly ? 0 : RANGE_BYTES_MAX,
                Math.max(OPTIMAL_BYTES, blockBytes),
                sysfs.isRotational(),
                readOnly);
        LinuxFile.ZeroWay zeroWay = isInMemory ? LinuxFile.ZeroWay.PUNCH_HOLE : LinuxFile.ZeroWay.ZERO_RANGE;
        return new FileFacts(size / blockBytes * blockBytes, isDirect, isInMemory, zeroWay, limits);
    }

    private static int intAt(MemorySegment stat, long offset) {
        return stat.get(ValueLayout.JAVA_INT, offset);
    }

    private MemorySegment stat() throws IOException {
        MemorySegment to = arena.allocate(StatxLayout.LAYOUT);
        int mask = StatxLayout.BASIC_STATS | StatxLayout.DIOALIGN;
        int answer = FileCalls.statx(capture, fd, arena.allocateFrom(""), mask, to);
        if (answer < 0) {
            throw new IOException("cannot look at: path=" + path + ", error=" + Errno.text(-answer));
        }
        int type = to.get(ValueLayout.JAVA_SHORT, StatxLayout.MODE) & StatxLayout.S_IFMT;
        if (type != (isDevice ? StatxLayout.S_IFBLK : StatxLayout.S_IFREG)) {
            throw new IOException("file was replaced while it was opened: path=" + path);
        }
        return to;
    }

    private long deviceSize() throws IOException {
        MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
        ask(FileCalls.BLKGETSIZE64, size, "size");
        return size.get(ValueLayout.JAVA_LONG, 0);
    }

    private int logicalBlock() throws IOException {
        MemorySegment block = arena.allocate(ValueLayout.JAVA_INT);
        ask(FileCalls.BLKSSZGET, block, "block size");
        return block.get(ValueLayout.JAVA_INT, 0);
    }

    /** The kernel opens a read-only device for writing, too, and lets only the writes fail. */
    private void requireWritable() throws IOException {
        MemorySegment set = arena.allocate(ValueLayout.JAVA_INT);
        ask(FileCalls.BLKROGET, set, "access");
        if (set.get(ValueLayout.JAVA_INT, 0) != 0) {
            throw new IOException("cannot open: path=" + path + ", reason=the device is read-only");
        }
    }

    private void ask(long request, MemorySegment to, String what) throws IOException {
        int answer = FileCalls.ioctl(capture, fd, request, to);
        if (answer < 0) {
            throw new IOException(
                    "device does not tell its " + what + ": path=" + path + ", error=" + Errno.text(-answer));
        }
    }

    private boolean isInMemory() {
        MemorySegment statfs = arena.allocate(STATFS_BYTES, Long.BYTES);
        if (FileCalls.fstatfs(capture, fd, statfs) < 0) {
            return false;
        }
        long magic = statfs.get(ValueLayout.JAVA_LONG, 0);
        return magic == TMPFS_MAGIC || magic == RAMFS_MAGIC;
    }

    /** What O_DIRECT asks for here as the kernel tells it; 0: it is not to be had. Without a word: the block. */
    private static int alignmentTold(MemorySegment stat, int block) {
        if ((intAt(stat, StatxLayout.MASK) & StatxLayout.DIOALIGN) == 0) {
            return block;
        }
        int offset = intAt(stat, StatxLayout.DIO_OFFSET_ALIGN);
        int memory = intAt(stat, StatxLayout.DIO_MEM_ALIGN);
        return offset == 0 || memory == 0 ? 0 : Math.max(block, Math.max(offset, memory));
    }

    /**
     * Switches to O_DIRECT where that works.
     *
     * @return what offsets, lengths and addresses must be multiples of; 0: left as it was
     */
    private int switchToDirect(int told, long size) {
        if (told == 0 || FileCalls.setStatusFlags(capture, fd, FileCalls.O_DIRECT) < 0) {
            return 0;
        }
        for (int alignment = told; alignment <= BLOCK_BYTES_MAX && size % alignment == 0; alignment *= 2) {
            if (readsWith(alignment)) {
                return alignment;
            }
        }
        FileCalls.setStatusFlags(capture, fd, 0);
        return 0;
    }

    private boolean readsWith(int alignment) {
        MemorySegment memory = arena.allocate(2L * alignment, 2L * alignment);
        long justAligned = memory.address() + alignment; // And not to twice as much by chance.
        return FileCalls.pread(capture, fd, justAligned, alignment, 0) != -Errno.EINVAL;
    }

    /** Whether holes can be punched: tried behind the end, where there is nothing. */
    private boolean punchesHoles(long size) {
        int mode = FileCalls.FALLOC_KEEP_SIZE | FileCalls.FALLOC_PUNCH_HOLE;
        long behind = Math.ceilDiv(size, BLOCK_BYTES_MAX) * BLOCK_BYTES_MAX;
        return FileCalls.fallocate(capture, fd, mode, behind, BLOCK_BYTES_MAX) == 0;
    }
}
