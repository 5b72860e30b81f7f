package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.Command;
import io.tenfold.testkit.ContentRule;
import io.tenfold.testkit.NbdClient;
import io.tenfold.testkit.Repository;
import io.tenfold.testkit.Sha256;
import io.tenfold.testkit.Tool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** NBD clients of other people on an array that {@code up} serves. */
@Timeout(300)
class ClientSystemTest {
    private static final int SIZE = 64 << 20;

    @TempDir
    Path dir;

    private Tenfold server;

    @BeforeEach
    void up() throws IOException, InterruptedException {
        server = Tenfold.start(
                dir.resolve("logs"), "up", dir.resolve("data"), "--size", "64M", "--listen", "127.0.0.1:0");
    }

    @AfterEach
    void down() throws IOException, InterruptedException {
        if (server != null && server.isAlive()) {
            assertThat(server.stop()).isZero();
        }
    }

    private Path image() throws IOException {
        Path image = dir.resolve("image.raw");
        try (InputStream content = new ContentRule(5).stream(0, SIZE)) {
            Files.copy(content, image, StandardCopyOption.REPLACE_EXISTING);
        }
        return image;
    }

    @Test
    void qemuImgConvertsInAndOutUnchanged() throws IOException {
        Path image = image();
        Path back = dir.resolve("back.raw");
        Tool.QEMU_IMG.run("convert", "-n", "-f", "raw", "-O", "raw", image, server.address());
        Tool.QEMU_IMG.run("convert", "-f", "raw", "-O", "raw", server.address(), back);
        assertThat(Sha256.of(back)).isEqualTo(Sha256.of(image));
        Tool.QEMU_IMG.run("compare", "-f", "raw", "-F", "raw", image, server.address());
    }

    @Test
    void qemuIoWritesAndVerifiesItsPatterns() {
        Tool.QEMU_IO.run(
                "-f",
                "raw",
                "-c",
                "write -P 0x5a 1M 3M",
                "-c",
                "write -f -P 0xa5 2M 64k",
                "-c",
                "write -z 3M 64k",
                "-c",
                "discard 40M 1M",
                "-c",
                "flush",
                "-c",
                "read -P 0x5a 1M 1M",
                "-c",
                "read -P 0xa5 2M 64k",
                "-c",
                "read -P 0 3M 64k",
                "-c",
                "read -P 0x5a 3211264 64k",
                server.address());
        // A first or last byte that is no sector's.
        Tool.QEMU_IO.run("-f", "raw", "-c", "write -P 7 1001 3003", "-c", "read -P 7 1001 3003", server.address());
    }

    @Test
    void ext4FileSystemPassesItsCheckAndKeepsItsFiles() throws IOException {
        Tool.require(Tool.MKE2FS, Tool.E2FSCK, Tool.DEBUGFS, Tool.NBDCOPY);
        Path tree = Files.createDirectories(dir.resolve("tree/folder"));
        Path file = tree.resolve("file");
        Files.write(file, new ContentRule(6).bytes(0, 3 << 20));
        Path image = dir.resolve("ext4.raw");
        Tool.MKE2FS.run("-q", "-t", "ext4", "-d", dir.resolve("tree"), image, "64M");
        Tool.NBDCOPY.run("--flush", image, server.address());
        Path back = dir.resolve("back.raw");
        Tool.NBDCOPY.run(server.address(), back);
        Tool.E2FSCK.run("-fn", back);
        Path extracted = dir.resolve("extracted");
        Tool.DEBUGFS.run("-R", "dump /folder/file " + extracted, back);
        assertThat(Sha256.of(extracted)).isEqualTo(Sha256.of(file));
    }

    @ParameterizedTest
    @CsvSource({"1,1,4k", "16,1,4k", "8,4,4k", "8,2,64k", "4,1,1m"})
    void fioVerifiesItsRandomWrites(int depth, int jobs, String block) {
        Command.Result result = Tool.FIO.run(
                "--name=verify",
                "--ioengine=nbd",
                "--uri=" + server.address(),
                "--rw=randwrite",
                "--bs=" + block,
                "--iodepth=" + depth,
                "--numjobs=" + jobs,
                "--size=" + (SIZE / jobs),
                "--offset_increment=" + (SIZE / jobs),
                "--io_size=" + (32 << 20) / jobs,
                "--fsync=64",
                "--verify=crc32c",
                "--verify_state_save=0",
                "--do_verify=1",
                "--group_reporting");
        assertThat(result.out()).contains("err= 0");
    }

    @Test
    void nbdcopyWithSeveralConnectionsCopiesInAndOutUnchanged() throws IOException {
        Path image = image();
        Path back = dir.resolve("back.raw");
        Tool.NBDCOPY.run("--connections=4", "--requests=64", "--flush", image, server.address());
        Tool.NBDCOPY.run("--connections=4", "--requests=64", server.address(), back);
        assertThat(Sha256.of(back)).isEqualTo(Sha256.of(image));
    }

    @Test
    void whatIsWrittenOnOneConnectionIsReadOnAnother() throws IOException {
        byte[] bytes = new ContentRule(8).bytes(0, 8192);
        try (NbdClient one = server.connect();
                NbdClient other = server.connect()) {
            one.write(12_288, bytes, 0);
            assertThat(other.read(12_288, 8192)).isEqualTo(bytes);
            other.flush();
        }
    }

    /** The kernel's own client: a file system made, filled and unmounted through {@code /dev/nbd0} in a real Linux. */
    @Test
    @Tag("long")
    @Timeout(900)
    void linuxMakesAFileSystemThroughItsOwnClient() throws Exception {
        MdCheck.require();
        Command.Result result = Command.of(
                        Repository.root().resolve("harness/kernel/kernel-vm"),
                        "--timeout",
                        "600",
                        "--host-tcp",
                        server.address().getPort(),
                        "--",
                        """
                        set -e
                        modprobe nbd
                        nbd-client -N '' $HOST_ADDR $HOST_PORT /dev/nbd0
                        mkfs.ext4 -q /dev/nbd0
                        mount /dev/nbd0 /mnt
                        dd if=/dev/urandom of=/mnt/file bs=1M count=20 status=none
                        sha256sum < /mnt/file
                        umount /mnt
                        e2fsck -fn /dev/nbd0
                        nbd-client -d /dev/nbd0
                        """)
                .within(Duration.ofMinutes(12))
                .run()
                .succeeded();
        Path back = dir.resolve("back.raw");
        Tool.NBDCOPY.run(server.address(), back);
        Tool.E2FSCK.run("-fn", back);
        Path extracted = dir.resolve("extracted");
        Tool.DEBUGFS.run("-R", "dump /file " + extracted, back);
        assertThat(result.out()).contains(Sha256.of(extracted));
    }
}
