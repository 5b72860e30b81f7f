package io.tenfold.linux;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A regular file or a block device of Linux: past the page cache (O_DIRECT) where its file system can, on the shard's
 * io_uring where it has one.
 *
 * <p>Memory given to it is native. What has been flushed is stable as far as the kernel and the device keep their word.
 * <b>After a flush has failed, every later flush and FUA write fails too</b>, until the device is closed and opened
 * again: the kernel tells of lost data once and then forgets, so that a later success would be a lie.
 *
 * <p><b>A file that somebody has cut short</b> while it is open takes no more writes or flushes, which answer
 * {@link IoStatus#OFFLINE}: a write beyond its new end would fill the gap with zeroes that look like data. A read beyond
 * that end, the first change of each batch, or a flush finds out.
 *
 * <p>Threads: any; each channel belongs to its own.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/open.2.html">open(2), O_DIRECT</a>
 * @see <a href="https://man7.org/linux/man-pages/man2/fsync.2.html">fsync(2)</a>
 */
public final class LinuxFile implements BlockDevice {
    /** How zeroes are written, best first; a file system that cannot one way is not asked for it again. */
    enum ZeroWay {
        /** Zeroes with their room kept. */
        ZERO_RANGE,
        /** A hole, which reads as zeroes. */
        PUNCH_HOLE,
        /** Zeroes from memory. */
        WRITE
    }

    private final Path path;
    private final FileFacts facts;
    private final int fd;
    private volatile boolean closed;

    /** Written once, by whoever first learns that a flush failed; read by each flush. */
    private volatile boolean flushFailed;

    /** Written once, by whoever first finds the file shorter than it was; read by all that changes it. */
    private volatile boolean cutShort;

    /** Written when a way turns out not to work, which happens at most twice. */
    private volatile ZeroWay zeroWay;

    private LinuxFile(Path path, FileFacts facts, int fd) {
        this.path = path;
        this.facts = facts;
        this.fd = fd;
        zeroWay = facts.zeroWay();
    }

    /**
     * Opens a file or block device that exists. A block device is opened for writing only if nothing else in the kernel
     * uses it (a mount, an array), and stays reserved until it is closed.
     *
     * @param readOnly takes no writes; the file is not changed in any way
     * @throws IOException if it cannot be opened; the message names the path and the reason
     */
    public static LinuxFile open(Path path, boolean readOnly) throws IOException {
        if (!isAvailable()) {
            throw new IOException("cannot open: path=" + path + ", reason=" + unavailableBecause());
        }
        try (Arena arena = Arena.ofConfined()) {
            FileOpening opening = new FileOpening(arena, path, readOnly);
            return new LinuxFile(path, opening.facts(), opening.fd());
        }
    }

    /** Whether this can be used here at all. Otherwise {@link #unavailableBecause} says why. */
    public static boolean isAvailable() {
        return Support.CAN_CALL;
    }

    /** Why this cannot be used here, in words for a log; empty if it can. */
    public static String unavailableBecause() {
        return Support.REASON;
    }

    /** How a channel opened on a shard does its work, in words for a log: {@code io_uring, O_DIRECT}. */
    public String kind(Shard shard) {
        return (usesRing(shard) ? "io_uring" : "pread") + (facts.isDirect() ? ", O_DIRECT" : ", page cache");
    }

    private boolean usesRing(Shard shard) {
        // tmpfs has no reads that do not block, so a ring would hand each to a kernel thread: a third of the speed.
        return shard instanceof RingReactor && !facts.isInMemory();
    }

    @Override
    public String name() {
        return path.toString();
    }

    @Override
    public long sizeBytes() {
        return facts.sizeBytes();
    }

    @Override
    public DeviceLimits limits() {
        return facts.limits();
    }

    @Override
    public Channel open(Shard shard) {
        if (closed) {
            throw new IllegalStateException("channel opened on a closed device: path=" + path);
        }
        return usesRing(shard) ? new RingFileChannel(this, (RingReactor) shard) : new PreadChannel(this);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try (Arena arena = Arena.ofConfined()) {
                FileCalls.close(NativeCalls.newCapture(arena), fd);
            }
        }
    }

    /** Whether transfers go past the page cache. */
    boolean isDirect() {
        return facts.isDirect();
    }

    /**
     * A descriptor for a channel of its own, to be closed with it. Through the page cache it is a separate open file: the
     * kernel tells each open file once that data was lost, so two flushes at a time on one could share one bad news.
     */
    int openForChannel(MemorySegment capture) {
        return facts.isDirect()
                ? fd
                : FileOpening.reopen(capture, fd, facts.limits().readOnly());
    }

    /** Gives back what {@link #openForChannel} answered. */
    void closeForChannel(MemorySegment capture, int channelFd) {
        if (channelFd != fd) {
            FileCalls.close(capture, channelFd);
        }
    }

    /** Whether a flush has failed, so that no other may succeed. */
    boolean hasFlushFailed() {
        return flushFailed;
    }

    /** A flush, or what counts as one, has failed. */
    void flushFailed() {
        flushFailed = true;
    }

    /** How to write zeroes now. */
    ZeroWay zeroWay() {
        return zeroWay;
    }

    /** One way does not work here; which is next. */
    ZeroWay zeroWayAfter(ZeroWay failed) {
        ZeroWay next = failed == ZeroWay.ZERO_RANGE ? ZeroWay.PUNCH_HOLE : ZeroWay.WRITE;
        zeroWay = next;
        return next;
    }

    /** The mode of fallocate(2) for a way that has one. */
    static int fallocateMode(ZeroWay way) {
        return FileCalls.FALLOC_KEEP_SIZE
                | (way == ZeroWay.ZERO_RANGE ? FileCalls.FALLOC_ZERO_RANGE : FileCalls.FALLOC_PUNCH_HOLE);
    }

    /** What a transfer's answer means: 0 is the end of the file, which lies where it did not when it was opened. */
    IoStatus statusOf(long answer) {
        if (answer == 0) {
            cutShort = true;
            return IoStatus.IO_ERROR;
        }
        return answer > 0 ? IoStatus.OK : Errno.status((int) -answer);
    }

    /** Whether the file has been found shorter than it was when it was opened. */
    boolean isCutShort() {
        return cutShort;
    }

    /** Looks how long the file is, and whether it {@linkplain #isCutShort is still} as long as it was. */
    boolean looksCutShort(MemorySegment capture) {
        if (!cutShort) {
            long end = FileCalls.seekToEnd(capture, fd);
            cutShort = end >= 0 && end < facts.sizeBytes();
        }
        return cutShort;
    }

    /** Whether a call should just be made again. */
    static boolean isToBeRepeated(long answer) {
        return answer == -Errno.EINTR || answer == -Errno.EAGAIN;
    }

    @Override
    public String toString() {
        return "LinuxFile " + path;
    }
}
