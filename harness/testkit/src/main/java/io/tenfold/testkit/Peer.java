package io.tenfold.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The other side of a connection, driven from the test's own thread: it never blocks. */
public final class Peer implements AutoCloseable {
    /** What {@link #read} answers once the other side has closed. */
    public static final int END = -1;

    /** What {@link #read} answers once the connection is broken. */
    public static final int BROKEN = -2;

    private final SocketChannel channel;

    private Peer(SocketChannel channel) {
        this.channel = channel;
    }

    /** Connects, which a listener's backlog answers without the other side's loop. */
    public static Peer connect(SocketAddress to) {
        return connect(to, 0);
    }

    /**
     * Connects.
     *
     * @param bufferBytes what the sockets' buffers should be limited to; 0 leaves them alone
     */
    public static Peer connect(SocketAddress to, int bufferBytes) {
        try {
            SocketChannel channel = to instanceof UnixDomainSocketAddress
                    ? SocketChannel.open(StandardProtocolFamily.UNIX)
                    : SocketChannel.open();
            if (bufferBytes > 0) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, bufferBytes);
                channel.setOption(StandardSocketOptions.SO_SNDBUF, bufferBytes);
            }
            channel.connect(to);
            channel.configureBlocking(false);
            return new Peer(channel);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot connect: to=" + to, e);
        }
    }

    /** Writes what the socket takes now. Writing to a closed connection is no error here: it takes 0. */
    public int write(ByteBuffer from) {
        try {
            return channel.write(from);
        } catch (IOException _) {
            return 0;
        }
    }

    /** Writes all of it, to a socket known to have room. */
    public void writeAll(byte... bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        for (int tries = 0; buffer.hasRemaining() && tries < 1_000_000; tries++) {
            write(buffer);
        }
        if (buffer.hasRemaining()) {
            throw new AssertionError("peer has no room: left=" + buffer.remaining());
        }
    }

    /** Reads what is there now: a number of bytes, 0 for none, {@link #END} or {@link #BROKEN}. */
    public int read(ByteBuffer into) {
        try {
            return channel.read(into);
        } catch (IOException _) {
            return BROKEN;
        }
    }

    /** Says that nothing more will be sent, and goes on receiving. */
    public void shutdownOutput() {
        try {
            channel.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Cuts the connection, so that a TCP peer sees a reset rather than an end. */
    public void reset() {
        try {
            if (channel.getRemoteAddress() instanceof InetSocketAddress) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        close();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
