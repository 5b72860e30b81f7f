package io.tenfold.testkit;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * Programs of other people that system tests run, and the Debian package of each.
 *
 * <p>A test that needs one which the machine lacks is skipped, with the package to install as the reason. Where the
 * variable {@code CI} is {@code true} it fails instead: there a skip would hide that nothing was tested.
 */
public enum Tool {
    NBDINFO("nbdinfo", "libnbd-bin"),
    NBDCOPY("nbdcopy", "libnbd-bin"),
    QEMU_IMG("qemu-img", "qemu-utils"),
    QEMU_IO("qemu-io", "qemu-utils"),
    QEMU_NBD("qemu-nbd", "qemu-utils"),
    QEMU_SYSTEM("qemu-system-x86_64", "qemu-system-x86"),
    FIO("fio", "fio"),
    MDADM("mdadm", "mdadm"),
    MKE2FS("mke2fs", "e2fsprogs"),
    E2FSCK("e2fsck", "e2fsprogs"),
    DEBUGFS("debugfs", "e2fsprogs"),
    SGDISK("sgdisk", "gdisk"),
    LOSETUP("losetup", "mount"),
    MOUNT("mount", "mount"),
    UMOUNT("umount", "mount"),
    SETPRIV("setpriv", "util-linux"),
    BASH("bash", "bash");

    private final String program;
    private final String debianPackage;

    Tool(String program, String debianPackage) {
        this.program = program;
        this.debianPackage = debianPackage;
    }

    /** The program with its arguments, to be run. Skips or fails the test if it is not here. */
    public Command command(Object... arguments) {
        return Command.of(path()).with(arguments);
    }

    /** Runs the program to its end and expects success. Skips or fails the test if it is not here. */
    public Command.Result run(Object... arguments) {
        return command(arguments).run().succeeded();
    }

    /** Where the program is. Skips or fails the test if it is not here. */
    public Path path() {
        return find().orElseThrow(() ->
                missing("needs " + program + ", which is not on this machine: apt-get install " + debianPackage));
    }

    /** Skips or fails the test unless all these are here; a test's first line, so that it does no half of its work. */
    public static void require(Tool... tools) {
        for (Tool tool : tools) {
            tool.path();
        }
    }

    /** Skips the test, or fails it where {@code CI=true}, unless {@code available}. */
    public static void require(boolean available, String reason) {
        if (!available) {
            throw missing(reason);
        }
    }

    /** Whether a skip is a failure here. */
    public static boolean isCi() {
        return "true".equals(System.getenv("CI"));
    }

    private Optional<Path> find() {
        // The sbin directories are not on every user's PATH.
        String places = System.getenv("PATH") + File.pathSeparator + "/usr/local/sbin:/usr/sbin:/sbin";
        return Stream.of(places.split(File.pathSeparator))
                .map(place -> Path.of(place, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static RuntimeException missing(String reason) {
        if (isCi()) {
            throw new AssertionError("CI skips nothing: " + reason);
        }
        return new TestAbortedException(reason);
    }
}
