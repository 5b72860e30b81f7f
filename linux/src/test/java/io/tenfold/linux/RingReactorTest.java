package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tenfold.base.Clock;
import io.tenfold.base.NioReactor;
import io.tenfold.base.Reactor;
import io.tenfold.testkit.Peer;
import io.tenfold.testkit.StreamContract;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RingReactorTest extends StreamContract {
    @Override
    protected Reactor makeReactor(int index) throws Exception {
        return TestRings.make(index, Clock.system());
    }

    /** Full queues and answers that the kernel keeps back are the rule here. */
    @Nested
    class OnATinyRing extends StreamContract {
        @Override
        protected Reactor makeReactor(int index) throws Exception {
            return TestRings.make(index, Clock.system(), 2, 4, 0);
        }
    }

    @Nested
    class AsOnAnOldKernel extends StreamContract {
        @Override
        protected Reactor makeReactor(int index) throws Exception {
            return TestRings.make(index, Clock.system(), 256, 1024, 2);
        }
    }

    @Test
    void availabilityIsToldInWords() {
        assertThat(RingReactor.isAvailable())
                .isEqualTo(RingReactor.unavailableBecause().isEmpty());
    }

    @Test
    void addressesOfVersion6AreServed() throws Exception {
        List<Incoming6> accepted = new ArrayList<>();
        assumeTrue(Files.exists(Path.of("/proc/net/if_inet6")), "no IP version 6 here");
        InetSocketAddress at = new InetSocketAddress(InetAddress.getAllByName("::1")[0], 0);
        var listener = opened(reactor.listen(at, incoming -> accepted.add(new Incoming6(incoming.peer(), incoming))));
        assertThat(Reactor.nameOf(listener.address())).startsWith("[0:0:0:0:0:0:0:1]:");
        opened(Peer.connect(listener.address()));
        runUntil("a connection", () -> !accepted.isEmpty());
        assertThat(accepted.getFirst().peer).startsWith("[0:0:0:0:0:0:0:1]:");
        accepted.getFirst().incoming.close();
    }

    private record Incoming6(String peer, Reactor.Incoming incoming) {}

    @Test
    void tooLongAPathIsRefusedByName() {
        String path = "/tmp/" + "x".repeat(200);
        assertThatThrownBy(() -> reactor.listen(UnixDomainSocketAddress.of(path), Reactor.Incoming::close))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path)
                .hasMessageContaining("1 to 107 bytes");
    }

    @Test
    void hostThatIsNotKnownIsRefusedByName() {
        InetSocketAddress at = InetSocketAddress.createUnresolved("no.such.host", 1);
        assertThatThrownBy(() -> reactor.listen(at, Reactor.Incoming::close))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot listen: address=no.such.host:1, reason=unknown host");
    }

    @Test
    void connectionOfAnotherKindOfReactorIsRefused() throws Exception {
        List<Reactor.Incoming> accepted = new ArrayList<>();
        try (NioReactor nio = new NioReactor(0, Clock.system());
                Reactor.Listener listener = nio.listen(free(Family.TCP), accepted::add)) {
            opened(Peer.connect(listener.address()));
            runUntil("a connection", () -> nio.poll() > 0);
            assertThatThrownBy(() -> reactor.adopt(accepted.getFirst(), null))
                    .isInstanceOf(IllegalArgumentException.class);
            accepted.getFirst().close();
        }
    }

    @Test
    void connectionIsAdoptedOnce() throws Exception {
        List<Reactor.Incoming> accepted = new ArrayList<>();
        opened(Peer.connect(listen(Family.TCP, accepted::add).address()));
        runUntil("a connection", () -> !accepted.isEmpty());
        accepted.getFirst().close();
        accepted.getFirst().close();
        assertThatThrownBy(() -> reactor.adopt(accepted.getFirst(), null)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closedReactorMayBeWokenAndNothingElse() throws Exception {
        Reactor gone = makeReactor(0);
        gone.poll();
        gone.close();
        gone.close();
        gone.wake();
        gone.execute(() -> {});
        assertThatThrownBy(gone::poll).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> gone.park(1)).isInstanceOf(IllegalStateException.class);
        try (Reactor next = makeReactor(0)) { // It may have got the counter of the other.
            next.park(1_000_000);
            assertThat(next.poll()).isZero();
        }
    }

    @Test
    void reactorMadeElsewhereIsThatOfItsFirstUser() throws Exception {
        Reactor mine = makeReactor(0);
        mine.wake();
        Throwable[] failure = new Throwable[1];
        Thread user = Thread.ofPlatform().start(() -> {
            try {
                mine.park(Long.MAX_VALUE);
                mine.poll();
                mine.close();
            } catch (RuntimeException | Error e) {
                failure[0] = e;
            }
        });
        join("the reactor's thread", user);
        assertThat(failure[0]).isNull();
        mine.close();
    }

    @Test
    void taskMayCloseItsReactor() throws Exception {
        Reactor mine = makeReactor(0);
        mine.execute(mine::close);
        mine.execute(() -> {
            throw new AssertionError("ran after close");
        });
        assertThat(mine.poll()).isEqualTo(1);
    }

    @Test
    void listenerSleepsWhileThereAreNoDescriptorsAndThenGoesOn() throws Exception {
        List<Reactor.Incoming> accepted = new ArrayList<>();
        Reactor.Listener listener = listen(Family.TCP, accepted::add);
        for (int round = 0; round < 2; round++) { // The first loads what classes there are to load.
            int before = accepted.size();
            Peer peer = opened(Peer.connect(listener.address()));
            int low = round == 0 ? 1 << 20 : 3; // Descriptors 0 to 2 are taken.
            long limit = Limit.set(low);
            try {
                if (round == 1) {
                    assertSleeps();
                    assertThat(accepted).hasSize(before);
                }
            } finally {
                Limit.set(limit);
            }
            runUntil("a connection", () -> accepted.size() > before);
            peer.close();
        }
        accepted.forEach(Reactor.Incoming::close);
    }

    /** The soft limit of the process's open files. */
    private static final class Limit {
        private static final int RLIMIT_NOFILE = 7;
        private static final FunctionDescriptor TYPE = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG);
        private static final MethodHandle GET = NativeCalls.bindPlain("getrlimit", TYPE);
        private static final MethodHandle SET = NativeCalls.bindPlain("setrlimit", TYPE);

        /** Sets it, within the hard one; what it was. */
        static long set(long soft) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment limits = arena.allocate(16, 8);
                assertThat((int) GET.invokeExact(RLIMIT_NOFILE, limits.address()))
                        .isZero();
                long before = limits.get(JAVA_LONG, 0);
                limits.set(JAVA_LONG, 0, Math.min(soft, limits.get(JAVA_LONG, 8)));
                assertThat((int) SET.invokeExact(RLIMIT_NOFILE, limits.address()))
                        .isZero();
                return before;
            } catch (Throwable t) {
                throw new AssertionError(t);
            }
        }
    }
}
