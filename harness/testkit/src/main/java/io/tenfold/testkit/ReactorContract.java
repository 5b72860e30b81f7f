package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Clock;
import io.tenfold.base.Reactor;
import io.tenfold.base.Reactor.Listener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Reactor} must do about sleeping, waking, tasks and listening; {@link StreamContract} goes on from
 * here.
 */
public abstract class ReactorContract {
    /** The two kinds of address; every reactor serves both. */
    protected enum Family {
        TCP,
        UNIX
    }

    private static final Clock CLOCK = Clock.system();

    private final List<AutoCloseable> opened = new ArrayList<>();
    private Path folder;

    /** The reactor under test, on the test's own thread. */
    protected Reactor reactor;

    /** A fresh reactor for the calling thread. */
    protected abstract Reactor makeReactor(int index) throws Exception;

    /** How long something may take before it counts as never. */
    protected long patienceNanos() {
        return 20_000_000_000L;
    }

    @BeforeEach
    void makeReactor() throws Exception {
        folder = Files.createTempDirectory("tf");
        reactor = opened(makeReactor(3));
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable closeable : opened.reversed()) {
            closeable.close();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    @Test
    void indexAndClockAreAsMade() {
        assertThat(reactor.index()).isEqualTo(3);
        assertThat(reactor.clock()).isNotNull();
    }

    @Test
    void pollOfAnIdleReactorFindsNothing() {
        assertThat(reactor.poll()).isZero();
    }

    @Test
    void parkOfZeroReturnsAtOnce() throws Exception {
        within("park(0)", r -> r.park(0));
    }

    @Test
    void parkWithALimitEnds() throws Exception {
        within("park(5 ms)", r -> r.park(5_000_000));
    }

    @Test
    void wakeBeforeParkEndsThatPark() throws Exception {
        within("park after wake", r -> {
            r.wake();
            r.park(Long.MAX_VALUE);
        });
    }

    @Test
    void pollDoesNotEatAWake() throws Exception {
        within("park after wake and poll", r -> {
            r.wake();
            r.poll();
            r.park(Long.MAX_VALUE);
        });
    }

    @Test
    void wakesFromAnotherThreadAreNeverLost() throws Exception {
        // Ping-pong: each side goes on only when it has seen the other's step, so one lost wake stops both.
        int rounds = 2000;
        AtomicReference<Reactor> sleeper = new AtomicReference<>();
        int[] step = new int[1]; // Plain on purpose: wake must make it visible.
        AtomicBoolean done = new AtomicBoolean();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try (Reactor mine = makeReactor(1)) {
                sleeper.set(mine);
                while (!done.get()) {
                    mine.park(Long.MAX_VALUE);
                    mine.poll();
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        await("the other reactor", () -> sleeper.get() != null);
        AtomicReference<Integer> seen = new AtomicReference<>(0);
        for (int round = 1; round <= rounds; round++) {
            step[0] = round;
            sleeper.get().execute(() -> seen.set(step[0]));
            int expected = round;
            await("the task of round " + round, () -> seen.get() == expected);
        }
        done.set(true);
        sleeper.get().wake();
        join("the other reactor's thread", thread);
    }

    @Test
    void executedTaskRunsOnTheReactorsThreadInPoll() throws Exception {
        AtomicReference<Thread> ran = new AtomicReference<>();
        Thread other = Thread.ofPlatform().daemon().start(() -> reactor.execute(() -> ran.set(Thread.currentThread())));
        join("execute", other);
        assertThat(ran.get()).as("before poll").isNull();
        assertThat(reactor.poll()).isPositive();
        assertThat(ran.get()).isSameAs(Thread.currentThread());
    }

    @Test
    void tasksRunInTheirOrder() {
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            int number = i;
            reactor.execute(() -> ran.add(number));
        }
        runUntil("all tasks", () -> ran.size() == 3000);
        assertThat(ran).isSorted();
    }

    @Test
    void parkDoesNotSleepWhileATaskWaits() throws Exception {
        within("park with a task waiting", r -> {
            r.execute(() -> {});
            r.park(Long.MAX_VALUE);
        });
    }

    @Test
    void parkEndsWhenSomebodyConnects() throws Exception {
        AtomicReference<SocketAddress> at = new AtomicReference<>();
        AtomicBoolean accepted = new AtomicBoolean();
        Thread server = Thread.ofPlatform().daemon().start(() -> {
            try (Reactor mine = makeReactor(1)) {
                at.set(mine.listen(free(Family.TCP), incoming -> {
                            accepted.set(true);
                            incoming.close();
                        })
                        .address());
                while (!accepted.get()) {
                    if (mine.poll() == 0) {
                        mine.park(Long.MAX_VALUE);
                    }
                }
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        await("listening", () -> at.get() != null);
        opened(Peer.connect(at.get()));
        join("the accepting thread", server);
    }

    @Test
    void idleReactorWithAListenerTakesNoCpu() throws Exception {
        listen(Family.TCP, Reactor.Incoming::close);
        assertSleeps();
    }

    /** Turns the reactor for a while; it must have slept nearly all of it. */
    protected final void assertSleeps() {
        for (int i = 0; i < 20; i++) {
            reactor.poll();
        }
        int calls = 0;
        int parks = 0;
        long end = CLOCK.nanos() + 300_000_000;
        while (CLOCK.nanos() - end < 0) {
            reactor.park(50_000_000);
            calls += reactor.poll();
            parks++;
        }
        assertThat(calls).as("calls without a cause").isZero();
        assertThat(parks).as("parks in 300 ms").isLessThan(30);
    }

    @Test
    void chosenPortIsTold() throws Exception {
        Listener listener = listen(Family.TCP, Reactor.Incoming::close);
        assertThat(((InetSocketAddress) listener.address()).getPort()).isPositive();
    }

    @Test
    void everyConnectionIsAcceptedOnce() throws Exception {
        for (Family family : Family.values()) {
            List<Reactor.Incoming> accepted = new ArrayList<>();
            Listener listener = listen(family, accepted::add);
            for (int i = 0; i < 200; i++) {
                opened(Peer.connect(listener.address()));
            }
            runUntil("200 connections", () -> accepted.size() >= 200);
            assertThat(reactor.poll()).isZero();
            assertThat(accepted).hasSize(200);
            assertThat(accepted.getFirst().peer()).contains(family == Family.TCP ? "127.0.0.1:" : "unix:/");
            accepted.forEach(Reactor.Incoming::close);
            listener.close();
        }
    }

    @Test
    void unadoptedConnectionThatIsClosedEndsForThePeer() throws Exception {
        Listener listener = listen(Family.TCP, Reactor.Incoming::close);
        Peer peer = opened(Peer.connect(listener.address()));
        runUntil("the peer to see the end", () -> peer.read(ByteBuffer.allocate(1)) < 0);
    }

    @Test
    void closedListenerRefusesNewConnections() throws Exception {
        for (Family family : Family.values()) {
            Listener listener = listen(family, Reactor.Incoming::close);
            SocketAddress at = listener.address();
            listener.close();
            listener.close();
            reactor.poll();
            assertThatThrownBy(() -> Peer.connect(at)).hasCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void usedPortIsRefusedByName() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress at = (InetSocketAddress) other.getLocalSocketAddress();
            assertThatThrownBy(() -> reactor.listen(at, Reactor.Incoming::close))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("127.0.0.1:" + at.getPort())
                    .hasMessageContainingAll("ddress already in use");
        }
    }

    @Test
    void portCanBeUsedAgainAtOnceAfterClose() throws Exception {
        Listener first = listen(Family.TCP, Reactor.Incoming::close);
        Peer peer = opened(Peer.connect(first.address()));
        runUntil("the connection to end", () -> peer.read(ByteBuffer.allocate(1)) < 0);
        first.close();
        reactor.poll();
        opened(reactor.listen(first.address(), Reactor.Incoming::close));
    }

    @Test
    void foreignAddressIsRefusedByName() {
        SocketAddress at = new InetSocketAddress("192.0.2.1", 0); // TEST-NET-1, RFC 5737: nobody's.
        assertThatThrownBy(() -> reactor.listen(at, Reactor.Incoming::close))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("192.0.2.1:0");
    }

    @Test
    void unixSocketIsRemovedOnClose() throws Exception {
        Listener listener = listen(Family.UNIX, Reactor.Incoming::close);
        Path path = pathOf(listener);
        assertThat(path).exists();
        listener.close();
        assertThat(path).doesNotExist();
    }

    @Test
    void unixSocketOfAnotherIsNotRemovedOnClose() throws Exception {
        Listener first = listen(Family.UNIX, Reactor.Incoming::close);
        Path path = pathOf(first);
        Files.move(path, path.resolveSibling("old")); // Keeps its inode in use, so that the new file gets another.
        opened(reactor.listen(first.address(), Reactor.Incoming::close));
        first.close();
        assertThat(path).exists();
    }

    @Test
    void staleUnixSocketIsReplaced() throws Exception {
        UnixDomainSocketAddress at = (UnixDomainSocketAddress) free(Family.UNIX);
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(at);
        }
        assertThat(at.getPath()).exists();
        List<Reactor.Incoming> accepted = new ArrayList<>();
        opened(reactor.listen(at, accepted::add));
        opened(Peer.connect(at));
        runUntil("a connection", () -> !accepted.isEmpty());
        accepted.forEach(Reactor.Incoming::close);
    }

    @Test
    void liveUnixSocketIsRefusedByName() throws Exception {
        UnixDomainSocketAddress at = (UnixDomainSocketAddress) free(Family.UNIX);
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(at);
            assertThatThrownBy(() -> reactor.listen(at, Reactor.Incoming::close))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(at.getPath().toString(), "ddress already in use");
            opened(Peer.connect(at)); // The other still serves.
        }
    }

    @Test
    void fileThatIsNoSocketIsLeftAlone() throws Exception {
        UnixDomainSocketAddress at = (UnixDomainSocketAddress) free(Family.UNIX);
        Files.writeString(at.getPath(), "precious");
        assertThatThrownBy(() -> reactor.listen(at, Reactor.Incoming::close))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(at.getPath().toString());
        assertThat(at.getPath()).hasContent("precious");
    }

    @Test
    void folderThatDoesNotExistIsNamed() {
        UnixDomainSocketAddress at = UnixDomainSocketAddress.of(folder.resolve("none/s"));
        assertThatThrownBy(() -> reactor.listen(at, Reactor.Incoming::close))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(at.getPath().toString());
    }

    /** An address nobody uses. */
    protected final SocketAddress free(Family family) {
        return switch (family) {
            case TCP -> new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            case UNIX -> UnixDomainSocketAddress.of(folder.resolve("s" + opened.size()));
        };
    }

    /** Listens at a free address until the test ends. */
    protected final Listener listen(Family family, Consumer<Reactor.Incoming> onConnect) throws IOException {
        return opened(reactor.listen(free(family), onConnect));
    }

    /** Closes this when the test ends. */
    protected final <T extends AutoCloseable> T opened(T closeable) {
        opened.add(closeable);
        return closeable;
    }

    /** Turns the reactor until something holds. */
    protected final void runUntil(String what, BooleanSupplier holds) {
        long end = CLOCK.nanos() + patienceNanos();
        while (!holds.getAsBoolean()) {
            assertThat(CLOCK.nanos() - end).as("still waiting for " + what).isNegative();
            if (reactor.poll() == 0) {
                reactor.park(1_000_000);
            }
        }
    }

    /** Waits until another thread has made something true. */
    protected final void await(String what, BooleanSupplier holds) {
        long end = CLOCK.nanos() + patienceNanos();
        while (!holds.getAsBoolean()) {
            assertThat(CLOCK.nanos() - end).as("still waiting for " + what).isNegative();
            LockSupport.parkNanos(100_000);
        }
    }

    /** Waits for a thread to end, and ends it if it does not. */
    protected final void join(String what, Thread thread) throws InterruptedException {
        thread.join(patienceNanos() / 1_000_000);
        boolean stuck = thread.isAlive();
        thread.interrupt();
        assertThat(stuck).as("still waiting for " + what).isFalse();
    }

    /** Does something with a reactor on a thread of its own, which must come to an end. */
    private void within(String what, Consumer<Reactor> deed) throws Exception {
        AtomicReference<Exception> failure = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try (Reactor mine = makeReactor(1)) {
                deed.accept(mine);
            } catch (Exception e) {
                failure.set(e);
            }
        });
        join(what, thread);
        assertThat(failure.get()).isNull();
    }

    private static Path pathOf(Listener listener) {
        return ((UnixDomainSocketAddress) listener.address()).getPath();
    }
}
