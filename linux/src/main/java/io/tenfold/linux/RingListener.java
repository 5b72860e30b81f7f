package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.tenfold.base.Reactor;
import io.tenfold.base.UnixSocketFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.util.function.Consumer;

/** A listening socket of a {@link RingReactor}: one accept is always in flight, or the pause after one that failed. */
final class RingListener implements Reactor.Listener, RingReactor.RingSource {
    /** What the kernel may hold of connections not yet accepted; it caps this at net.core.somaxconn. */
    private static final int BACKLOG = 1024;

    /**
     * How long to leave accepting alone after it has failed (as it does when the process is out of descriptors), as
     * {@code struct __kernel_timespec}: seconds and nanoseconds.
     */
    private static final MemorySegment PAUSE = Arena.global().allocateFrom(JAVA_LONG, 0, 100_000_000);

    private final RingReactor reactor;
    private final Consumer<Reactor.Incoming> onConnect;
    private final int fd;
    private final SocketAddress address;
    private final UnixSocketFile file;
    private final AcceptOp accept;
    private final PauseOp pause;
    private boolean closed;

    RingListener(RingReactor reactor, SocketAddress at, Consumer<Reactor.Incoming> onConnect) throws IOException {
        this.reactor = reactor;
        this.onConnect = onConnect;
        fd = listen(reactor.capture(), at);
        try {
            address = at instanceof UnixDomainSocketAddress ? at : nameOf(reactor.capture(), fd);
            file = at instanceof UnixDomainSocketAddress unix ? UnixSocketFile.bound(unix.getPath()) : null;
        } catch (IOException e) {
            FileCalls.close(reactor.capture(), fd);
            throw e;
        }
        accept = new AcceptOp();
        pause = new PauseOp();
        reactor.opened(this);
        reactor.start(accept);
    }

