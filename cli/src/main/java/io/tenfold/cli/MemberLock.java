package io.tenfold.cli;

import io.tenfold.linux.FileLock;
import io.tenfold.linux.LinuxFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Collectors;

/** Keeps other programs that ask for such a lock away from a member. Ends with {@link #close}, or with the process. */
interface MemberLock extends AutoCloseable {
    @Override
    void close();

    /**
     * Takes the lock.
     *
     * @param exclusive nobody else may have one; otherwise nobody else may have an exclusive one
     * @throws CommandFailure if another process has one that does not go with it, with that process's number where known
     */
    static MemberLock acquire(Path path, boolean exclusive) throws CommandFailure {
        try {
            return LinuxFile.isAvailable() ? ofLinux(path, exclusive) : portable(path, exclusive);
        } catch (IOException e) {
            throw CommandFailure.failed("cannot open member: " + Failures.words(e), e);
        }
    }

    private static MemberLock ofLinux(Path path, boolean exclusive) throws IOException, CommandFailure {
        FileLock lock = FileLock.tryAcquire(path, exclusive);
        if (lock == null) {
            throw inUse(path, FileLock.holders(path));
        }
        return lock::close;
    }

    /** Such a lock may end early: with any descriptor of the file that this process closes. */
    private static MemberLock portable(Path path, boolean exclusive) throws IOException, CommandFailure {
        FileChannel channel = exclusive
                ? FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)
                : FileChannel.open(path, StandardOpenOption.READ);
        try {
            if (channel.tryLock(0, Long.MAX_VALUE, !exclusive) != null) {
                return () -> close(channel);
            }
        } catch (OverlappingFileLockException _) {
            // This very process has one.
        }
        close(channel);
        throw inUse(path, List.of());
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException _) {
            // The lock is gone with the descriptor, whatever closing says.
        }
    }

    private static CommandFailure inUse(Path path, List<Long> holders) {
        String processes = holders.stream().map(String::valueOf).collect(Collectors.joining(","));
        return CommandFailure.refused("member is in use by another process: path=" + path
                + (holders.isEmpty() ? "" : ", process=" + processes));
    }
}
