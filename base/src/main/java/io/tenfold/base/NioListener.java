package io.tenfold.base;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;

/** A listening socket of a {@link NioReactor}. */
final class NioListener extends NioReactor.Source implements Reactor.Listener {
    /** What the kernel may hold of connections not yet accepted; it caps this at net.core.somaxconn. */
    private static final int BACKLOG = 1024;

    /** Connections accepted in one poll, so that those already served are not kept waiting by new ones. */
    private static final int ACCEPTS_MAX = 64;

    /** How long to leave accepting alone after it has failed (as it does when the process is out of descriptors). */
    private static final long PAUSE_NANOS = 100_000_000;

    private final NioReactor reactor;
    private final ServerSocketChannel channel;
    private final SocketAddress address;
    private final UnixSocketFile file;
    private final Consumer<Reactor.Incoming> onConnect;

    /** When to accept again after a failure; only while not interested. */
    private long resumeNanos;

    private boolean paused;

    NioListener(NioReactor reactor, SocketAddress at, Consumer<Reactor.Incoming> onConnect) throws IOException {
        this.reactor = reactor;
        this.onConnect = onConnect;
        channel = bind(at);
        address = channel.getLocalAddress();
        file = address instanceof UnixDomainSocketAddress unix ? UnixSocketFile.bound(unix.getPath()) : null;
    }

    private static ServerSocketChannel bind(SocketAddress at) throws IOException {
        if (at instanceof UnixDomainSocketAddress unix) {
            UnixSocketFile.removeStale(unix.getPath());
        }
        ServerSocketChannel channel = at instanceof UnixDomainSocketAddress
                ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                : ServerSocketChannel.open();
        try {
            if (at instanceof InetSocketAddress) {
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            }
            channel.bind(at, BACKLOG);
            channel.configureBlocking(false);
            return channel;
        } catch (BindException e) {
            channel.close();
            BindException named =
                    new BindException("cannot listen: address=" + Reactor.nameOf(at) + ", reason=" + e.getMessage());
            named.initCause(e);
            throw named;
        } catch (IOException | RuntimeException e) { // Unresolved or unsupported addresses are runtime exceptions.
            channel.close();
            throw new IOException("cannot listen: address=" + Reactor.nameOf(at) + ", reason=" + reason(e), e);
        }
    }

    private static String reason(Exception e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    ServerSocketChannel channel() {
        return channel;
    }

    @Override
    int serve(int ops) {
        int accepted = 0;
        try {
            while (accepted < ACCEPTS_MAX && channel.isOpen()) {
                SocketChannel connection = channel.accept();
                if (connection == null) {
                    break;
                }
                accepted++;
                onConnect.accept(new NioIncoming(connection, address));
            }
        } catch (IOException _) {
            // The socket stays ready while it cannot be accepted from, so that waiting for it would not sleep at all.
            paused = true;
            resumeNanos = reactor.clock().nanos() + PAUSE_NANOS;
            key.interestOps(0);
            reactor.paused(this);
        }
        return accepted;
    }

    /**
     * Accepts again once the pause is over.
     *
     * @return nanoseconds until then; 0 if there is no pause any more
     */
    long pausedNanos(long now) {
        if (paused && (!channel.isOpen() || resumeNanos - now <= 0)) {
            paused = false;
            if (channel.isOpen()) {
                key.interestOps(SelectionKey.OP_ACCEPT);
            }
        }
        return paused ? resumeNanos - now : 0;
    }

    @Override
    public SocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        if (channel.isOpen()) {
            if (file != null) {
                file.remove();
            }
            NioReactor.closeQuietly(channel);
        }
    }

    /** An accepted connection. */
    record NioIncoming(SocketChannel channel, SocketAddress listener) implements Reactor.Incoming {
        @Override
        public String peer() {
            try {
                SocketAddress peer = channel.getRemoteAddress();
                // A UNIX client has no name of its own.
                return Reactor.nameOf(peer instanceof InetSocketAddress ? peer : listener);
            } catch (IOException _) {
                return "unknown";
            }
        }

        @Override
        public void close() {
            NioReactor.closeQuietly(channel);
        }
    }
}
