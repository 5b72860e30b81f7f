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

    /** Whether one of two block devices is a partition of the other, or of the same disk. */
    static boolean overlap(Path one, Path other) throws IOException {
        Path first = disk(one);
        return first.equals(disk(other));
    }

    /** The whole disk's place in Linux's /sys; a name that stands for the device itself where there is none. */
    private static Path disk(Path device) throws IOException {
        long number = number(device);
        // gnu/sys/sysmacros.h, how a dev_t is put together.
        long major = ((number >>> 8) & 0xfff) | ((number >>> 32) & ~0xfffL);
        long minor = (number & 0xff) | ((number >>> 12) & ~0xffL);
        Path entry = Path.of("/sys/dev/block/" + major + ":" + minor);
        if (!Files.exists(entry)) {
            return entry;
        }
        Path place = entry.toRealPath();
        return Files.exists(place.resolve("partition")) ? place.getParent() : place;
    }

    private static boolean hasUnixAttributes(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("unix");
    }
}
