package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.ByteStream;
import io.tenfold.base.Prng;
import io.tenfold.base.Reactor;
import io.tenfold.base.Reactor.Listener;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Reactor} and its {@link ByteStream}s must do. A reactor's test extends this and says how to make one.
 */
public abstract class StreamContract extends ReactorContract {
    private final Arena arena = Arena.ofShared();

    @AfterEach
    void freeMemory() {
        reactor.close();
        arena.close();
    }

    @Test
    void randomSizesAreEchoedBothWays() throws Exception {
        for (Family family : Family.values()) {
            Connection c = connect(family, 0);
            new Echo(c, 70_000).start();
            Prng prng = new Prng(11);
            ByteBuffer out = ByteBuffer.allocate(100_000).limit(0);
            ByteBuffer in = ByteBuffer.allocate(100_000);
            long total = 3_000_000;
            long[] done = new long[2]; // Bytes filled in for sending; bytes read back.
            runUntil("3 MB of echo over " + family, () -> {
                if (!out.hasRemaining() && done[0] < total) {
                    int length = (int) Math.min(1 + prng.below(out.capacity()), total - done[0]);
                    out.clear().limit(length);
                    for (int i = 0; i < length; i++) {
                        out.put(i, pattern(done[0] + i));
                    }
                    done[0] += length;
                }
                c.peer.write(out);
                done[1] += readPattern(c.peer, in.clear().limit(1 + prng.below(in.capacity())), done[1]);
                return done[1] == total;
            });
        }
    }

    @Test
    void partsAreSentInTheirOrderToTheLastByte() throws Exception {
        Prng prng = new Prng(12);
        for (Family family : Family.values()) {
            Connection c = connect(family, 0);
            MemorySegment[] memory = {patterned(200_000), patterned(200_000), patterned(10)};
            int count = ByteStream.PARTS_MAX;
            MemorySegment[] parts = new MemorySegment[count];
            long[] offsets = new long[count];
            long[] lengths = new long[count];
            long total = 0;
            for (int round = 0; round < 3; round++) {
                long sent = 0;
                ByteBuffer expected = ByteBuffer.allocate(600 * 4000);
                for (int i = 0; i < count; i++) {
                    parts[i] = memory[prng.below(memory.length)];
                    lengths[i] = 1 + prng.below(Math.min(4000, parts[i].byteSize()));
                    offsets[i] = prng.below(parts[i].byteSize() - lengths[i] + 1);
                    expected.put(parts[i].asSlice(offsets[i], lengths[i]).asByteBuffer());
                    sent += lengths[i];
                }
                c.stream.send(parts, offsets, lengths, count);
                ByteBuffer in = ByteBuffer.allocate(expected.position());
                int sends = round + 1;
                runUntil(
                        "512 parts over " + family,
                        () -> c.peer.read(in) <= 0 && !in.hasRemaining() && c.sentOk == sends);
                assertThat(in.flip()).isEqualTo(expected.flip());
                total += sent;
            }
            assertThat(total).isPositive();
            assertThat(c.sentBroken).isZero();
        }
    }

    @Test
    void largeSendReachesASlowReader() throws Exception {
        for (Family family : Family.values()) {
            Connection c = connect(family, 65536);
            MemorySegment memory = patterned(16 << 20);
            long half = memory.byteSize() / 2;
            c.stream.send(new MemorySegment[] {memory, memory}, new long[] {0, half}, new long[] {half, half}, 2);
            Prng prng = new Prng(13);
            ByteBuffer in = ByteBuffer.allocate(1_000_000);
            long[] got = new long[1];
            runUntil("16 MiB by a slow reader over " + family, () -> {
                if (prng.oneIn(3)) { // Now and then the sender finds the socket full.
                    got[0] += readPattern(c.peer, in.clear().limit(1 + prng.below(in.capacity())), got[0]);
                }
                return got[0] == memory.byteSize() && c.sentOk == 1;
            });
        }
    }

