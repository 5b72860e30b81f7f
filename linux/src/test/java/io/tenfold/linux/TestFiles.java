package io.tenfold.linux;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tenfold.testkit.Command;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Files and loop devices for tests, gone when closed. Misuse of O_DIRECT shows only on a real file system. */
final class TestFiles implements AutoCloseable {
    private final Path folder;
    private final List<Path> loops = new ArrayList<>();

    private TestFiles(Path folder) {
        this.folder = folder;
    }

    /** In the build folder, which is on a disk's file system as a rule. */
    static TestFiles onDisk() {
        return in(Path.of("target"));
    }

    /** In memory. */
    static TestFiles onTmpfs() {
        Path shm = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(shm), "no tmpfs at /dev/shm");
        return in(shm);
    }

    private static TestFiles in(Path parent) {
        try {
            Files.createDirectories(parent);
            return new TestFiles(Files.createTempDirectory(parent, "tenfold-test"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The folder that all lie in. */
    Path folder() {
        return folder;
    }

    /** Whether they lie in memory, wherever they were asked for. */
    boolean areInMemory() throws IOException {
        return Files.getFileStore(folder).type().equals("tmpfs");
    }

    /** A file of zeroes without blocks. */
    Path sparse(long bytes) throws IOException {
        Path file = Files.createTempFile(folder, "file", "");
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.setLength(bytes);
        }
        return file;
    }

    /** A loop device over such a file. Skips the test where the user may not make one. */
    Path loop(long bytes, String... options) throws IOException {
        return loopOver(sparse(bytes), options);
    }

    /** A loop device over a file. Skips the test where the user may not make one. */
    Path loopOver(Path file, String... options) throws IOException {
        assumeTrue(isRoot(), "loop devices need root");
        Path device = Path.of(Command.of("losetup", "--show", "-f", file)
                .with((Object[]) options)
                .run()
                .succeeded()
                .out()
                .strip());
        loops.add(device);
        return device;
    }

    /** Ends a loop device before the others. */
    void detach(Path loop) {
        loops.remove(loop);
        Command.of("losetup", "-d", loop).run().succeeded();
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    @Override
    public void close() throws IOException {
        for (Path loop : loops) {
            Command.of("losetup", "-d", loop).run(); // It may be gone with its mount.
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
