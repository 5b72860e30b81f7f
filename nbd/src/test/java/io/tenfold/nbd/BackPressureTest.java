package io.tenfold.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What clients can take of the server's memory, and what becomes of those that leave it lying. */
class BackPressureTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int MIB = 1 << 20;
    private static final int MEMORY = 64 * MIB;
    private static final int LARGEST = 32 * MIB;

    /** What the server may use beside the memory for data: an input and a send of each connection. */
    private static final int BESIDE = 4 * MIB;

    private final TestDevice device = new TestDevice(40 * MIB);
    private final ServerUnderTest server = new ServerUnderTest(
            4, new NbdLimits(10, MEMORY, 10 * SECOND, 30 * SECOND), new Export("disk", "", device, false));

    @AfterEach
    void close() {
        device.hold = false;
        server.close();
    }

    @Test
    void clientThatTakesNoRepliesIsBoundedAndHindersNobody() {
        Session lazy = server.attached("disk");
        lazy.client.reading = false;
        for (int i = 0; i < 200; i++) {
            lazy.request(0, 0, i, 0, MIB);
        }
        server.settle();
        assertThat(server.shard.pool().outBytes()).isBetween(30L * MIB, MEMORY / 2L + BESIDE);
        Session other = server.attached("disk");
        other.request(0, 0, 1, 0, MIB);
        server.settle();
        assertThat(other.replies()).hasSize(1);
        lazy.client.reading = true;
        server.settle();
        assertThat(lazy.replies()).hasSize(200).allMatch(reply -> reply.error() == 0);
    }

    @Test
    void clientThatAsksFasterThanTheDeviceIsBounded() {
        Session busy = server.attached("disk");
        device.hold = true;
        for (int i = 0; i < 1000; i++) {
            busy.request(0, 3, i, 0, 0);
        }
        server.settle();
        device.hold = false;
        server.settle();
        assertThat(busy.replies()).hasSize(1000);
    }

    @Test
    void memoryIsGivenInTheOrderInWhichItWasAskedFor() {
        Session a = server.attached("disk");
        Session b = server.attached("disk");
        Session c = server.attached("disk");
        Session d = server.attached("disk");
        device.hold = true;
        a.request(0, 0, 1, 0, LARGEST);
        b.request(0, 0, 1, 0, LARGEST - MIB);
        server.settle();
        c.request(0, 0, 1, 0, LARGEST); // There is not enough.
        server.settle();
        d.request(0, 0, 1, 0, 4096); // There would be, but c was first.
        server.settle();
        assertThat(server.shard.pool().outBytes()).isLessThan(MEMORY - MIB + BESIDE);
        device.hold = false;
        server.settle();
        for (Session session : new Session[] {a, b, c, d}) {
            assertThat(session.replies()).hasSize(1).allMatch(reply -> reply.error() == 0);
        }
    }

    @Test
    void largestRequestGetsItsTurnAmongManySmallOnes() {
        Session[] small = new Session[4];
        for (int i = 0; i < small.length; i++) {
            small[i] = server.attached("disk");
        }
        Session large = server.attached("disk");
        int rounds = 0;
        boolean asked = false;
        while (large.replies().isEmpty()) {
            for (Session session : small) {
                session.replies();
                for (int i = 0; i < 8; i++) {
                    session.request(0, 0, i, 0, 4 * MIB); // 128 MiB in all, all the time.
                }
            }
            if (!asked && rounds > 3) {
                asked = true;
                large.request(0, 0, 1, 0, LARGEST);
            }
            for (int i = 0; i < 20; i++) {
                server.turn();
            }
            assertThat(++rounds).as("rounds without a turn").isLessThan(1000);
        }
    }

    @Test
    void clientThatLeavesMemoryLyingIsCutOffOnceOthersWaitForIt() {
        Session halfWrite = server.attached("disk");
        halfWrite.send(Session.header(0, 1, 1, 0, LARGEST));
        halfWrite.client.send(new byte[1000]);
        Session lazy = server.attached("disk");
        lazy.client.reading = false;
        lazy.request(0, 0, 1, 0, LARGEST);
        server.settle();
        server.pass(1000 * SECOND);
        assertThat(server.closed).as("as long as nobody waits").isEmpty();

        Session other = server.attached("disk");
        other.request(0, 0, 1, 0, MIB);
        server.pass(20 * SECOND);
        assertThat(server.closed).isEmpty();
        assertThat(other.replies()).isEmpty();
        server.pass(20 * SECOND);
        assertThat(other.replies()).hasSize(1);
        assertThat(server.closed).isNotEmpty().containsOnly("client leaves memory lying that others wait for");
        assertThat(other.client.ended).isFalse();
    }

    @Test
    void clientThatIsSlowButMovesOnIsNotCutOff() {
        Session slow = server.attached("disk");
        slow.send(Session.header(0, 1, 1, 0, LARGEST));
        Session second = server.attached("disk");
        second.send(Session.header(0, 1, 1, 0, LARGEST));
        server.settle();
        Session other = server.attached("disk");
        other.request(0, 0, 1, 0, MIB);
        for (int i = 0; i < 32; i++) {
            slow.client.send(new byte[MIB]);
            second.client.send(new byte[MIB]);
            server.pass(20 * SECOND);
        }
        assertThat(server.closed).isEmpty();
        assertThat(slow.replies()).hasSize(1);
        assertThat(second.replies()).hasSize(1);
        assertThat(other.replies()).hasSize(1);
    }

    @Test
    void waiterThatLeavesIsForgotten() {
        Session a = server.attached("disk");
        Session b = server.attached("disk");
        Session c = server.attached("disk");
        Session d = server.attached("disk");
        device.hold = true;
        a.request(0, 0, 1, 0, LARGEST);
        b.request(0, 0, 1, 0, LARGEST);
        server.settle();
        c.request(0, 0, 1, 0, MIB);
        server.settle();
        d.request(0, 0, 1, 0, MIB);
        server.settle();
        c.client.reset(); // Not noticed while it waits: nothing is received from it.
        device.hold = false;
        server.settle();
        assertThat(c.client.ended).isTrue();
        assertThat(d.replies()).hasSize(1);
    }
}
