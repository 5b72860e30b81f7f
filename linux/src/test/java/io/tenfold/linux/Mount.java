package io.tenfold.linux;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tenfold.testkit.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small file system of a test's own, gone when closed. Skips the test where the user may not mount one. */
record Mount(Path folder, Path loop) implements AutoCloseable {
    private static final Path NONE = Path.of("");

    /** One in memory with room for so many bytes. */
    static Mount tmpfs(TestFiles files, long bytes) throws IOException {
        assumeTrue(TestFiles.isRoot(), "mounting needs root");
        Path folder = Files.createTempDirectory(files.folder(), "mount");
        Command.of("mount", "-t", "tmpfs", "-o", "size=" + bytes, "tenfold-test", folder)
                .run()
                .succeeded();
        return new Mount(folder, NONE);
    }

    /** One of ext4 in a file, without a journal so that it stays small. */
    static Mount ext4(TestFiles files, Path file) throws IOException {
        Path loop = files.loopOver(file);
        Command.of("mkfs.ext4", "-q", "-O", "^has_journal", loop).run().succeeded();
        Path folder = Files.createTempDirectory(files.folder(), "mount");
        Command.of("mount", loop, folder).run().succeeded();
        return new Mount(folder, loop);
    }

    /** Gives a file system in memory another size. */
    void resize(long bytes) {
        Command.of("mount", "-o", "remount,size=" + bytes, folder).run().succeeded();
    }

    @Override
    public void close() {
        Command.of("umount", folder).run().succeeded();
        if (!loop.equals(NONE)) {
            Command.of("losetup", "-d", loop).run().succeeded();
        }
    }
}
