package io.tenfold.cli;

import io.tenfold.linux.LinuxFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a copy is written to, opened: a new or empty file, one that may be overwritten, a block device, a pipe. Never a
 * member.
 */
final class CopyOutput implements AutoCloseable {
    private static final Path STANDARD_OUTPUT = Path.of("/dev/stdout");

    private final CopyTarget target;
    private final AutoCloseable[] held;

    private CopyOutput(CopyTarget target, AutoCloseable... held) {
        this.target = target;
        this.held = held;
    }

    /**
     * Opens a target.
     *
     * @param to a path, or {@code -} for standard output
     * @param force overwrite what it holds
     * @param sizeBytes how much is to be written
     * @param members what must not be written to
     */
    static CopyOutput open(String to, boolean force, long sizeBytes, Members members, Console console)
            throws CommandFailure {
        if (to.equals("-")) {
            return new CopyOutput(new CopyTarget.Stream(console.data(), isStorage(STANDARD_OUTPUT)));
        }
        Path path = Path.of(to);
        try {
            return Files.exists(path) ? existing(path, force, sizeBytes, members) : created(path);
        } catch (IOException e) {
            throw CommandFailure.failed("cannot open target: " + Failures.words(e), e);
        }
    }

    private static boolean isStorage(Path path) {
        try {
            return Files.isRegularFile(path) || BlockDevices.isBlockDevice(path);
        } catch (IOException _) {
            return false; // Closed: the first write says so.
        }
    }

    private static CopyOutput created(Path path) throws IOException {
        try {
            FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            return new CopyOutput(new CopyTarget.SparseFile(file), file);
        } catch (FileAlreadyExistsException e) {
            throw new IOException("target is a symbolic link that leads nowhere: path=" + path, e);
        }
    }

    private static CopyOutput existing(Path path, boolean force, long sizeBytes, Members members)
            throws IOException, CommandFailure {
        if (Files.isDirectory(path)) {
            throw CommandFailure.failed("target is a directory: path=" + path);
        }
        boolean device = BlockDevices.isBlockDevice(path);
        if (!device && !Files.isRegularFile(path)) { // A pipe, /dev/null.
            FileChannel stream = FileChannel.open(path, StandardOpenOption.WRITE);
            return new CopyOutput(new CopyTarget.Stream(stream, false), stream);
        }
        if (members.contains(path)) {
            throw CommandFailure.refused("target is one of the members: path=" + path);
        }
        if (device) {
            return device(path, force, sizeBytes, members);
        }
        long size = Files.size(path);
        if (size > 0 && !force) {
            throw CommandFailure.refused("target is not empty: path=" + path + ", size=" + size)
                    .hint("--force overwrites it");
        }
        FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        return new CopyOutput(new CopyTarget.SparseFile(file), file);
    }

    private static CopyOutput device(Path path, boolean force, long sizeBytes, Members members)
            throws IOException, CommandFailure {
        if (members.overlaps(path)) {
            throw CommandFailure.refused("target is on the same disk as a member: path=" + path);
        }
        if (!force) {
            throw CommandFailure.refused("target is a block device: path=" + path)
                    .hint("--force overwrites it");
        }
        // Reserves it, and fails if the system uses it.
        AutoCloseable reserved = LinuxFile.isAvailable() ? LinuxFile.open(path, false) : () -> {};
        FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE);
        long room = file.size();
        if (room < sizeBytes) {
            throw CommandFailure.refused(
                    "target is too small: path=" + path + ", size=" + room + ", needed=" + sizeBytes);
        }
        return new CopyOutput(new CopyTarget.Stream(file, true), file, reserved);
    }

    CopyTarget target() {
        return target;
    }

    @Override
    public void close() throws IOException {
        for (AutoCloseable one : held) {
            try {
                one.close();
            } catch (IOException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
