package io.tenfold.nbd;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A client over memory that writes the protocol's bytes itself, so that it can also write wrong ones. */
final class Session {
    static final long IHAVEOPT = 0x49484156454f5054L;

    final MemoryReactor.Client client;
    private ByteBuffer in = ByteBuffer.allocate(0);

    /** Lengths of the reads that are not answered, by cookie. */
    private final Map<Long, Integer> reads = new HashMap<>();

    Session(MemoryReactor.Client client) {
        this.client = client;
    }

    /** One reply: its error, and its data if it is a good read. */
    static final class Reply {
        private final long cookie;
        private final int error;
        private final byte[] data;

        Reply(long cookie, int error, byte[] data) {
            this.cookie = cookie;
            this.error = error;
            this.data = data;
        }

        long cookie() {
            return cookie;
        }

        int error() {
            return error;
        }

        byte[] data() {
            return data;
        }

        @Override
        public String toString() {
            return cookie + ":" + error + " with " + data.length + " bytes";
        }
    }

    /** One reply of the handshake. */
    static final class OptionReply {
        private final int option;
        private final int type;
        private final byte[] data;

        OptionReply(int option, int type, byte[] data) {
            this.option = option;
            this.type = type;
            this.data = data;
        }

        int option() {
            return option;
        }

        int type() {
            return type;
        }

        byte[] data() {
            return data;
        }

        String text() {
            return new String(data, StandardCharsets.UTF_8);
        }

        @Override
        public String toString() {
            return "option=" + option + ", type=" + Integer.toHexString(type) + ", data=" + text();
        }
    }

    void send(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        client.send(copy);
    }

    void flags(int flags) {
        send(ByteBuffer.allocate(4).putInt(flags).flip());
    }

    void option(int option, byte[] data) {
        send(ByteBuffer.allocate(16 + data.length)
                .putLong(IHAVEOPT)
                .putInt(option)
                .putInt(data.length)
                .put(data)
                .flip());
    }

    /** The data of INFO and GO. */
    static byte[] infoData(String name, int... codes) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        ByteBuffer data = ByteBuffer.allocate(4 + bytes.length + 2 + 2 * codes.length)
                .putInt(bytes.length)
                .put(bytes)
                .putShort((short) codes.length);
        for (int code : codes) {
            data.putShort((short) code);
        }
        return data.array();
    }

    /** Sends a request without payload. */
    void request(int flags, int type, long cookie, long offset, long length) {
        if (type == 0) {
            reads.put(cookie, (int) length);
        }
        send(header(flags, type, cookie, offset, length));
    }

    void write(int flags, long cookie, long offset, byte[] data) {
        send(header(flags, 1, cookie, offset, data.length));
        client.send(data);
    }

    static ByteBuffer header(int flags, int type, long cookie, long offset, long length) {
        return ByteBuffer.allocate(28)
                .putInt(0x25609513)
                .putShort((short) flags)
                .putShort((short) type)
                .putLong(cookie)
                .putLong(offset)
                .putInt((int) length)
                .flip();
    }

    /** Takes what has come; it then lies before {@link #bytes}. */
    private void fill() {
        byte[] more = client.take();
        in = ByteBuffer.allocate(in.remaining() + more.length).put(in).put(more).flip();
    }

    /** The bytes that have come, up to that many. */
    byte[] bytes(int most) {
        fill();
        byte[] bytes = new byte[Math.min(most, in.remaining())];
        in.get(bytes);
        return bytes;
    }

    /** All complete replies of the handshake that have come. */
    List<OptionReply> optionReplies() {
        fill();
        List<OptionReply> replies = new ArrayList<>();
        while (in.remaining() >= 20 && in.remaining() >= 20 + in.getInt(in.position() + 16)) {
            if (in.getLong() != 0x0003e889045565a9L) {
                throw new AssertionError("wrong magic of an option's reply");
            }
            int option = in.getInt();
            int type = in.getInt();
            byte[] data = new byte[in.getInt()];
            in.get(data);
            replies.add(new OptionReply(option, type, data));
        }
        return replies;
    }

    /** All complete replies that have come. */
    List<Reply> replies() {
        fill();
        List<Reply> replies = new ArrayList<>();
        while (in.remaining() >= 16) {
            int at = in.position();
            if (in.getInt(at) != 0x67446698) {
                throw new AssertionError("wrong magic of a reply: " + Integer.toHexString(in.getInt(at)));
            }
            int error = in.getInt(at + 4);
            long cookie = in.getLong(at + 8);
            int length = error == 0 ? reads.getOrDefault(cookie, 0) : 0;
            if (in.remaining() < 16 + length) {
                break;
            }
            in.position(at + 16);
            byte[] data = new byte[length];
            in.get(data);
            reads.remove(cookie);
            replies.add(new Reply(cookie, error, data));
        }
        return replies;
    }
}
