package io.tenfold.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Prng;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random requests of several clients against a plain array: each is answered exactly once, in any order, with the data
 * that the array has; cookies are used again as soon as they are free. The device below has random limits.
 */
class ServerModelTest {
    private static final int REQUESTS = 400;

    static long[] seeds() {
        long[] seeds = new long[40];
        Arrays.setAll(seeds, i -> i + 1);
        return seeds;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyRequestIsAnsweredOnceAsTheArrayWould(long seed) {
        new Run(seed, _ -> {}).toTheEnd();
    }

    @Test
    void sameSeedGivesTheSameTrace() {
        assertThat(new Run(7, _ -> {}).toTheEnd()).isEqualTo(new Run(7, _ -> {}).toTheEnd());
    }

    @Test
    void forgottenWriteIsNoticed() {
        // The device says that it has written, and has not.
        Consumer<TestDevice> forget = device ->
                device.fault = request -> request.op() == Op.WRITE && request.offset() > 300_000 ? IoStatus.OK : null;
        assertThatThrownBy(() -> new Run(3, forget).toTheEnd()).isInstanceOf(AssertionError.class);
    }

    @Test
    void unexpectedErrorIsNoticed() {
        Consumer<TestDevice> fail = device -> device.fault =
                request -> request.op() == Op.READ && request.offset() > 300_000 ? IoStatus.IO_ERROR : null;
        assertThatThrownBy(() -> new Run(3, fail).toTheEnd()).isInstanceOf(AssertionError.class);
    }

    @Test
    void secondReplyAndForeignCookieAreNoticed() {
        Run run = new Run(3, _ -> {});
        Client client = run.clients.getFirst();
        Session.Reply stray = new Session.Reply(12345, 0, new byte[0]);
        assertThatThrownBy(() -> run.check(client, stray)).hasMessageContaining("nobody has asked");
    }

    /** One client, and what it waits for. */
    private static final class Client {
        final Session session;
        final Map<Long, Asked> asked = new HashMap<>();

        Client(Session session) {
            this.session = session;
        }
    }

    private record Asked(int type, int offset, int length) {
        boolean changes() {
            return type == 1 || type == 4 || type == 6;
        }

        boolean conflictsWith(Asked other) {
            return (changes() || other.changes())
                    && offset < other.offset + other.length
                    && other.offset < offset + length;
        }
    }

    private static final class Run {
        final long seed;
        final Prng prng;
        final TestDevice device;
        final ServerUnderTest server;
        final byte[] model;
        final List<Client> clients = new ArrayList<>();
        final StringBuilder trace = new StringBuilder();
        final int block;

        Run(long seed, Consumer<TestDevice> spoil) {
            this.seed = seed;
            prng = new Prng(seed);
            block = prng.oneIn(2) ? 512 : 4096;
            DeviceLimits limits = randomLimits();
            device = new TestDevice(1 << 20, limits, seed);
            device.room = 1 + prng.below(8);
            spoil.accept(device);
            model = device.content.clone();
            server = new ServerUnderTest(seed, NbdLimits.usual(), new Export("disk", "", device, false));
            server.reactor.pieceBytesMax = 1 << (9 + prng.below(12));
            int count = 1 + prng.below(4);
            for (int i = 0; i < count; i++) {
                clients.add(new Client(server.attached("disk")));
            }
        }

        private DeviceLimits randomLimits() {
            int alignment = 1 << (2 * prng.below(9));
            int unit = Math.max(block, alignment);
            return new DeviceLimits(
                    block,
                    alignment,
                    unit * (1 + prng.below(32)) + (prng.oneIn(2) ? block : 0),
                    1 + prng.below(4),
                    prng.oneIn(3) ? 0 : (long) block * (1 + prng.below(500)),
                    prng.oneIn(3) ? 0 : (long) block * (1 + prng.below(500)),
                    block * 8,
                    prng.oneIn(2),
                    false);
        }

        /** Runs it; answers what happened, in its order. */
        String toTheEnd() {
            int left = REQUESTS;
            while (left > 0) {
                Client client = clients.get(prng.below(clients.size()));
                client.session.client.reading = !prng.oneIn(4);
                device.hold = prng.oneIn(4);
                if (client.asked.size() < 16 && ask(client)) {
                    left--;
                }
                for (int turns = prng.below(4); turns > 0; turns--) {
                    server.turn();
                }
                clients.forEach(this::checkAll);
            }
            clients.forEach(client -> client.session.client.reading = true);
            device.hold = false;
            server.settle();
            for (Client client : clients) {
                checkAll(client);
                assertThat(client.asked).as("never answered, seed=" + seed).isEmpty();
            }
            assertThat(Arrays.mismatch(device.content, model))
                    .as("seed=" + seed)
                    .isEqualTo(-1);
            server.close();
            return trace.toString();
        }

        private boolean ask(Client client) {
            int type = new int[] {0, 0, 0, 1, 1, 1, 3, 4, 6, 6}[prng.below(10)];
            int blocks = prng.oneIn(8) ? 1 + prng.below(device.content.length / block) : 1 + prng.below(12);
            int length = type == 3 ? 0 : blocks * block;
            int offset = type == 3 ? 0 : prng.below((device.content.length - length) / block + 1) * block;
            Asked asked = new Asked(type, offset, length);
            boolean conflict = clients.stream()
                    .flatMap(other -> other.asked.values().stream())
                    .anyMatch(asked::conflictsWith);
            if (conflict || (type == 4 && device.limits().discardBytesMax() == 0)) {
                return false;
            }
            long cookie = 0; // The lowest that is free: just given back, more often than not.
            while (client.asked.containsKey(cookie)) {
                cookie++;
            }
            client.asked.put(cookie, asked);
            int flags = prng.oneIn(4) ? 1 : 0;
            if (type == 1) {
                byte[] data = TransmissionTest.pattern(length, (int) prng.nextLong());
                System.arraycopy(data, 0, model, offset, length);
                client.session.write(flags, cookie, offset, data);
            } else {
                if (type != 0 && type != 3) {
                    Arrays.fill(model, offset, offset + length, (byte) (type == 4 ? 0xDD : 0));
                }
                client.session.request(flags | (type == 6 && prng.oneIn(3) ? 2 : 0), type, cookie, offset, length);
            }
            return true;
        }

        private void checkAll(Client client) {
            for (Session.Reply reply : client.session.replies()) {
                check(client, reply);
            }
        }

        void check(Client client, Session.Reply reply) {
            Asked asked = client.asked.remove(reply.cookie());
            if (asked == null) {
                throw new AssertionError("a reply that nobody has asked for: " + reply + ", seed=" + seed);
            }
            trace.append(clients.indexOf(client))
                    .append(' ')
                    .append(reply)
                    .append(' ')
                    .append(asked)
                    .append('\n');
            assertThat(reply.error()).as(asked + ", seed=" + seed).isZero();
            if (asked.type == 0) {
                byte[] expected = Arrays.copyOfRange(model, asked.offset, asked.offset + asked.length);
                assertThat(Arrays.mismatch(reply.data(), expected))
                        .as(asked + ", seed=" + seed)
                        .isEqualTo(-1);
            }
        }
    }
}
