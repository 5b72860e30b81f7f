package io.tenfold.system;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tenfold.base.Prng;
import io.tenfold.testkit.ContentRule;
import io.tenfold.testkit.NbdClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever one client sends, the server goes on, the data stays as it was, and other clients are served. */
@Timeout(120)
class HostileClientSystemTest {
    private static final long SEED = 11;

    @TempDir
    Path dir;

    private Tenfold server;
    private NbdClient bystander;
    private long size;

    @BeforeEach
    void fill() throws IOException, InterruptedException {
        server = Tenfold.start(
                dir.resolve("logs"), "up", dir.resolve("data"), "--size", "8M", "--listen", "127.0.0.1:0");
        bystander = server.connect();
        size = bystander.size();
        for (long at = 0; at < size; at += 1 << 20) {
            bystander.write(at, new ContentRule(SEED).bytes(at, 1 << 20), 0);
        }
        bystander.flush();
    }

    /** After each attack: the old connection and a new one work, nothing has changed, and the server stops cleanly. */
    @AfterEach
    void nothingHappenedToAnybodyElse() throws IOException, InterruptedException {
        assertThat(server.isAlive()).as(server.output()).isTrue();
        try (NbdClient old = bystander;
                NbdClient fresh = server.connect()) {
            for (long at = 0; at < size; at += 1 << 20) {
                byte[] expected = new ContentRule(SEED).bytes(at, 1 << 20);
                assertThat(old.read(at, 1 << 20)).as("offset=%d", at).isEqualTo(expected);
                assertThat(fresh.read(at, 1 << 20)).as("offset=%d", at).isEqualTo(expected);
            }
        }
        assertThat(server.output()).doesNotContain("Exception", "\tat ");
        assertThat(server.stop()).isZero();
    }

    private NbdClient connectOnly() throws IOException {
        return NbdClient.connectOnly(server.address());
    }

    private static ByteBuffer bytes(int count) {
        return ByteBuffer.allocate(count);
    }

    @Test
    void garbageInsteadOfAHandshakeEndsTheConnection() throws IOException {
        Prng prng = new Prng(1);
        for (int attempt = 0; attempt < 50; attempt++) {
            try (NbdClient client = connectOnly()) {
                ByteBuffer garbage = bytes(1 + prng.below(5000));
                while (garbage.hasRemaining()) {
                    garbage.put((byte) prng.nextLong());
                }
                sendAndIgnoreReset(client, garbage.flip());
                client.endOfSending();
                client.receiveToTheEnd();
            }
        }
    }

    @Test
    void garbageInsteadOfARequestEndsTheConnection() throws IOException {
        Prng prng = new Prng(2);
        for (int attempt = 0; attempt < 50; attempt++) {
            try (NbdClient client = server.connect()) {
                ByteBuffer garbage = bytes(28 + prng.below(5000));
                while (garbage.hasRemaining()) {
                    garbage.put((byte) prng.nextLong());
                }
                sendAndIgnoreReset(client, garbage.flip());
                client.receiveToTheEnd();
            }
        }
    }

