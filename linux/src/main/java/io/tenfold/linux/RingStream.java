package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.tenfold.base.ByteStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One connection of a {@link RingReactor}: a receive and a send operation, each in flight at most once.
 *
 * <p>A receive knows where its data goes from the moment it is started: deciding that when it ends would be too late,
 * since its owner may have gone on meanwhile.
 */
final class RingStream implements ByteStream, RingReactor.RingSource {
    /** The kernel goes on until all is sent, and a peer that is gone is an answer rather than a signal. */
    private static final int SEND_FLAGS = SocketCalls.MSG_WAITALL | SocketCalls.MSG_NOSIGNAL;

    private static final long TRANSFER_MAX = 1 << 30;

    private final RingReactor reactor;
    private final Handler handler;
    private final String peer;
    private final int fd;
    private final Arena arena = Arena.ofConfined();
    private final ReceiveOp receive;
    private final SendOp send;
    private final EndOp end;
    private boolean closing;
    private boolean ended;

    RingStream(RingReactor reactor, RingListener.Connection connection, Handler handler) {
        this.reactor = reactor;
        this.handler = handler;
        peer = connection.peer();
        fd = connection.take();
        if (connection.isInet()) {
            // Fails only if the peer is gone already: the first receive says so.
            MemorySegment on = arena.allocate(JAVA_INT);
            SocketCalls.switchOn(reactor.capture(), fd, SocketCalls.IPPROTO_TCP, SocketCalls.TCP_NODELAY, on);
            SocketCalls.switchOn(reactor.capture(), fd, SocketCalls.SOL_SOCKET, SocketCalls.SO_KEEPALIVE, on);
        }
        receive = new ReceiveOp();
        send = new SendOp();
        end = new EndOp();
        reactor.opened(this);
    }

    @Override
    public void receive(MemorySegment into, long offset, long length) {
        assert !receive.underWay && !closing
                : "receive while receiving or closed: receiving=" + receive.underWay + ", closed=" + closing;
        assert length > 0 && length <= TRANSFER_MAX : "length must be 1 to 2^30: length=" + length;
        assert into.isNative() && offset >= 0 && offset + length <= into.byteSize()
                : "not native memory, or beyond it: offset=" + offset + ", length=" + length + ", memory=" + into;
        receive.underWay = true;
        receive.memory = into;
        receive.address = into.address() + offset;
        receive.length = (int) length;
        reactor.start(receive);
    }

    @Override
    public void send(MemorySegment[] parts, long[] offsets, long[] lengths, int count) {
        assert !send.underWay && !closing
                : "send while sending or closed: sending=" + send.underWay + ", closed=" + closing;
        assert count > 0 && count <= PARTS_MAX : "count must be 1 to " + PARTS_MAX + ": count=" + count;
        send.underWay = true;
        send.parts.clear();
        for (int i = 0; i < count; i++) {
            assert parts[i].isNative() && offsets[i] >= 0 && offsets[i] + lengths[i] <= parts[i].byteSize()
                    : "not native memory, or beyond it: part=" + i + ", offset=" + offsets[i] + ", length="
                            + lengths[i];
            send.parts.add(parts[i].address() + offsets[i], lengths[i]);
        }
        send.parts.advance(0); // Leaves out parts of no bytes in front.
        if (send.parts.count() == 0) {
            send.result = 0;
            reactor.tell(send);
        } else {
            reactor.start(send);
        }
    }

    @Override
    public void close() {
        if (!closing) {
            closing = true;
            SocketCalls.shutdown(reactor.capture(), fd); // Ends what is in flight; what was sent still arrives.
            if (!receive.underWay && !send.underWay) {
                reactor.tell(end);
            }
        }
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public void abandon() {
        closing = true;
        SocketCalls.shutdown(reactor.capture(), fd);
    }

    @Override
    public void dispose() {
        ended = true;
        FileCalls.close(reactor.capture(), fd);
        reactor.retire(receive);
        reactor.retire(send);
        reactor.retire(end);
        reactor.closed(this);
        arena.close();
    }

    /** One of the two has ended while closing: the last one gives everything back. */
    private int endIfIdle() {
        if (receive.underWay || send.underWay || ended) {
            return 0;
        }
        dispose();
        handler.closed();
        return 1;
    }

    private static boolean isToBeRepeated(int result) {
        return result == -Errno.EINTR || result == -Errno.EAGAIN;
    }

    private final class ReceiveOp extends RingOp {
        /** Started and not told. */
        private boolean underWay;

        /** Keeps the memory reachable while the kernel has its address. */
        @SuppressWarnings("unused") // Held, not read.
        private MemorySegment memory;

        private long address;
        private int length;

        ReceiveOp() {
            super(reactor);
        }

        @Override
        void fill(long sqe) {
            SqeLayout.fill(sqe, SqeLayout.OP_RECV, fd, 0, address, length, 0, id);
        }

        @Override
        void answered() {
            if (isToBeRepeated(result) && !closing) {
                reactor.start(this);
            } else {
                reactor.tell(this);
            }
        }

        @Override
        int deliver() {
            underWay = false;
            memory = null;
            if (closing) {
                return endIfIdle();
            }
            handler.received(result > 0 ? result : result == 0 ? END : BROKEN);
            return 1;
        }
    }

    private final class SendOp extends RingOp {
        /** Started and not told. */
        private boolean underWay;

        private final IoVector parts = new IoVector(arena, PARTS_MAX);
        private final long message = arena.allocate(MsghdrLayout.LAYOUT).address();

        SendOp() {
            super(reactor);
        }

        @Override
        void fill(long sqe) {
            if (parts.count() == 1) {
                int length = (int) Math.min(parts.firstLength(), TRANSFER_MAX);
                SqeLayout.fill(sqe, SqeLayout.OP_SEND, fd, 0, parts.firstAddress(), length, SEND_FLAGS, id);
            } else {
                RawMemory.putLong(message + MsghdrLayout.IOV, parts.address());
                RawMemory.putLong(message + MsghdrLayout.IOVLEN, parts.count());
                SqeLayout.fill(sqe, SqeLayout.OP_SENDMSG, fd, 0, message, 1, SEND_FLAGS, id);
            }
        }

        @Override
        void answered() {
            if (result >= 0) {
                parts.advance(result);
            }
            boolean isUnfinished = result >= 0 ? parts.count() > 0 : isToBeRepeated(result);
            if (isUnfinished && !closing) {
                reactor.start(this);
            } else {
                reactor.tell(this);
            }
        }

        @Override
        int deliver() {
            underWay = false;
            if (closing) {
                return endIfIdle();
            }
            handler.sent(result >= 0);
            return 1;
        }
    }

    /** Nothing was in flight when the stream was closed: tells that it is. */
    private final class EndOp extends RingOp {
        EndOp() {
            super(reactor);
        }

        @Override
        void fill(long sqe) {
            throw new AssertionError("never goes to the kernel");
        }

        @Override
        void answered() {
            throw new AssertionError("never goes to the kernel");
        }

        @Override
        int deliver() {
            return endIfIdle();
        }
    }
}
