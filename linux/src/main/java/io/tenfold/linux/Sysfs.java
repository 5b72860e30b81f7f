package io.tenfold.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the kernel tells of a block device under /sys/dev/block.
 *
 * @see <a href="https://www.kernel.org/doc/Documentation/ABI/stable/sysfs-block">sysfs-block</a>
 */
final class Sysfs {
    /** The folder of the device's queue, or null: it has none, as a file system without a device. */
    private final Path queue;

    private Sysfs(Path queue) {
        this.queue = queue;
    }

    static Sysfs ofDevice(int major, int minor) {
        try {
            Path device = Path.of("/sys/dev/block", major + ":" + minor).toRealPath();
            Path whole = Files.exists(device.resolve("partition")) ? device.getParent() : device;
            Path queue = whole.resolve("queue");
            return new Sysfs(Files.isDirectory(queue) ? queue : null);
        } catch (IOException _) {
            return new Sysfs(null);
        }
    }

    /** Seeks cost time. */
    boolean isRotational() {
        return number("rotational") == 1;
    }

    /**
     * A range can be given up so that it reads as zeroes. A plain discard is not enough: what reads afterwards may then
     * change from read to read.
     */
    boolean unmapsToZeroes() {
        return number("discard_max_bytes") > 0 && number("write_zeroes_max_bytes") > 0;
    }

    private long number(String attribute) {
        if (queue == null) {
            return 0;
        }
        try {
            return Long.parseLong(Files.readString(queue.resolve(attribute)).strip());
        } catch (IOException | NumberFormatException _) {
            return 0; // Not told.
        }
    }
}
