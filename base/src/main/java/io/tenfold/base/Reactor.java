package io.tenfold.base;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.function.Consumer;

/**
 * A shard that serves byte streams: it accepts, receives and sends, and its {@link #park} ends when one of its streams
 * or of the devices opened on it has something to say.
 *
 * <p>Life: the thread that runs the loop calls {@link #poll} (which calls the streams' handlers), polls its channels, and
 * parks when neither found anything. Every method but {@link #execute} and {@link #wake} belongs to that thread.
 */
public interface Reactor extends Shard, AutoCloseable {
    /**
     * Runs a task on this shard's thread, in its next {@link #poll}. Any thread. For control: it allocates.
     */
    void execute(Runnable task);

    /**
     * Listens for connections. Each is handed over unadopted, so that it may be given to another reactor of the same
     * kind. The file of a UNIX socket is made here and removed when the listener is closed; one to which nobody listens
     * any more is replaced.
     *
     * @param at an {@link InetSocketAddress} (port 0: any free one) or {@link UnixDomainSocketAddress}
     * @throws IOException if the address is in use or not to be had; the message names it as {@link #nameOf} does
     */
    Listener listen(SocketAddress at, Consumer<Incoming> onConnect) throws IOException;

    /** Takes over a connection that a reactor of the same kind accepted. TCP connections get TCP_NODELAY and SO_KEEPALIVE. */
    ByteStream adopt(Incoming connection, ByteStream.Handler handler);

    /**
     * Calls the handlers of all streams that have something to say, and the executed tasks.
     *
     * @return how many calls were made; 0 if there was nothing
     */
    int poll();

    /**
     * Closes all that is open here. What is in flight is not waited for, tasks not yet run are dropped, and no handler
     * is called any more. Idempotent.
     */
    @Override
    void close();

    /** An address as people write it: {@code 127.0.0.1:10809}, {@code [::1]:10809}, {@code unix:/run/nbd.sock}. */
    static String nameOf(SocketAddress address) {
        return switch (address) {
            case UnixDomainSocketAddress unix -> "unix:" + unix.getPath();
            case InetSocketAddress inet -> {
                InetAddress ip = inet.getAddress();
                String host = ip == null ? inet.getHostString() : ip.getHostAddress();
                yield (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + inet.getPort();
            }
            default -> address.toString();
        };
    }

    /** An accepted connection that no shard has adopted yet. Whoever does not adopt it closes it. */
    interface Incoming extends AutoCloseable {
        /** The peer, for messages. */
        String peer();

        @Override
        void close();
    }

    /** A listening socket. Closing it (on its reactor's thread) stops accepting and leaves connections alone. */
    interface Listener extends AutoCloseable {
        /** The address it really has, with the port that was chosen. */
        SocketAddress address();

        @Override
        void close();
    }
}