    @Test
    void httpRequestEndsTheConnection() throws IOException {
        try (NbdClient client = connectOnly()) {
            sendAndIgnoreReset(client, ByteBuffer.wrap("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII)));
            client.receiveToTheEnd();
        }
    }

    @Test
    void silentClientsAndHalfRequestsHoldNobodyUp() throws IOException {
        List<NbdClient> idle = new ArrayList<>();
        try {
            for (int cut = 0; cut < 28; cut++) {
                idle.add(connectOnly());
                NbdClient half = server.connect();
                idle.add(half);
                half.send(NbdClient.request(0, NbdClient.WRITE, 1, 0, 4096).limit(cut));
                NbdClient halfPayload = server.connect();
                idle.add(halfPayload);
                halfPayload.send(NbdClient.request(0, NbdClient.WRITE, 1, 0, 4096), bytes(cut * 100));
            }
            assertThat(bystander.read(0, 4096)).isEqualTo(new ContentRule(SEED).bytes(0, 4096));
        } finally {
            for (NbdClient client : idle) {
                client.drop();
            }
        }
    }

    @Test
    void optionOfAMebibyteIsRefusedOrSkippedAndTheNextOneWorks() throws IOException {
        try (NbdClient client = connectOnly()) {
            client.greet();
            sendAndIgnoreReset(client, NbdClient.option(0x5555, bytes(1 << 20)));
            client.endOfSending();
            client.receiveToTheEnd();
        }
        try (NbdClient client = connectOnly()) {
            client.greet();
            sendAndIgnoreReset(client, NbdClient.option(7, bytes(1 << 20)));
            client.endOfSending();
            client.receiveToTheEnd();
        }
    }

    @Test
    void optionLengthOf4GibibytesTakesNoMemory() throws IOException {
        for (int length : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            try (NbdClient client = connectOnly()) {
                client.greet();
                sendAndIgnoreReset(client, NbdClient.option(7, bytes(0)).putInt(12, length));
                client.endOfSending();
                client.receiveToTheEnd();
            }
        }
    }

    @Test
    void offsetsThatOverflowAreAnswersNotWrites() throws IOException {
        long[] offsets = {size, size - 511, -1, -4096, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 4095, 1L << 62};
        try (NbdClient client = server.connect()) {
            for (long offset : offsets) {
                expectError(() -> client.read(offset, 4096), NbdClient.EINVAL);
                expectError(() -> client.write(offset, new byte[4096], 0), NbdClient.ENOSPC, NbdClient.EINVAL);
                expectError(() -> client.command(NbdClient.TRIM, offset, 4096), NbdClient.EINVAL, NbdClient.ENOSPC);
                expectError(
                        () -> client.command(NbdClient.WRITE_ZEROES, offset, 4096), NbdClient.ENOSPC, NbdClient.EINVAL);
            }
            assertThat(client.read(0, 4096)).hasSize(4096);
        }
    }

    @Test
    void requestsOfImpossibleLengthAreRefusedWithoutReadingThem() throws IOException {
        try (NbdClient client = server.connect()) {
            expectError(() -> client.command(NbdClient.TRIM, 0, -1), NbdClient.EINVAL, NbdClient.ENOSPC);
            expectError(() -> client.command(NbdClient.WRITE_ZEROES, 4096, -4096), NbdClient.EINVAL, NbdClient.ENOSPC);
        }
        for (int length : new int[] {-1, Integer.MIN_VALUE, (32 << 20) + 1}) {
            try (NbdClient client = server.connect()) {
                client.send(NbdClient.request(0, NbdClient.WRITE, 1, 0, length));
                client.endOfSending();
                client.receiveToTheEnd();
            }
            try (NbdClient client = server.connect()) {
                client.send(NbdClient.request(0, NbdClient.READ, 1, 0, length));
                client.endOfSending();
                assertThat(client.receiveToTheEnd())
                        .as("an error alone, or nothing")
                        .isLessThanOrEqualTo(16);
            }
        }
    }

    @Test
    void unknownCommandsAndFlagsAreAnsweredWithAnError() throws IOException {
        try (NbdClient client = server.connect()) {
            for (int type : new int[] {5, 7, 8, 99, 0x7fff}) {
                expectError(() -> client.command(type, 0, 4096), NbdClient.EINVAL, NbdClient.ENOTSUP);
            }
            client.send(NbdClient.request(0x8000, NbdClient.READ, 77, 0, 4096));
            ByteBuffer reply = client.receive(16);
            assertThat(reply.getInt(4)).as("error of unknown flags").isEqualTo(NbdClient.EINVAL);
            assertThat(reply.getLong(8)).isEqualTo(77);
        }
    }

    @Test
    void clientsKilledWithRequestsInFlightLeaveNothingBehind() throws IOException {
        for (int attempt = 0; attempt < 20; attempt++) {
            NbdClient client = server.connect();
            for (int i = 0; i < 64; i++) {
                client.send(NbdClient.request(0, NbdClient.READ, i, (long) i * 65536, 65536));
            }
            for (int i = 0; i < 8; i++) { // Writes of what is there already.
                client.send(
                        NbdClient.request(0, NbdClient.WRITE, i, (long) i * 65536, 65536),
                        ByteBuffer.wrap(new ContentRule(SEED).bytes((long) i * 65536, 65536)));
            }
            client.send(NbdClient.request(0, NbdClient.WRITE, 99, 0, 65536), bytes(0));
            client.drop();
        }
    }

    /** A client that asks and never takes its answers must stop only itself. */
    @Test
    void clientThatDoesNotReadItsRepliesStopsOnlyItself() throws IOException {
        List<NbdClient> deaf = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                NbdClient client = server.connect();
                deaf.add(client);
                for (int request = 0; request < 64; request++) {
                    client.send(NbdClient.request(0, NbdClient.READ, request, 0, 1 << 20));
                }
            }
            for (int i = 0; i < 100; i++) {
                assertThat(bystander.read(4096, 4096)).isEqualTo(new ContentRule(SEED).bytes(4096, 4096));
            }
        } finally {
            for (NbdClient client : deaf) {
                client.drop();
            }
        }
    }

    @Test
    void aThousandConnectionsComeAndGo() throws IOException {
        for (int i = 0; i < 1000; i++) {
            NbdClient client = i % 2 == 0 ? server.connect() : connectOnly();
            if (i % 3 == 0) {
                client.drop();
            } else {
                client.close();
            }
        }
    }

    private static void sendAndIgnoreReset(NbdClient client, ByteBuffer bytes) {
        try {
            client.send(bytes);
        } catch (IOException _) {
            // The server had enough before all was sent.
        }
    }

    private interface RequestToSend {
        void run() throws IOException;
    }

    private static void expectError(RequestToSend request, Integer... allowed) {
        assertThatExceptionOfType(NbdClient.NbdError.class)
                .isThrownBy(request::run)
                .satisfies(error -> assertThat(error.code()).isIn((Object[]) allowed));
    }
}
