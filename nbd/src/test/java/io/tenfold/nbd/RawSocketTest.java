package io.tenfold.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Prng;
import io.tenfold.block.MemoryDevice;
import io.tenfold.testkit.NbdClient;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that behave badly over real sockets: each is dealt with, and a good one beside them notices nothing. */
@Timeout(60)
class RawSocketTest {
    private static final int SIZE = 64 << 20;

    private final MemoryDevice device = new MemoryDevice(SIZE);
    private final RunningServer server = new RunningServer(new Export("disk", "", device, false));
    private final List<URI> addresses = List.of(server.unix("disk"), server.tcp("disk"));

    @AfterEach
    void close() throws IOException {
        for (URI address : addresses) { // It still serves.
            try (NbdClient client = NbdClient.connect(address)) {
                client.read(0, 512);
            }
        }
        server.close();
        device.close();
    }

    @Test
    void garbageEndsTheConnection() throws IOException {
        Prng prng = new Prng(1);
        for (URI address : addresses) {
            for (int round = 0; round < 20; round++) {
                byte[] garbage = new byte[1 + prng.below(2000)];
                for (int i = 0; i < garbage.length; i++) {
                    garbage[i] = (byte) prng.nextLong();
                }
                garbage[0] = 1; // Not accidentally the flags that are allowed.
                NbdClient client = NbdClient.connectOnly(address);
                client.send(ByteBuffer.wrap(garbage));
                client.endOfSending();
                assertThat(client.receiveToTheEnd()).isLessThanOrEqualTo(18);
                client.close();
            }
        }
    }

    @Test
    void garbageAfterTheHandshakeEndsTheConnection() throws IOException {
        for (URI address : addresses) {
            NbdClient client = NbdClient.connect(address);
            client.send(
                    ByteBuffer.wrap("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n".getBytes(StandardCharsets.UTF_8)));
            assertThat(client.receiveToTheEnd()).isZero();
            client.drop();
        }
    }

    @Test
    void optionOfOneMebibyteIsPassedOver() throws IOException {
        for (URI address : addresses) {
            NbdClient client = NbdClient.connectOnly(address);
            client.greet();
            client.send(NbdClient.option(4711, ByteBuffer.allocate(1 << 20)));
            ByteBuffer reply = client.receive(20);
            assertThat(reply.getInt(8)).isEqualTo(4711);
            assertThat(reply.getInt(12)).isEqualTo(0x80000001);
            client.receive(reply.getInt(16));
            client.drop();
        }
    }

    @Test
    void halfARequestHindersNobody() throws IOException {
        for (URI address : addresses) {
            NbdClient half = NbdClient.connect(address);
            half.send(NbdClient.request(0, NbdClient.WRITE, 1, 0, 1 << 20).limit(20));
            NbdClient halfPayload = NbdClient.connect(address);
            halfPayload.send(
                    NbdClient.request(0, NbdClient.WRITE, 1, 0, 1 << 20), ByteBuffer.wrap(new byte[] {1, 2, 3}));
            try (NbdClient good = NbdClient.connect(address)) {
                good.write(1 << 20, new byte[4096], NbdClient.FUA);
                assertThat(good.read(0, 4096)).containsOnly(0);
            }
            half.drop();
            halfPayload.drop();
        }
    }

    @Test
    void overflowIsRefusedAndTheConnectionKept() throws IOException {
        for (URI address : addresses) {
            try (NbdClient client = NbdClient.connect(address)) {
                for (long offset : new long[] {-512, Long.MAX_VALUE - 511, Long.MIN_VALUE, SIZE}) {
                    client.send(NbdClient.request(0, NbdClient.WRITE, 5, offset, 1024), ByteBuffer.allocate(1024));
                    assertThat(client.receive(16).getInt(4)).isEqualTo(NbdClient.ENOSPC);
                    client.send(NbdClient.request(0, NbdClient.READ, 6, offset, 1024));
                    assertThat(client.receive(16).getInt(4)).isEqualTo(NbdClient.EINVAL);
                }
                client.read(0, 512);
            }
        }
    }

    @Test
    void cutConnectionsLeaveNoMemoryAndNoConnectionBehind() throws IOException {
        byte[] ones = new byte[64 << 10];
        Arrays.fill(ones, (byte) 1);
        for (int round = 0; round < 100; round++) {
            NbdClient client = NbdClient.connect(addresses.get(round % 2));
            for (int i = 0; i < 16; i++) {
                client.send(NbdClient.request(0, NbdClient.READ, i, i * 65536L, 1 << 20));
                client.send(
                        NbdClient.request(0, NbdClient.WRITE, 100 + i, (32 << 20) + i * 65536L, ones.length),
                        ByteBuffer.wrap(ones));
            }
            client.send(NbdClient.request(0, NbdClient.WRITE, 1, 0, 1 << 20), ByteBuffer.wrap(ones));
            client.drop();
        }
        // Each is closed sooner or later; what they had sent whole may have been written, the rest has not.
        try (NbdClient good = NbdClient.connect(addresses.getFirst())) {
            while (server.onShard(NbdShard::connections) > 1) {
                good.flush();
            }
            long outBytes = server.onShard(shard -> shard.pool().outBytes());
            assertThat(outBytes).isEqualTo(Connection.INPUT_BYTES);
            assertThat(good.read(0, 1 << 20)).containsOnly(0);
        }
    }

    @Test
    void stopWithRequestsInFlightAnswersThem() throws IOException {
        NbdClient client = NbdClient.connect(addresses.getFirst());
        byte[] data = new byte[1 << 20];
        Arrays.fill(data, (byte) 9);
        for (int i = 0; i < 8; i++) {
            client.send(NbdClient.request(0, NbdClient.WRITE, i, i << 20, data.length), ByteBuffer.wrap(data));
        }
        assertThat(client.receive(16).getInt(4)).isZero();
        RunningServer second = new RunningServer(new Export("", "", device, true));
        second.drain(); // Another server's end is none of ours.
        second.close();
        assertThat(client.receive(7 * 16).remaining()).isEqualTo(112);
        assertThat(device.memory().get(ValueLayout.JAVA_BYTE, (8 << 20) - 1)).isEqualTo((byte) 9);
        client.close();
    }
}
