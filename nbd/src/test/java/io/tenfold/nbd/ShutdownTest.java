package io.tenfold.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShutdownTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int ESHUTDOWN = 108;

    private final TestDevice device = new TestDevice(4 << 20);
    private final ServerUnderTest server = new ServerUnderTest(device);

    @AfterEach
    void close() {
        device.hold = false;
        server.close();
    }

    @Test
    void idleConnectionsAndHandshakesAreClosed() {
        Session idle = server.attached("disk");
        Session greeted = server.greeted();
        server.server.drain(SECOND);
        server.settle();
        assertThat(idle.client.ended).isTrue();
        assertThat(greeted.client.ended).isTrue();
        assertThat(server.shard.idle()).isTrue();
        assertThat(server.shard.draining()).isTrue();
        assertThat(server.closed).containsOnly("server shuts down");
    }

    @Test
    void newConnectionsAreTurnedAway() {
        server.server.drain(SECOND);
        server.settle();
        Session late = server.connect();
        assertThat(late.client.ended).isTrue();
        assertThat(late.bytes(100)).isEmpty();
    }

    @Test
    void whatIsInFlightIsFinishedAndWhatComesLaterRefused() {
        Session session = server.attached("disk");
        device.hold = true;
        byte[] data = TransmissionTest.pattern(65536, 1);
        session.write(0, 1, 0, data);
        session.request(0, 0, 2, 1 << 20, 1 << 20);
        server.settle();
        server.server.drain(10 * SECOND);
        server.settle();
        session.write(0, 3, 65536, data);
        session.request(0, 3, 4, 0, 0);
        server.settle();
        assertThat(errors(session)).containsExactly("3:" + ESHUTDOWN, "4:" + ESHUTDOWN);
        assertThat(session.client.ended).isFalse();
        device.hold = false;
        server.settle();
        assertThat(errors(session)).containsExactlyInAnyOrder("1:0", "2:0");
        assertThat(session.client.ended).isTrue();
        assertThat(Arrays.copyOf(device.content, 65536)).isEqualTo(data);
        assertThat(device.content[65536]).isZero();
    }

    @Test
    void clientThatTakesTooLongIsCutOff() {
        Session half = server.attached("disk");
        half.send(Session.header(0, 1, 1, 0, 1 << 20));
        half.client.send(new byte[1000]);
        Session lazy = server.attached("disk");
        lazy.client.reading = false;
        lazy.request(0, 0, 1, 0, 1 << 20);
        server.settle();
        server.server.drain(10 * SECOND);
        server.pass(9 * SECOND);
        assertThat(half.client.ended || lazy.client.ended).isFalse();
        server.pass(2 * SECOND);
        assertThat(half.client.ended && lazy.client.ended).isTrue();
        assertThat(server.shard.idle()).isTrue();
        assertThat(device.content).containsOnly(0);
    }

    @Test
    void deviceIsWaitedForEvenIfEveryClientIsGone() {
        Session session = server.attached("disk");
        device.hold = true;
        session.write(0, 1, 0, TransmissionTest.pattern(512, 1));
        server.settle();
        session.client.reset();
        server.server.drain(SECOND);
        server.pass(100 * SECOND);
        assertThat(server.shard.connections()).isZero();
        assertThat(server.shard.idle()).isFalse();
        device.hold = false;
        server.settle();
        assertThat(server.shard.idle()).isTrue();
    }

    private static List<String> errors(Session session) {
        return session.replies().stream()
                .map(reply -> reply.cookie() + ":" + reply.error())
                .toList();
    }
}
