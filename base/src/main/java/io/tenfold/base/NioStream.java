package io.tenfold.base;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * One connection of a {@link NioReactor}.
 *
 * <p>A send writes at once what the socket takes and leaves only the rest to the selector; its end is reported by the
 * next poll. Interest in reading is kept from one receive to the next, since changing it costs a system call, and is
 * dropped when bytes come that nobody has asked for.
 */
final class NioStream extends NioReactor.Source implements ByteStream {
    private final NioReactor reactor;
    private final SocketChannel channel;
    private final Handler handler;
    private final String peer;

    private final View into = new View();
    private boolean receiving;

    private final View[] parts = new View[PARTS_MAX];
    private final ByteBuffer[] buffers = new ByteBuffer[PARTS_MAX];
    private int partNext;
    private int partEnd;
    private boolean sending;
    private boolean sendEnded;
    private boolean sendOk;

    private int interest;
    private boolean closed;
    private boolean closedTold;

    NioStream(NioReactor reactor, SocketChannel channel, Handler handler, String peer) {
        this.reactor = reactor;
        this.channel = channel;
        this.handler = handler;
        this.peer = peer;
    }

    @Override
    public void receive(MemorySegment memory, long offset, long length) {
        assert !receiving && !closed
                : "receive while receiving or closed: receiving=" + receiving + ", closed=" + closed;
        assert length > 0 && length <= 1 << 30 : "length must be 1 to 2^30: length=" + length;
        receiving = true;
        into.set(memory, offset, length);
        want(SelectionKey.OP_READ);
    }

    @Override
    public void send(MemorySegment[] memory, long[] offsets, long[] lengths, int count) {
        assert !sending && !closed : "send while sending or closed: sending=" + sending + ", closed=" + closed;
        assert count > 0 && count <= PARTS_MAX : "count must be 1 to " + PARTS_MAX + ": count=" + count;
        for (int i = 0; i < count; i++) {
            if (parts[i] == null) {
                parts[i] = new View();
            }
            buffers[i] = parts[i].set(memory[i], offsets[i], lengths[i]);
        }
        sending = true;
        partNext = 0;
        partEnd = count;
        if (write()) {
            reactor.ended(this);
        } else {
            want(SelectionKey.OP_WRITE);
        }
    }

    /** Writes what the socket takes; true if the send has ended, well or not. */
    private boolean write() {
        try {
            if (partEnd - partNext == 1) {
                channel.write(buffers[partNext]); // The gathering write makes garbage for each part, about 40 bytes.
            } else {
                channel.write(buffers, partNext, partEnd - partNext);
            }
            while (partNext < partEnd && !buffers[partNext].hasRemaining()) {
                partNext++;
            }
            sendOk = true;
            sendEnded = partNext == partEnd;
        } catch (IOException _) {
            sendOk = false;
            sendEnded = true;
        }
        return sendEnded;
    }

    @Override
    int serve(int ops) {
        int calls = 0;
        if ((ops & SelectionKey.OP_READ) != 0 && !closed) {
            calls += readable();
        }
        if ((ops & SelectionKey.OP_WRITE) != 0 && !closed) {
            calls += writable();
        }
        return calls;
    }

    private int readable() {
        if (!receiving) {
            unwant(SelectionKey.OP_READ);
            return 0;
        }
        int outcome;
        try {
            int read = channel.read(into.buffer);
            if (read == 0) {
                return 0;
            }
            outcome = read < 0 ? END : read;
        } catch (IOException _) {
            outcome = BROKEN;
        }
        receiving = false;
        handler.received(outcome);
        return 1;
    }

    private int writable() {
        if (!sending || sendEnded) {
            unwant(SelectionKey.OP_WRITE);
            return 0;
        }
        if (!write()) {
            return 0;
        }
        unwant(SelectionKey.OP_WRITE);
        return tellSent();
    }

    private int tellSent() {
        sending = false;
        sendEnded = false;
        handler.sent(sendOk);
        return 1;
    }

    /** Reports what has ended outside of {@link #serve}. */
    int tellEnded() {
        int calls = 0;
        if (sendEnded && !closed) {
            calls += tellSent();
        }
        if (closed && !closedTold) {
            closedTold = true;
            handler.closed();
            calls++;
        }
        return calls;
    }

    private void want(int op) {
        if ((interest & op) == 0) {
            interest |= op;
            key.interestOps(interest);
        }
    }

    private void unwant(int op) {
        if ((interest & op) != 0) {
            interest &= ~op;
            key.interestOps(interest);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            NioReactor.closeQuietly(channel);
            reactor.ended(this);
        }
    }

    @Override
    public String peer() {
        return peer;
    }

    /** A window on native memory as NIO wants it. Made anew only when the memory is another one than the last time. */
    private static final class View {
        private MemorySegment memory;
        private ByteBuffer buffer;

        ByteBuffer set(MemorySegment segment, long offset, long length) {
            if (segment.byteSize() > Integer.MAX_VALUE) {
                memory = null;
                buffer = segment.asSlice(offset, length).asByteBuffer();
                return buffer;
            }
            if (!segment.equals(memory)) { // The same bytes of the same arena.
                memory = segment;
                buffer = segment.asByteBuffer();
            }
            return buffer.limit((int) (offset + length)).position((int) offset);
        }
    }
}
