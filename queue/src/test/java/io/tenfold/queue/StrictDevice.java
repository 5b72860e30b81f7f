package io.tenfold.queue;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A device with narrower limits than the one beneath, which holds whoever submits to them: a request outside of them, too
 * many in flight, or a call from another shard than the channel's is an {@link AssertionError}. It says "no room" now and
 * then, while something is in flight.
 */
final class StrictDevice implements BlockDevice {
    private final BlockDevice below;
    private final DeviceLimits limits;
    private final long boundaryBytes;
    private final int inFlightMax;
    private final Prng prng;
    private final Supplier<Shard> current;
    private Consumer<Request> watcher = _ -> {};

    /** How many channels have been opened and not closed. */
    int open;

    /**
     * A narrow view.
     *
     * @param inFlightMax most that a channel may have in flight
     * @param prng when to say "no room"; null: never
     * @param current on whose turn the calls are made; gives null where that is not known
     */
    StrictDevice(
            BlockDevice below,
            DeviceLimits limits,
            long boundaryBytes,
            int inFlightMax,
            Prng prng,
            Supplier<Shard> current) {
        this.below = below;
        this.limits = limits;
        this.boundaryBytes = boundaryBytes;
        this.inFlightMax = inFlightMax;
        this.prng = prng;
        this.current = current;
    }

    /** Shows each request that is taken from now on. */
    void watch(Consumer<Request> seen) {
        watcher = seen;
    }

    @Override
    public String name() {
        return below.name();
    }

    @Override
    public long sizeBytes() {
        return below.sizeBytes();
    }

    @Override
    public DeviceLimits limits() {
        return limits;
    }

    @Override
    public Channel open(Shard shard) {
        open++;
        return new StrictChannel(shard, below.open(shard));
    }

    @Override
    public void close() {
        require(open == 0, "device closed before its channels", open);
        below.close();
    }

    private static void require(boolean holds, String what, Object value) {
        if (!holds) {
            throw new AssertionError(what + ": " + value);
        }
    }

    private final class StrictChannel implements Channel {
        private final Shard shard;
        private final Channel channel;
        private int inFlight;
        private boolean closed;

        StrictChannel(Shard shard, Channel channel) {
            this.shard = shard;
            this.channel = channel;
        }

        @Override
        public boolean submit(Request request) {
            checkShard();
            check(request);
            if (inFlight > 0 && prng != null && prng.oneIn(8)) {
                return false;
            }
            Request inner = new Request(this::completed);
            inner.start(request.op(), request.offset(), request.length(), request.fua());
            for (int i = 0; i < request.segments(); i++) {
                inner.add(request.memory(i), request.memoryOffset(i), request.memoryLength(i));
            }
            inner.context(request);
            if (!channel.submit(inner)) {
                return false;
            }
            watcher.accept(request);
            require(++inFlight <= inFlightMax, "too many in flight", inFlight);
            request.started();
            return true;
        }

        private void completed(Request inner) {
            inFlight--;
            IoStatus status = inner.status();
            ((Request) inner.context()).complete(status);
        }

        private void checkShard() {
            Shard now = current.get();
            require(now == null || shard.equals(now), "a channel used on another shard's turn", shard);
            require(!closed, "a channel used after it was closed", shard);
        }

        private void check(Request request) {
            Op op = request.op();
            long longest = switch (op) {
                case READ, WRITE -> limits.transferBytesMax();
                case DISCARD -> limits.discardBytesMax();
                case WRITE_ZEROES -> limits.zeroBytesMax();
                case FLUSH -> 0;
            };
            int block = limits.blockBytes();
            require(request.length() <= longest, "too long", request);
            require((request.length() > 0) != (op == Op.FLUSH), "empty, or a flush that is not", request);
            require(request.offset() >= 0 && request.length() <= sizeBytes() - request.offset(), "beyond", request);
            require((request.offset() | request.length()) % block == 0, "not in blocks", request);
            require(request.segments() <= limits.segmentsMax(), "too many segments", request);
            require(
                    boundaryBytes == 0
                            || op == Op.FLUSH
                            || request.offset() / boundaryBytes == (request.end() - 1) / boundaryBytes,
                    "across a boundary",
                    request);
            for (int i = 0; i < request.segments(); i++) {
                long address = request.memory(i).address() + request.memoryOffset(i);
                require((address | request.memoryLength(i)) % limits.memoryAlignment() == 0, "misaligned", request);
            }
        }

        @Override
        public void commit() {
            checkShard();
            channel.commit();
        }

        @Override
        public int poll(int max) {
            checkShard();
            return channel.poll(max);
        }

        @Override
        public void close() {
            if (!closed) {
                require(inFlight == 0, "closed with requests in flight", inFlight);
                closed = true;
                open--;
                channel.close();
            }
        }
    }
}
