package io.tenfold.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a path of a block device tells about it, on systems with such devices. */
final class BlockDevices {
    // S_IFMT and S_IFBLK, inode(7).
    private static final int TYPE_MASK = 0170000;
    private static final int TYPE_BLOCK = 0060000;

    private BlockDevices() {}

    /** Whether this names a block device. */
    static boolean isBlockDevice(Path path) throws IOException {
        return hasUnixAttributes(path) && ((Integer) Files.getAttribute(path, "unix:mode") & TYPE_MASK) == TYPE_BLOCK;
    }

    /** The device's number, which is the same under each of its names. */
    static long number(Path path) throws IOException {
        return (Long) Files.getAttribute(path, "unix:rdev");
    }

    private static boolean hasUnixAttributes(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("unix");
    }
}
