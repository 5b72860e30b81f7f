package io.tenfold.testkit;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A plain NBD client for tests, one request at a time, with a way to send any bytes at all.
 *
 * <p>It shares no code with the server that it tests, so that no misunderstanding of the protocol is on both sides.
 * Simple replies only. Belongs to one thread; blocks, and is ended by interrupting that thread, so a test's time limit
 * holds.
 *
 * @see <a href="https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md">the protocol</a>
 */
public final class NbdClient implements AutoCloseable {
    /** Command flag: stable before the reply. */
    public static final int FUA = 1;

    public static final int READ = 0;
    public static final int WRITE = 1;
    public static final int DISCONNECT = 2;
    public static final int FLUSH = 3;
    public static final int TRIM = 4;
    public static final int WRITE_ZEROES = 6;

    public static final int EPERM = 1;
    public static final int EIO = 5;
    public static final int EINVAL = 22;
    public static final int ENOSPC = 28;
    public static final int EOVERFLOW = 75;
    public static final int ENOTSUP = 95;

    private static final int OPTION_GO = 7;
    private static final long NBDMAGIC = 0x4e42_444d_4147_4943L;
    private static final long IHAVEOPT = 0x4948_4156_454f_5054L;
    private static final long OPTION_REPLY = 0x0003_e889_0455_65a9L;
    private static final int REQUEST = 0x2560_9513;
    private static final int SIMPLE_REPLY = 0x6744_6698;
    private static final int FIXED_NEWSTYLE = 1;
    private static final int NO_ZEROES = 2;

    private final SocketChannel channel;
    private long size;
    private int transmissionFlags;
    private long cookie;

    /** The server answered a request with an error. */
    public static final class NbdError extends IOException {
        private static final long serialVersionUID = 1;

        private final int code;

        NbdError(int code, String request) {
            super("error reply: code=" + code + ", " + request);
            this.code = code;
        }

        /** The error number of the protocol, such as {@link #EINVAL}. */
        public int code() {
            return code;
        }
    }

    private NbdClient(SocketChannel channel) {
        this.channel = channel;
    }

