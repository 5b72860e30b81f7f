package io.tenfold.base;

import java.io.IOException;
import java.net.SocketAddress;
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
     * kind.
     *
     * @param at an {@link java.net.InetSocketAddress} (port 0: any free one) or {@link java.net.UnixDomainSocketAddress}
     * @throws IOException if the address is in use or not to be had; the message names it
     */
    Listener listen(SocketAddress at, Consumer<Incoming> onConnect) throws IOException;

    /** Takes over a connection that a reactor of the same kind accepted. TCP connections get TCP_NODELAY. */
    ByteStream adopt(Incoming connection, ByteStream.Handler handler);

    /**
     * Calls the handlers of all streams that have something to say, and the executed tasks.
     *
     * @return how many calls were made; 0 if there was nothing
     */
    int poll();

    /** Closes all that is open here, without waiting for what is in flight. */
    @Override
    void close();

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
