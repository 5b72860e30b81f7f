package io.tenfold.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Clock;
import io.tenfold.base.Prng;
import io.tenfold.block.MemoryDevice;
import io.tenfold.testkit.Command;
import io.tenfold.testkit.NbdClient;
import io.tenfold.testkit.ThreadCost;
import io.tenfold.testkit.Tool;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The server against the clients that people use, over UNIX sockets and TCP, with one and two shards. */
@Timeout(120)
class RealClientsSystemTest {
    private static final int SIZE = 64 << 20;

    @TempDir
    private Path folder;

    private final MemoryDevice device = new MemoryDevice(SIZE);
    private final MemoryDevice second = new MemoryDevice(1 << 20);
    private RunningServer server;

    @BeforeEach
    void start() {
        server = new RunningServer(
                2,
                NbdLimits.usual(),
                new Export("disk", "a disk", device, false),
                new Export("sealed", "read only", second, true));
    }

    @AfterEach
    void stop() {
        server.close();
        device.close();
        second.close();
    }

    @Test
    void nbdinfoSeesWhatIsServed() {
        for (URI uri : both("disk")) {
            Command.Result info = Tool.NBDINFO.run(uri);
            assertThat(info.out())
                    .contains(
                            "protocol: newstyle-fixed",
                            "export-size: " + SIZE,
                            "description: a disk",
                            "can_multi_conn: true",
                            "can_flush: true",
                            "can_fua: true",
                            "can_trim: true",
                            "can_zero: true",
                            "can_fast_zero: true",
                            "can_cache: false",
                            "is_read_only: false",
                            "block_size_minimum: 512",
                            "block_size_preferred: 4096",
                            "block_size_maximum: 33554432");
            assertThat(Tool.NBDINFO.run("--size", uri).out().strip()).isEqualTo(Integer.toString(SIZE));
        }
        assertThat(Tool.NBDINFO.run("--list", server.unix("")).out()).contains("export=\"disk\"", "export=\"sealed\"");
        Tool.NBDINFO.command("--is", "read-only", server.tcp("sealed")).run().succeeded();
        Tool.NBDINFO.command("--can", "write", server.tcp("sealed")).run().failed();
        assertThat(Tool.NBDINFO.command(server.unix("none")).run().failed().err())
                .contains("No such file or directory for export: none");
    }

    @Test
    void nbdcopyBringsAnImageThereAndBack() throws IOException {
        Path image = randomImage();
        for (URI uri : both("disk")) {
            device.memory().fill((byte) 0x11);
            Tool.NBDCOPY.run("--connections=4", "--flush", image, uri);
            assertThat(MemorySegment.ofArray(Files.readAllBytes(image)).mismatch(device.memory()))
                    .as("first different byte, over " + uri)
                    .isEqualTo(-1);
            Path back = folder.resolve("back");
            Tool.NBDCOPY.run("--connections=4", "--requests=32", uri, back);
            assertThat(Files.mismatch(image, back))
                    .as("first different byte, over " + uri)
                    .isEqualTo(-1);
            Files.delete(back);
        }
    }

    @Test
    void nbdcopySynchronousAndWithLargeRequestsWorks() throws IOException {
        Path image = randomImage();
        Tool.NBDCOPY.run("--synchronous", image, server.unix("disk"));
        Path back = folder.resolve("back");
        Tool.NBDCOPY.run("--request-size=" + (32 << 20), server.unix("disk"), back);
        assertThat(Files.mismatch(image, back)).isEqualTo(-1);
    }