    private static int listen(MemorySegment capture, SocketAddress at) throws IOException {
        boolean isUnix = at instanceof UnixDomainSocketAddress;
        if (at instanceof UnixDomainSocketAddress unix) {
            UnixSocketFile.removeStale(unix.getPath());
        }
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment encoded = encode(scratch, at);
            int fd = SocketCalls.streamSocket(capture, encoded.get(JAVA_SHORT, 0));
            int answer = fd;
            if (answer >= 0 && !isUnix) {
                answer = SocketCalls.switchOn(
                        capture, fd, SocketCalls.SOL_SOCKET, SocketCalls.SO_REUSEADDR, scratch.allocate(JAVA_INT));
            }
            if (answer >= 0) {
                answer = SocketCalls.bind(capture, fd, encoded);
            }
            if (answer >= 0) {
                answer = SocketCalls.listen(capture, fd, BACKLOG);
            }
            if (answer < 0) {
                if (fd >= 0) {
                    FileCalls.close(capture, fd);
                }
                throw new BindException(cannotListen(at, Errno.text(-answer)));
            }
            return fd;
        }
    }

    private static MemorySegment encode(Arena scratch, SocketAddress at) throws SocketException {
        try {
            return SockaddrLayout.encode(scratch, at);
        } catch (SocketException e) {
            SocketException named = new SocketException(cannotListen(at, e.getMessage()));
            named.initCause(e);
            throw named;
        }
    }

    private static String cannotListen(SocketAddress at, String reason) {
        return "cannot listen: address=" + Reactor.nameOf(at) + ", reason=" + reason;
    }

    private static SocketAddress nameOf(MemorySegment capture, int fd) throws IOException {
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment to = scratch.allocate(SockaddrLayout.INET6);
            MemorySegment length = scratch.allocateFrom(JAVA_INT, (int) to.byteSize());
            int answer = SocketCalls.getsockname(capture, fd, to, length);
            if (answer < 0) {
                throw new SocketException("socket has no name: error=" + Errno.text(-answer));
            }
            return SockaddrLayout.decodeInet(to);
        }
    }

    @Override
    public SocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        if (!closed) {
            reactor.begin();
            abandon();
            // While an accept is in flight the kernel keeps the socket listening, whoever has closed it.
            reactor.await(accept);
            reactor.await(pause);
            dispose();
        }
    }

    @Override
    public void abandon() {
        if (!closed) {
            closed = true;
            if (file != null) {
                file.remove();
            }
            if (accept.inFlight) {
                reactor.cancel(accept);
            }
            if (pause.inFlight) {
                reactor.cancel(pause);
            }
        }
    }

    @Override
    public void dispose() {
        FileCalls.close(reactor.capture(), fd);
        reactor.retire(accept);
        reactor.retire(pause);
        reactor.closed(this);
    }

    private String peerOf(int connection) {
        if (address instanceof UnixDomainSocketAddress) {
            return Reactor.nameOf(address); // A UNIX client has no name of its own.
        }
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment to = scratch.allocate(SockaddrLayout.INET6);
            MemorySegment length = scratch.allocateFrom(JAVA_INT, (int) to.byteSize());
            int answer = SocketCalls.getpeername(reactor.capture(), connection, to, length);
            return answer < 0 ? "unknown" : Reactor.nameOf(SockaddrLayout.decodeInet(to)); // Gone already.
        }
    }

    private final class AcceptOp extends RingOp {
        AcceptOp() {
            super(reactor);
        }

        @Override
        void fill(long sqe) {
            SqeLayout.fill(sqe, SqeLayout.OP_ACCEPT, fd, 0, 0, 0, SocketCalls.SOCK_CLOEXEC, id);
        }

        @Override
        void answered() {
            if (!closed) {
                reactor.tell(this);
            } else if (result >= 0) {
                FileCalls.close(reactor.capture(), result);
            }
        }

        @Override
        int deliver() {
            int connection = result;
            if (closed) {
                if (connection >= 0) {
                    FileCalls.close(reactor.capture(), connection);
                }
                return 0;
            }
            if (connection < 0) {
                reactor.start(isOfThatConnectionOnly(-connection) ? this : pause);
                return 0;
            }
            reactor.start(this);
            onConnect.accept(new Connection(connection, peerOf(connection), address instanceof InetSocketAddress));
            return 1;
        }

        private static boolean isOfThatConnectionOnly(int errno) {
            return errno == Errno.ECONNABORTED || errno == Errno.EINTR || errno == Errno.EAGAIN;
        }
    }

    private final class PauseOp extends RingOp {
        PauseOp() {
            super(reactor);
        }

        @Override
        void fill(long sqe) {
            SqeLayout.fill(sqe, SqeLayout.OP_TIMEOUT, -1, 0, PAUSE.address(), 1, 0, id);
        }

        @Override
        void answered() {
            if (!closed) {
                reactor.start(accept);
            }
        }
    }

    /** An accepted connection. */
    static final class Connection implements Reactor.Incoming {
        private static final int GIVEN_AWAY = -1;

        private final String peer;
        private final boolean isInet;
        private int fd;

        Connection(int fd, String peer, boolean isInet) {
            this.fd = fd;
            this.peer = peer;
            this.isInet = isInet;
        }

        /** The descriptor, which is the caller's from now on. */
        int take() {
            if (fd == GIVEN_AWAY) {
                throw new IllegalStateException("connection was adopted or closed before: peer=" + peer);
            }
            int taken = fd;
            fd = GIVEN_AWAY;
            return taken;
        }

        boolean isInet() {
            return isInet;
        }

        @Override
        public String peer() {
            return peer;
        }

        @Override
        public void close() {
            if (fd != GIVEN_AWAY) {
                try (Arena scratch = Arena.ofConfined()) { // On any thread, so the errno segment is its own.
                    FileCalls.close(NativeCalls.newCapture(scratch), take());
                }
            }
        }
    }
}
