package io.tenfold.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

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
            FileChannel channel = exclusive
                    ? FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)
                    : FileChannel.open(path, StandardOpenOption.READ);
            try {
                FileLock lock = channel.tryLock(0, Long.MAX_VALUE, !exclusive);
                if (lock != null) {
                    return () -> close(channel);
                }
            } catch (OverlappingFileLockException _) {
                // This very process has one.
            }
            close(channel);
            throw inUse(path);
        } catch (IOException e) {
            throw CommandFailure.failed("cannot open member: " + Failures.words(e), e);
        }
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException _) {
            // The lock is gone with the descriptor, whatever closing says.
        }
    }

    private static CommandFailure inUse(Path path) {
        return CommandFailure.refused("member is in use: path=" + path);
    }
}
