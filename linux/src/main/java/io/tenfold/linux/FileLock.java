package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A lock on a whole file or block device that keeps out others who ask for one: flock(2).
 *
 * <p>It belongs to an open file of its own, so that it ends with {@link #close} or the process and not before. The locks of
 * {@link java.nio.channels.FileChannel} (fcntl(2), the older kind) end as soon as the process closes any descriptor of the
 * file, which a device that opens a file twice does all the time. The two kinds do not see each other.
 *
 * <p>Threads: any.
 */
public final class FileLock implements AutoCloseable {
    // asm-generic/fcntl.h
    private static final int LOCK_SH = 1;
    private static final int LOCK_EX = 2;
    private static final int LOCK_NB = 4;

    /** {@code int flock(int fd, int operation)}, flock(2). */
    private static final MethodHandle FLOCK =
            NativeCalls.bind("flock", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

    private final int fd;
    private boolean closed;

    private FileLock(int fd) {
        this.fd = fd;
    }

    /**
     * Takes the lock if it is free. Does not wait, and needs no more than leave to read the file.
     *
     * @param exclusive keep everybody else out; otherwise only those who want that
     * @return the lock; null if another holds one that does not go with it
     * @throws IOException if the file cannot be opened or locked at all; the message names it
     */
    public static FileLock tryAcquire(Path path, boolean exclusive) throws IOException {
        if (!LinuxFile.isAvailable()) {
            throw new IOException("cannot lock: path=" + path + ", reason=" + LinuxFile.unavailableBecause());
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment capture = NativeCalls.newCapture(arena);
            int fd = FileCalls.open(capture, arena.allocateFrom(path.toString()), FileCalls.O_RDONLY);
            if (fd < 0) {
                throw new IOException("cannot open: path=" + path + ", error=" + Errno.text(-fd));
            }
            int answer = flock(capture, fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB);
            if (answer == 0) {
                return new FileLock(fd);
            }
            FileCalls.close(capture, fd);
            if (answer == -Errno.EAGAIN) {
                return null;
            }
            throw new IOException("cannot lock: path=" + path + ", error=" + Errno.text(-answer));
        }
    }

    /**
     * The processes that hold such a lock on a file, as far as the kernel tells this one (/proc/locks). For messages.
     *
     * @see <a href="https://man7.org/linux/man-pages/man5/proc_locks.5.html">proc_locks(5)</a>
     */
    public static List<Long> holders(Path path) {
        try {
            long inode = (Long) Files.getAttribute(path, "unix:ino");
            long device = (Long) Files.getAttribute(path, "unix:dev");
            return holders(Files.readAllLines(Path.of("/proc/locks")), device, inode);
        } catch (IOException | UnsupportedOperationException _) {
            return List.of();
        }
    }

    static List<Long> holders(List<String> procLocks, long device, long inode) {
        String file = "%02x:%02x:%d".formatted(major(device), minor(device), inode);
        List<Long> holders = new ArrayList<>();
        for (String line : procLocks) {
            // "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF"; one that waits has "->" before its kind.
            String[] fields = line.trim().split("\\s+", -1);
            if (fields.length >= 6 && fields[1].equals("FLOCK") && fields[5].equals(file)) {
                long pid = Long.parseLong(fields[4]);
                if (pid > 0 && !holders.contains(pid)) { // Processes of another container have no number here.
                    holders.add(pid);
                }
            }
        }
        return holders;
    }

    // gnu/sys/sysmacros.h, how a dev_t is put together.
    private static long major(long device) {
        return ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
    }

    private static long minor(long device) {
        return (device & 0xff) | ((device >>> 12) & ~0xffL);
    }

    private static int flock(MemorySegment capture, int fd, int operation) {
        try {
            return NativeCalls.result(capture, (int) FLOCK.invokeExact(capture, fd, operation));
        } catch (Throwable t) {
            throw NativeCalls.broken("flock", t);
        }
    }

    /** Gives the lock back. Idempotent. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            try (Arena arena = Arena.ofConfined()) {
                FileCalls.close(NativeCalls.newCapture(arena), fd);
            }
        }
    }
}