    @Test
    void receiveKeepsToItsMemory() throws Exception {
        Connection c = connect(Family.TCP, 0);
        MemorySegment memory = arena.allocate(100);
        memory.fill((byte) 0x55);
        c.stream.receive(memory, 40, 7);
        c.peer.writeAll(new byte[30]);
        runUntil("a receive", () -> !c.received.isEmpty());
        int bytes = c.received.getFirst();
        assertThat(bytes).isBetween(1, 7);
        for (int i = 0; i < 100; i++) {
            boolean inside = i >= 40 && i < 40 + bytes;
            assertThat(memory.get(ValueLayout.JAVA_BYTE, i)).as("byte " + i).isEqualTo((byte) (inside ? 0 : 0x55));
        }
    }

    @Test
    void bytesThatCameBeforeTheReceiveAreNotLost() throws Exception {
        Connection c = connect(Family.TCP, 0);
        c.peer.writeAll((byte) 1, (byte) 2, (byte) 3);
        for (int i = 0; i < 5; i++) { // Nobody has asked for them yet.
            reactor.poll();
            reactor.park(1_000_000);
        }
        assertThat(c.received).isEmpty();
        MemorySegment memory = arena.allocate(100);
        c.stream.receive(memory, 0, 100);
        runUntil("a receive", () -> !c.received.isEmpty());
        assertThat(c.received).containsExactly(3);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 2)).isEqualTo((byte) 3);
    }

    @Test
    void unwantedBytesDoNotKeepTheReactorAwake() throws Exception {
        Connection c = connect(Family.TCP, 0);
        new Echo(c, 10).start();
        c.peer.writeAll((byte) 1);
        runUntil("an echo", () -> c.sentOk == 1);
        c.echo.stopAfterNext = true;
        c.peer.writeAll((byte) 2);
        runUntil("a second echo", () -> c.sentOk == 2);
        c.peer.writeAll((byte) 3);
        assertSleeps();
        assertThat(c.received).hasSize(2);
    }

    @Test
    void endThatWasToldDoesNotKeepTheReactorAwake() throws Exception {
        for (Family family : Family.values()) {
            Connection c = connect(family, 0);
            c.stream.receive(arena.allocate(10), 0, 10);
            c.peer.close();
            runUntil("the end", () -> !c.received.isEmpty());
            assertSleeps();
        }
    }

    @Test
    void peerThatClosesIsAnEnd() throws Exception {
        for (Family family : Family.values()) {
            Connection c = connect(family, 0);
            c.stream.receive(arena.allocate(10), 0, 10);
            c.peer.close();
            runUntil("the end over " + family, () -> !c.received.isEmpty());
            assertThat(c.received).containsExactly(ByteStream.END);
        }
    }

    @Test
    void halfClosedPeerStillReceives() throws Exception {
        for (Family family : Family.values()) {
            Connection c = connect(family, 0);
            c.stream.receive(arena.allocate(10), 0, 10);
            c.peer.shutdownOutput();
            runUntil("the end over " + family, () -> !c.received.isEmpty());
            assertThat(c.received).containsExactly(ByteStream.END);
            c.send(patterned(5));
            ByteBuffer in = ByteBuffer.allocate(5);
            runUntil("bytes after the end", () -> c.peer.read(in) <= 0 && !in.hasRemaining());
        }
    }

    @Test
    void peerThatResetsIsBroken() throws Exception {
        Connection c = connect(Family.TCP, 0);
        c.stream.receive(arena.allocate(10), 0, 10);
        c.peer.reset();
        runUntil("the reset", () -> !c.received.isEmpty());
        assertThat(c.received).containsExactly(ByteStream.BROKEN);
    }

    @Test
    void sendToAPeerThatIsGoneIsBroken() throws Exception {
        for (Family family : Family.values()) {
            Connection c = connect(family, 0);
            MemorySegment memory = patterned(100_000);
            c.peer.close();
            int[] sends = new int[1];
            runUntil("a broken send over " + family, () -> {
                if (c.sentBroken == 0 && c.sentOk == sends[0]) {
                    sends[0]++;
                    c.send(memory);
                }
                return c.sentBroken > 0;
            });
            assertThat(c.sentBroken).isEqualTo(1);
        }
    }

    @Test
    void peerThatIsCutInTheMiddleOfASendIsBroken() throws Exception {
        Connection c = connect(Family.TCP, 8192);
        c.send(patterned(24 << 20));
        for (int i = 0; i < 10; i++) {
            reactor.poll();
        }
        assertThat(c.sentOk).isZero();
        c.peer.reset();
        runUntil("a broken send", () -> c.sentBroken == 1);
    }

    @Test
    void nothingIsToldFromWithinReceiveSendOrClose() throws Exception {
        Connection c = connect(Family.UNIX, 0);
        c.peer.writeAll((byte) 1, (byte) 2);
        c.stream.receive(arena.allocate(10), 0, 1);
        c.send(patterned(10));
        c.stream.close();
        assertThat(c.received).isEmpty();
        assertThat(c.sentOk + c.sentBroken).isZero();
        assertThat(c.closed).isZero();
        runUntil("closed", () -> c.closed == 1);
    }

    @Test
    void parkDoesNotSleepWhileAnEndedSendIsUntold() throws Exception {
        AtomicBoolean told = new AtomicBoolean();
        AtomicReference<java.net.SocketAddress> at = new AtomicReference<>();
        Thread server = Thread.ofPlatform().daemon().start(() -> {
            try (Reactor mine = makeReactor(1)) {
                Connection c = new Connection();
                at.set(mine.listen(free(Family.UNIX), incoming -> {
                            c.stream = mine.adopt(incoming, c);
                            c.send(patterned(10));
                        })
                        .address());
                while (c.sentOk == 0) {
                    mine.park(Long.MAX_VALUE); // Without a limit: only the ended send can end it.
                    mine.poll();
                }
                told.set(true);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        await("listening", () -> at.get() != null);
        opened(Peer.connect(at.get()));
        join("the sending thread", server);
        assertThat(told).isTrue();
    }

    @Test
    void closeIsToldOnce() throws Exception {
        Connection c = connect(Family.TCP, 0);
        c.stream.close();
        c.stream.close();
        runUntil("closed", () -> c.closed > 0);
        c.stream.close();
        settle();
        assertThat(c.closed).isEqualTo(1);
        ByteBuffer in = ByteBuffer.allocate(1);
        runUntil("the peer to see the end", () -> c.peer.read(in) == Peer.END);
    }

    @Test
    void closeEndsAReceiveWithoutItsCall() throws Exception {
        for (Family family : Family.values()) {
            Connection c = connect(family, 0);
            c.stream.receive(arena.allocate(10), 0, 10);
            settle();
            c.peer.writeAll((byte) 1);
            c.stream.close();
            runUntil("closed", () -> c.closed > 0);
            settle();
            assertThat(c.closed).isEqualTo(1);
            assertThat(c.received).isEmpty();
        }
    }

    @Test
    void closeEndsASendWithoutItsCall() throws Exception {
        for (Family family : Family.values()) {
            Connection c = connect(family, 8192);
            MemorySegment memory = patterned(24 << 20);
            c.send(memory);
            settle();
            c.stream.close();
            runUntil("closed", () -> c.closed > 0);
            settle();
            assertThat(c.closed).isEqualTo(1);
            assertThat(c.sentOk + c.sentBroken).isZero();
            memory.fill((byte) 0); // The owner's again: the peer sees the pattern as far as anything came.
            ByteBuffer in = ByteBuffer.allocate(100_000);
            long[] got = new long[1];
            runUntil("the peer to see the end", () -> {
                int read = c.peer.read(in.clear());
                for (int i = 0; i < read; i++) {
                    assertThat(in.get(i)).as("byte " + (got[0] + i)).isEqualTo(pattern(got[0] + i));
                }
                got[0] += Math.max(0, read);
                return read < 0;
            });
        }
    }

    @Test
    void handlerMayCloseItsStream() throws Exception {
        Connection c = connect(Family.TCP, 0);
        c.onReceived = c.stream::close;
        c.stream.receive(arena.allocate(10), 0, 10);
        c.send(patterned(10));
        c.peer.writeAll((byte) 1);
        runUntil("closed", () -> c.closed > 0);
        settle();
        assertThat(c.closed).isEqualTo(1);
        assertThat(c.received).containsExactly(1);
    }

    @Test
    void acceptedConnectionIsServedByAnotherReactor() throws Exception {
        AtomicReference<Reactor> other = new AtomicReference<>();
        AtomicBoolean stop = new AtomicBoolean();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try (Reactor mine = makeReactor(1)) {
                other.set(mine);
                while (!stop.get()) {
                    if (mine.poll() == 0) {
                        mine.park(Long.MAX_VALUE);
                    }
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        await("the other reactor", () -> other.get() != null);
        for (Family family : Family.values()) {
            Listener listener = listen(
                    family,
                    incoming -> other.get().execute(() -> {
                        Connection c = new Connection();
                        c.stream = other.get().adopt(incoming, c);
                        new Echo(c, 100).start();
                    }));
            Peer peer = opened(Peer.connect(listener.address()));
            for (int round = 0; round < 100; round++) {
                peer.writeAll((byte) round);
                ByteBuffer in = ByteBuffer.allocate(1);
                runUntil("round " + round + " over " + family, () -> peer.read(in) != 0);
                assertThat(in.get(0)).isEqualTo((byte) round);
            }
        }
        stop.set(true);
        other.get().wake();
        join("the other reactor's thread", thread);
    }

    @Test
    void closedListenerLeavesConnectionsAlone() throws Exception {
        Connection c = connect(Family.UNIX, 0);
        new Echo(c, 100).start();
        c.listener.close();
        c.peer.writeAll((byte) 7);
        ByteBuffer in = ByteBuffer.allocate(1);
        runUntil("an echo", () -> c.peer.read(in) == 1);
    }

    @Test
    void closedReactorEndsItsConnections() throws Exception {
        Connection c = connect(Family.TCP, 0);
        c.stream.receive(arena.allocate(10), 0, 10);
        settle();
        reactor.close();
        ByteBuffer in = ByteBuffer.allocate(1);
        await("the peer to see the end", () -> c.peer.read(in) < 0);
        assertThat(c.received).isEmpty();
    }

    @Test
    void taskThatGoesOnForEverDoesNotKeepAStreamWaiting() throws Exception {
        Connection c = connect(Family.UNIX, 0);
        new Echo(c, 10).start();
        boolean[] stop = new boolean[1];
        reactor.execute(new Runnable() {
            @Override
            public void run() {
                if (!stop[0]) {
                    reactor.execute(this);
                }
            }
        });
        c.peer.writeAll((byte) 1);
        ByteBuffer in = ByteBuffer.allocate(1);
        runUntil("an echo", () -> c.peer.read(in) == 1);
        stop[0] = true;
    }

    @Test
    void steadyEchoAllocatesNothing() throws Exception {
        Connection c = connect(Family.UNIX, 0);
        c.remember = false;
        new Echo(c, 1000).start();
        ByteBuffer out = ByteBuffer.allocateDirect(100);
        ByteBuffer in = ByteBuffer.allocateDirect(100);
        Allocation.assertSoonNone("echo", 1000, () -> {
            for (int round = 0; round < 1000; round++) {
                c.peer.write(out.clear());
                in.clear();
                while (in.hasRemaining()) {
                    c.peer.read(in);
                    reactor.poll();
                    reactor.park(0);
                }
            }
        });
    }

    @Test
    void manyConnectionsAreServedAtOnce() throws Exception {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Connection c = connect(i % 2 == 0 ? Family.TCP : Family.UNIX, 0);
            new Echo(c, 1000).start();
            all.add(c);
        }
        int[] echoed = new int[all.size()];
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < all.size(); i++) {
                all.get(i).peer.writeAll(new byte[1 + i]);
            }
            int rounds = round + 1;
            runUntil("round " + round, () -> {
                boolean complete = true;
                for (int i = 0; i < echoed.length; i++) {
                    echoed[i] += Math.max(0, all.get(i).peer.read(ByteBuffer.allocate(100)));
                    complete &= echoed[i] == rounds * (1 + i);
                }
                return complete;
            });
        }
    }

    /** Turns the reactor a few times, so that what should not come has its chance. */
    private void settle() {
        for (int i = 0; i < 5; i++) {
            reactor.poll();
            reactor.park(1_000_000);
        }
    }

    private Connection connect(Family family, int bufferBytes) throws Exception {
        Connection c = new Connection();
        c.listener = listen(family, incoming -> c.stream = reactor.adopt(incoming, c));
        c.peer = opened(Peer.connect(c.listener.address(), bufferBytes));
        runUntil("a connection", () -> c.stream != null);
        return c;
    }

    private MemorySegment patterned(long bytes) {
        MemorySegment memory = arena.allocate(bytes);
        for (long i = 0; i < bytes; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, pattern(i));
        }
        return memory;
    }

    /** Reads what is there and holds it against the pattern; answers how many bytes it was. */
    private static int readPattern(Peer peer, ByteBuffer in, long from) {
        int read = peer.read(in);
        assertThat(read).as("the connection ended at byte " + from).isNotNegative();
        for (int i = 0; i < read; i++) {
            if (in.get(i) != pattern(from + i)) {
                assertThat(in.get(i)).as("byte " + (from + i)).isEqualTo(pattern(from + i));
            }
        }
        return read;
    }

    private static byte pattern(long position) {
        return (byte) ((position * 0x9E3779B97F4A7C15L) >>> 56);
    }

    /** A stream with its peer, and all that its handler was told. */
    private static final class Connection implements ByteStream.Handler {
        Listener listener;
        ByteStream stream;
        Peer peer;
        Echo echo;
        Runnable onReceived = () -> {};
        final List<Integer> received = new ArrayList<>();
        boolean remember = true;
        int sentOk;
        int sentBroken;
        int closed;

        void send(MemorySegment memory) {
            stream.send(new MemorySegment[] {memory}, new long[] {0}, new long[] {memory.byteSize()}, 1);
        }

        @Override
        public void received(int bytes) {
            requireOpen("received");
            if (remember) {
                received.add(bytes);
            }
            onReceived.run();
            if (echo != null) {
                echo.received(bytes);
            }
        }

        @Override
        public void sent(boolean ok) {
            requireOpen("sent");
            sentOk += ok ? 1 : 0;
            sentBroken += ok ? 0 : 1;
            if (echo != null) {
                echo.sent(ok);
            }
        }

        @Override
        public void closed() {
            closed++;
        }

        private void requireOpen(String call) { // Allocates nothing, unlike an assertion of AssertJ.
            if (closed > 0) {
                throw new AssertionError(call + " was told after closed");
            }
        }
    }

    /** Sends back what comes, and closes when nothing comes any more. */
    private final class Echo {
        final Connection c;
        final MemorySegment memory;
        final MemorySegment[] parts;
        final long[] offsets = new long[1];
        final long[] lengths = new long[1];
        boolean stopAfterNext;

        Echo(Connection c, int bytes) {
            this.c = c;
            memory = arena.allocate(bytes);
            parts = new MemorySegment[] {memory};
            c.echo = this;
        }

        void start() {
            c.stream.receive(memory, 0, memory.byteSize());
        }

        void received(int bytes) {
            if (bytes > 0) {
                lengths[0] = bytes;
                c.stream.send(parts, offsets, lengths, 1);
            } else {
                c.stream.close();
            }
        }

        void sent(boolean ok) {
            if (ok && !stopAfterNext) {
                start();
            }
        }
    }
}