    /** Connects and takes the export that the address names; it is then ready for requests. */
    public static NbdClient connect(URI address) throws IOException {
        NbdClient client = connectOnly(address);
        try {
            client.greet();
            String path = address.getPath() == null ? "" : address.getPath();
            client.go(path.startsWith("/") ? path.substring(1) : path);
            return client;
        } catch (IOException | RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** Connects and neither reads nor writes a byte: what follows is up to {@link #send} and {@link #receive}. */
    public static NbdClient connectOnly(URI address) throws IOException {
        SocketChannel channel = switch (address.getScheme()) {
            case "nbd" -> {
                int port = address.getPort() < 0 ? 10809 : address.getPort();
                SocketAddress target = new InetSocketAddress(address.getHost(), port);
                SocketChannel tcp = SocketChannel.open(target);
                tcp.setOption(StandardSocketOptions.TCP_NODELAY, true);
                yield tcp;
            }
            case "nbd+unix" -> {
                String path = address.getQuery().replaceFirst("^.*socket=([^&]*).*$", "$1");
                SocketChannel unix = SocketChannel.open(StandardProtocolFamily.UNIX);
                unix.connect(UnixDomainSocketAddress.of(path));
                yield unix;
            }
            default -> throw new IllegalArgumentException("not an NBD address: address=" + address);
        };
        return new NbdClient(channel);
    }

    /** The handshake's first exchange: takes the server's greeting and asks for the fixed newstyle. */
    public void greet() throws IOException {
        ByteBuffer greeting = receive(18);
        expect("magic", NBDMAGIC, greeting.getLong());
        expect("option magic", IHAVEOPT, greeting.getLong());
        int flags = greeting.getShort() & 0xffff;
        if ((flags & FIXED_NEWSTYLE) == 0) {
            throw new IOException("server does not speak the fixed newstyle: flags=" + flags);
        }
        send(ByteBuffer.allocate(4).putInt(FIXED_NEWSTYLE | (flags & NO_ZEROES)).flip());
    }

    private void go(String export) throws IOException {
        byte[] name = export.getBytes(StandardCharsets.UTF_8);
        send(option(
                OPTION_GO,
                ByteBuffer.allocate(6 + name.length)
                        .putInt(name.length)
                        .put(name)
                        .putShort((short) 0)
                        .flip()));
        while (true) {
            ByteBuffer head = receive(20);
            expect("option reply magic", OPTION_REPLY, head.getLong());
            expect("option", OPTION_GO, head.getInt());
            int type = head.getInt();
            ByteBuffer body = receive(head.getInt());
            if (type == 1) { // Acknowledged: from here on requests.
                return;
            } else if (type == 3) {
                if (body.getShort() == 0) { // Size and flags of the export.
                    size = body.getLong();
                    transmissionFlags = body.getShort() & 0xffff;
                }
            } else {
                throw new IOException("server refuses the export: export=\"" + export + "\", reply="
                        + Integer.toHexString(type) + ", text=" + StandardCharsets.UTF_8.decode(body));
            }
        }
    }

    /** Size of the export in bytes. */
    public long size() {
        return size;
    }

    /** What the server can do, in the protocol's transmission flags. */
    public int transmissionFlags() {
        return transmissionFlags;
    }

    /** Reads {@code length} bytes from byte {@code offset} on. */
    public byte[] read(long offset, int length) throws IOException {
        send(request(0, READ, ++cookie, offset, length));
        reply("read: offset=" + offset + ", length=" + length);
        return receive(length).array();
    }

    /** Writes all of {@code bytes} at byte {@code offset}; {@code flags} is 0 or {@link #FUA}. */
    public void write(long offset, byte[] bytes, int flags) throws IOException {
        send(request(flags, WRITE, ++cookie, offset, bytes.length), ByteBuffer.wrap(bytes));
        reply("write: offset=" + offset + ", length=" + bytes.length);
    }

    /** Makes stable all that was written and answered before. */
    public void flush() throws IOException {
        send(request(0, FLUSH, ++cookie, 0, 0));
        reply("flush");
    }

    /** Sends one request without payload ({@link #TRIM}, {@link #WRITE_ZEROES}) and waits for its reply. */
    public void command(int type, long offset, int length) throws IOException {
        send(request(0, type, ++cookie, offset, length));
        reply("command " + type + ": offset=" + offset + ", length=" + length);
    }

    /** One request's 28 bytes, for tests that send their own. */
    public static ByteBuffer request(int flags, int type, long cookie, long offset, int length) {
        return ByteBuffer.allocate(28)
                .putInt(REQUEST)
                .putShort((short) flags)
                .putShort((short) type)
                .putLong(cookie)
                .putLong(offset)
                .putInt(length)
                .flip();
    }

    /** One option's bytes, for tests that send their own. */
    public static ByteBuffer option(int option, ByteBuffer body) {
        return ByteBuffer.allocate(16 + body.remaining())
                .putLong(IHAVEOPT)
                .putInt(option)
                .putInt(body.remaining())
                .put(body)
                .flip();
    }

    /** Sends all of the bytes. */
    public void send(ByteBuffer... bytes) throws IOException {
        for (ByteBuffer part : bytes) {
            while (part.hasRemaining()) {
                channel.write(part);
            }
        }
    }

    /** Waits for exactly that many bytes. */
    public ByteBuffer receive(int count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        while (bytes.hasRemaining()) {
            if (channel.read(bytes) < 0) {
                throw new EOFException("server closed the connection: expected=" + count + ", got=" + bytes.position());
            }
        }
        return bytes.flip();
    }

    /** Reads and drops what the server sends until it closes the connection; how many bytes that were. */
    public long receiveToTheEnd() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
        long count = 0;
        try {
            for (int got = channel.read(bytes.clear()); got >= 0; got = channel.read(bytes.clear())) {
                count += got;
            }
        } catch (IOException _) {
            // A reset is a way to close, too: the server had unread bytes of ours.
        }
        return count;
    }

    /** Says that no more will be sent. */
    public void endOfSending() throws IOException {
        channel.shutdownOutput();
    }

    /** Closes the connection without a word, as a killed client does. */
    public void drop() throws IOException {
        channel.close();
    }

    /** Takes leave as the protocol wants it, if the connection still lives. */
    @Override
    public void close() throws IOException {
        try (channel) {
            if (channel.isOpen() && size > 0) {
                send(request(0, DISCONNECT, ++cookie, 0, 0));
            }
        } catch (IOException _) {
            // The server went first.
        }
    }

    private void reply(String request) throws IOException {
        ByteBuffer head = receive(16);
        expect("reply magic", SIMPLE_REPLY, head.getInt());
        int error = head.getInt();
        expect("cookie", cookie, head.getLong());
        if (error != 0) {
            throw new NbdError(error, request);
        }
    }

    private static void expect(String what, long expected, long actual) throws IOException {
        if (expected != actual) {
            throw new IOException("wrong " + what + ": expected=0x" + Long.toHexString(expected) + ", actual=0x"
                    + Long.toHexString(actual));
        }
    }
}