    @Test
    void qemuImgConvertsComparesAndReads() throws IOException {
        Path image = randomImage();
        URI uri = server.unix("disk");
        assertThat(Tool.QEMU_IMG.run("info", uri).out()).contains("file format: raw", "64 MiB");
        Tool.QEMU_IMG.run("convert", "-n", "-f", "raw", "-O", "raw", "-m", "8", "-W", image, uri);
        assertThat(Tool.QEMU_IMG
                        .run("compare", "-f", "raw", "-F", "raw", image, uri)
                        .out())
                .contains("identical");
        Path back = folder.resolve("back.qcow2");
        Tool.QEMU_IMG.run("convert", "-f", "raw", "-O", "qcow2", server.tcp("disk"), back);
        assertThat(Tool.QEMU_IMG
                        .run("compare", "-f", "raw", "-F", "qcow2", image, back)
                        .out())
                .contains("identical");
        Tool.QEMU_IMG.run(
                "bench", "-f", "raw", "-w", "-c", "5000", "-d", "64", "-s", "4096", "--flush-interval=500", uri);
    }

    @Test
    void qemuIoWritesZeroesDiscardsAndFlushes() {
        Command.Result result = Tool.QEMU_IO.run(
                "-f",
                "raw",
                "-c",
                "write -P 0xab 0 1M",
                "-c",
                "write -f -P 0xcd 1M 64k",
                "-c",
                "flush",
                "-c",
                "read -P 0xab 0 1M",
                "-c",
                "read -P 0xcd 1M 64k",
                "-c",
                "write -z 4k 8k",
                "-c",
                "write -z -u 64k 128k",
                "-c",
                "read -P 0 4k 8k",
                "-c",
                "read -P 0 64k 128k",
                "-c",
                "read -P 0xab 0 4k",
                "-c",
                "discard 512k 64k",
                "-c",
                "aio_write -P 1 2M 32k",
                "-c",
                "aio_write -P 2 3M 32k",
                "-c",
                "aio_flush",
                "-c",
                "read -P 2 3M 32k",
                server.tcp("disk"));
        assertThat(result.all()).doesNotContain("failed", "Pattern");
    }

    @Test
    void fioVerifiesRandomWritesOverSeveralConnections() {
        for (URI uri : both("disk")) {
            Tool.FIO.run(
                    "--name=verify",
                    "--ioengine=nbd",
                    "--uri=" + uri,
                    "--rw=randrw",
                    "--bsrange=4k-128k",
                    "--blockalign=4k",
                    "--iodepth=32",
                    "--size=" + SIZE,
                    "--io_size=64M",
                    "--verify=crc32c",
                    "--randseed=7",
                    "--do_verify=1",
                    "--verify_state_save=0",
                    "--output-format=terse");
        }
        Tool.FIO.run(
                "--name=jobs",
                "--ioengine=nbd",
                "--uri=" + server.unix("disk"),
                "--rw=randwrite",
                "--bs=4k",
                "--iodepth=64",
                "--numjobs=4",
                "--size=16M",
                "--offset_increment=16M",
                "--verify=crc32c",
                "--fsync=100",
                "--verify_state_save=0",
                "--output-format=terse");
    }

