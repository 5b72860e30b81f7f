package io.tenfold.nbd;

import io.tenfold.base.ByteStream;
import io.tenfold.base.Clock;
import io.tenfold.base.Prng;
import io.tenfold.base.Reactor;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A reactor of one thread and virtual time, whose streams are memory and cut what passes through them at random.
 *
 * <p>A send copies its parts only when they pass, and a receive spoils the rest of its memory, so that who touches memory
 * too early or believes in bytes that did not come is found out.
 */
final class MemoryReactor implements Reactor {
    private final Prng prng;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<Stream> streams = new ArrayList<>();
    private Consumer<Incoming> onConnect;

    /** The largest piece in which bytes pass. */
    int pieceBytesMax = 1 << 20;

    /** How many sends were started. */
    int sends;

    /** Virtual time. */
    long now = 1;

    MemoryReactor(long seed) {
        prng = new Prng(seed);
    }

    /** A client that has connected; the server learns of it in the next poll. */
    Client connect() {
        Client client = new Client();
        tasks.add(() -> onConnect.accept(new MemoryIncoming(client)));
        return client;
    }

    @Override
    public int index() {
        return 0;
    }

    @Override
    public Clock clock() {
        return new Clock() {
            @Override
            public long nanos() {
                return now;
            }

            @Override
            public long epochMicros() {
                return now / 1000;
            }
        };
    }

    @Override
    public void park(long nanosMax) {
        now += nanosMax == Long.MAX_VALUE ? 1_000_000 : nanosMax;
    }

    @Override
    public void wake() {
        // Nobody sleeps.
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public Listener listen(SocketAddress at, Consumer<Incoming> consumer) {
        onConnect = consumer;
        return new Listener() {
            @Override
            public SocketAddress address() {
                return InetSocketAddress.createUnresolved("memory", 1);
            }

            @Override
            public void close() {
                onConnect = Incoming::close;
            }
        };
    }

    @Override
    public ByteStream adopt(Incoming connection, ByteStream.Handler handler) {
        Stream stream = new Stream(((MemoryIncoming) connection).client, handler);
        streams.add(stream);
        return stream;
    }

    @Override
    public int poll() {
        int calls = 0;
        for (int left = tasks.size(); left > 0; left--) {
            tasks.remove().run();
            calls++;
        }
        for (Stream stream : List.copyOf(streams)) {
            calls += stream.move();
        }
        streams.removeIf(stream -> stream.closedTold);
        return calls;
    }

    @Override
    public void close() {
        streams.clear();
    }

    private record MemoryIncoming(Client client) implements Incoming {
        @Override
        public String peer() {
            return "memory";
        }

        @Override
        public void close() {
            client.ended = true;
        }
    }

    /** The other side, as the test sees it. */
    static final class Client {
        private final ArrayDeque<byte[]> toServer = new ArrayDeque<>();
        private int firstTaken;
        private boolean closed;
        private boolean reset;

        /** What the server has sent and nobody has taken. */
        private final ByteArrayOutputStream inbox = new ByteArrayOutputStream();

        /** Whether bytes are taken from the server. */
        boolean reading = true;

        /** Whether the server has closed. */
        boolean ended;

        void send(byte[] bytes) {
            if (bytes.length > 0) {
                toServer.add(bytes.clone());
            }
        }

        /** Closes this side, in order. */
        void close() {
            closed = true;
        }

        /** Cuts the connection. */
        void reset() {
            reset = true;
        }

        int available() {
            return inbox.size();
        }

        /** Bytes that the server has not taken yet. */
        long unsent() {
            return toServer.stream().mapToLong(bytes -> bytes.length).sum() - firstTaken;
        }

        /** Takes all that has come. */
        byte[] take() {
            byte[] bytes = inbox.toByteArray();
            inbox.reset();
            return bytes;
        }
    }

    private final class Stream implements ByteStream {
        final Client client;
        final Handler handler;
        MemorySegment into;
        long intoOffset;
        long intoLength;
        boolean receiving;
        MemorySegment[] parts;
        long[] offsets;
        long[] lengths;
        int count;
        int part;
        long partDone;
        boolean sending;
        boolean closing;
        boolean closedTold;

        Stream(Client client, Handler handler) {
            this.client = client;
            this.handler = handler;
        }

        @Override
        public void receive(MemorySegment memory, long offset, long length) {
            if (receiving || closing || length < 1) {
                throw new AssertionError("receive while receiving or closed, or of nothing: length=" + length);
            }
            receiving = true;
            into = memory;
            intoOffset = offset;
            intoLength = length;
        }

        @Override
        public void send(MemorySegment[] memory, long[] from, long[] bytes, int parted) {
            if (sending || closing || parted < 1 || parted > PARTS_MAX) {
                throw new AssertionError("send while sending or closed, or of too many parts: count=" + parted);
            }
            sends++;
            sending = true;
            parts = memory;
            offsets = from;
            lengths = bytes;
            count = parted;
            part = 0;
            partDone = 0;
        }

        @Override
        public void close() {
            closing = true;
        }

        @Override
        public String peer() {
            return "memory";
        }

        /** Does a part of what can be done. */
        int move() {
            if (closing) {
                client.ended = true;
                closedTold = true;
                handler.closed();
                return 1;
            }
            int calls = 0;
            if (receiving && prng.below(4) > 0) {
                calls += moveIn();
            }
            if (sending && !closing && prng.below(4) > 0) {
                calls += moveOut();
            }
            return calls == 0 && ((receiving && readable()) || (sending && writable())) ? 1 : calls; // Not quiet yet.
        }

        private boolean readable() {
            return !client.toServer.isEmpty() || client.closed || client.reset;
        }

        private boolean writable() {
            return client.reading || client.reset;
        }

        private int moveIn() {
            if (client.reset) {
                receiving = false;
                handler.received(BROKEN);
                return 1;
            }
            byte[] first = client.toServer.peek();
            if (first == null) {
                if (client.closed) {
                    receiving = false;
                    handler.received(END);
                    return 1;
                }
                return 0;
            }
            into.asSlice(intoOffset, intoLength).fill((byte) 0xA5);
            int most = (int) Math.min(Math.min(intoLength, pieceBytesMax), first.length - client.firstTaken);
            int bytes = prng.oneIn(2) ? most : 1 + prng.below(most);
            MemorySegment.copy(first, client.firstTaken, into, ValueLayout.JAVA_BYTE, intoOffset, bytes);
            client.firstTaken += bytes;
            if (client.firstTaken == first.length) {
                client.toServer.remove();
                client.firstTaken = 0;
            }
            receiving = false;
            handler.received(bytes);
            return 1;
        }

        private int moveOut() {
            if (client.reset || client.ended) {
                sending = false;
                handler.sent(false);
                return 1;
            }
            if (!client.reading) {
                return 0;
            }
            long most = Math.min(lengths[part] - partDone, pieceBytesMax);
            int bytes = (int) (prng.oneIn(2) || most == 0 ? most : 1 + prng.below(most));
            client.inbox.writeBytes(
                    parts[part].asSlice(offsets[part] + partDone, bytes).toArray(ValueLayout.JAVA_BYTE));
            partDone += bytes;
            if (partDone == lengths[part]) {
                part++;
                partDone = 0;
            }
            if (part == count) {
                sending = false;
                handler.sent(true);
            }
            return 1;
        }
    }
}
