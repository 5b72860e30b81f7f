package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.SocketException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Our test client against a server that others wrote. */
@Timeout(60)
class NbdClientTest {
    private static final int SIZE = 1 << 20;

    @TempDir
    Path dir;

    private Process server;
    private URI address;

    @BeforeEach
    void startQemu() throws IOException, InterruptedException {
        Tool.require(Tool.QEMU_NBD);
        Path image = dir.resolve("image");
        Files.write(image, new byte[SIZE]);
        Path socket = dir.resolve("socket");
        server = Tool.QEMU_NBD
                .command("-f", "raw", "-x", "disk", "-t", "-k", socket, image)
                .start(dir.resolve("out"), dir.resolve("err"));
        address = URI.create("nbd+unix:///disk?socket=" + socket);
        while (!isListening() && !server.waitFor(10, TimeUnit.MILLISECONDS)) {
            // The wait is for either the server or its end; the test's time limit bounds it.
        }
    }

    /** The socket's file is there before anybody listens on it, so its being there proves nothing. */
    private boolean isListening() throws IOException {
        try {
            NbdClient.connectOnly(address).close();
            return true;
        } catch (SocketException _) {
            return false;
        }
    }

    @AfterEach
    void stop() {
        if (server != null) {
            Command.endAll(server);
        }
    }

    @Test
    void readsBackWhatItWrote() throws IOException {
        byte[] bytes = new ContentRule(7).bytes(4096, 65536);
        try (NbdClient client = NbdClient.connect(address)) {
            assertThat(client.size()).isEqualTo(SIZE);
            client.write(4096, bytes, 0);
            client.write(SIZE - 512, new byte[512], NbdClient.FUA);
            client.flush();
            client.command(NbdClient.WRITE_ZEROES, 0, 512);
            client.command(NbdClient.TRIM, 512, 512);
        }
        try (NbdClient client = NbdClient.connect(address)) {
            assertThat(client.read(4096, 65536)).isEqualTo(bytes);
        }
    }

    @Test
    void errorReplyIsAnExceptionWithItsCode() throws IOException {
        try (NbdClient client = NbdClient.connect(address)) {
            assertThatExceptionOfType(NbdClient.NbdError.class)
                    .isThrownBy(() -> client.read(SIZE, 512))
                    .matches(error -> error.code() == NbdClient.EINVAL)
                    .withMessage("error reply: code=22, read: offset=1048576, length=512");
            assertThat(client.read(0, 512)).hasSize(512);
        }
    }

    @Test
    void unknownExportIsRefused() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(
                        () -> NbdClient.connect(URI.create(address.toString().replace("disk", "other"))))
                .withMessageStartingWith("server refuses the export: export=\"other\"");
    }
}