    @Test
    void nbdshCommandsMeetTheServersRules() throws IOException {
        Path script = folder.resolve("rules.py");
        Files.writeString(script, """
                import errno, nbd, sys
                h = nbd.NBD()
                h.set_strict_mode(0)
                h.connect_uri(sys.argv[1])
                def fails(code, call):
                    try:
                        call()
                    except nbd.Error as e:
                        assert e.errnum == code, (e.errnum, code, str(e))
                    else:
                        raise AssertionError("should have failed with %d" % code)
                size = h.get_size()
                h.pwrite(b"x" * 512, 0, nbd.CMD_FLAG_FUA)
                assert h.pread(512, 0) == b"x" * 512
                h.pread(512, 0)
                fails(errno.EINVAL, lambda: h.pread(511, 0))
                fails(errno.EINVAL, lambda: h.pread(512, 1))
                fails(errno.EINVAL, lambda: h.pread(512, size))
                fails(errno.ENOSPC, lambda: h.pwrite(b"x" * 1024, size - 512))
                fails(errno.EINVAL, lambda: h.trim(1024, size - 512))
                fails(errno.ENOSPC, lambda: h.zero(1024, size - 512))
                fails(errno.EINVAL, lambda: h.cache(512, 0))
                fails(errno.EINVAL, lambda: h.pread(512, 2**63 - 512))
                fails(errno.EINVAL, lambda: h.pwrite(b"x" * 512, 0, 1 << 2))
                h.zero(size, 0)
                h.zero(4096, 0, nbd.CMD_FLAG_FAST_ZERO)
                h.zero(4096, 0, nbd.CMD_FLAG_NO_HOLE | nbd.CMD_FLAG_FUA)
                h.trim(size, 0, nbd.CMD_FLAG_FUA)
                h.flush()
                assert h.pread(512, 0) == bytes(512)
                cookies = [h.aio_pwrite(nbd.Buffer.from_bytearray(bytearray([i]) * 4096), i * 4096) for i in range(64)]
                h.aio_disconnect(0)
                while not h.aio_is_closed():
                    h.poll(-1)
                for cookie in cookies:
                    assert h.aio_command_completed(cookie)
                h = nbd.NBD()
                h.set_export_name("sealed")
                h.connect_uri(sys.argv[2])
                assert h.is_read_only()
                h.set_strict_mode(0)
                fails(errno.EPERM, lambda: h.pwrite(b"x" * 512, 0))
                h.pread(512, 0)
                h.shutdown()
                """);
        Command python = Command.of(nbdPython());
        for (String form : List.of("unix", "tcp")) {
            URI disk = "unix".equals(form) ? server.unix("disk") : server.tcp("disk");
            URI sealed = "unix".equals(form) ? server.unix("sealed") : server.tcp("sealed");
            python.with(script, disk, sealed).run().succeeded();
        }
        for (int i = 0; i < 64; i++) {
            assertThat(device.memory().get(ValueLayout.JAVA_BYTE, i * 4096L)).isEqualTo((byte) i);
        }
    }

    @Test
    void connectionsAreSpreadOverTheShards() throws IOException {
        try (NbdClient a = NbdClient.connect(server.unix("disk"));
                NbdClient b = NbdClient.connect(server.tcp("disk"));
                NbdClient c = NbdClient.connect(server.unix("disk"));
                NbdClient d = NbdClient.connect(server.tcp("disk"))) {
            a.write(0, Arrays.copyOf(new byte[] {1, 2, 3, 4}, 512), 0);
            b.flush();
            for (NbdClient client : List.of(b, c, d)) {
                assertThat(client.read(0, 512)[3]).isEqualTo((byte) 4);
            }
            assertThat(server.onShard(NbdShard::connections)).isEqualTo(2);
        }
    }

    @Test
    void idleServerTakesNoCpu() throws Exception {
        try (NbdClient client = NbdClient.connect(server.unix("disk"))) {
            client.read(0, 512);
            long before = ThreadCost.cpuNanos(server.thread());
            long end = Clock.system().nanos() + 300_000_000L;
            while (Clock.system().nanos() - end < 0) {
                LockSupport.parkNanos(50_000_000);
            }
            long used = ThreadCost.cpuNanos(server.thread()) - before;
            assertThat(used).as("nanoseconds of CPU in 300 ms of idleness").isLessThan(10_000_000);
        }
    }

    /** The Python that has the nbd module, or else the test is skipped. */
    private static Path nbdPython() {
        Path python = Path.of("/usr/bin/python3");
        boolean there = Files.isExecutable(python)
                && Command.of(python, "-c", "import nbd").run().exitCode() == 0;
        Tool.require(there, "needs the nbd module of /usr/bin/python3: apt-get install python3-libnbd");
        return python;
    }

    private List<URI> both(String export) {
        return List.of(server.unix(export), server.tcp(export));
    }

    /** An image of the device's size: random, with a hole. */
    private Path randomImage() throws IOException {
        byte[] bytes = new byte[SIZE];
        Prng prng = new Prng(17);
        for (int i = 0; i < SIZE; i += 8) {
            ByteBuffer.wrap(bytes).putLong(i, prng.nextLong());
        }
        Arrays.fill(bytes, 10 << 20, 30 << 20, (byte) 0);
        return Files.write(folder.resolve("image"), bytes);
    }
}
