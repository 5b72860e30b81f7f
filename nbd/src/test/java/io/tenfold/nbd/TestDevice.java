package io.tenfold.nbd;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A device that holds its submitters to its limits, has little room, does its work late and in any order, and fails where
 * it is told to.
 */
final class TestDevice implements BlockDevice {
    private final DeviceLimits limits;
    private final Prng prng;

    /** What it holds. */
    final byte[] content;

    /** Requests it takes at a time, over one channel. */
    int room = 8;

    /** Completes nothing while set. */
    boolean hold;

    /** How a request ends, before anything is done for it; null for in order. */
    Function<Request, IoStatus> fault = _ -> null;

    /** All requests that were done, as text. */
    final List<String> done = new ArrayList<>();

    boolean remember;
    int openChannels;
    int inFlight;

    TestDevice(int sizeBytes, DeviceLimits limits, long seed) {
        content = new byte[sizeBytes];
        this.limits = limits;
        prng = new Prng(seed);
    }

    /** A device of plain limits. */
    TestDevice(int sizeBytes) {
        this(sizeBytes, new DeviceLimits(512, 4096, 1 << 20, 16, 1 << 20, 1 << 20, 65536, false, false), 1);
    }

    @Override
    public String name() {
        return "test";
    }

    @Override
    public long sizeBytes() {
        return content.length;
    }

    @Override
    public DeviceLimits limits() {
        return limits;
    }

    @Override
    public void close() {
        // Holds nothing.
    }

    @Override
    public Channel open(Shard shard) {
        openChannels++;
        return new TestChannel();
    }

    private final class TestChannel implements Channel {
        private final List<Request> submitted = new ArrayList<>();
        private int committed;

        @Override
        public boolean submit(Request request) {
            if (submitted.size() >= room) {
                return false;
            }
            judge(request);
            request.started();
            submitted.add(request);
            inFlight++;
            return true;
        }

        @Override
        public void commit() {
            committed = submitted.size();
        }

        @Override
        public int poll(int max) {
            int count = 0;
            while (!hold && committed > 0 && count < max && !prng.oneIn(4)) {
                Request request = submitted.remove(prng.below(committed));
                committed--;
                inFlight--;
                count++;
                if (remember) {
                    done.add(request.op() + (request.fua() ? "+FUA" : "") + " " + request.offset() + " "
                            + request.length());
                }
                IoStatus status = fault.apply(request);
                request.complete(status == null ? execute(request) : status);
            }
            return count == 0 && !hold && committed > 0 ? 1 : count;
        }

        @Override
        public void close() {
            openChannels--;
            if (!submitted.isEmpty()) {
                throw new AssertionError("closed with requests in flight: " + submitted);
            }
        }
    }

    private IoStatus execute(Request request) {
        int at = (int) request.offset();
        MemorySegment all = MemorySegment.ofArray(content);
        if (request.op() == Op.DISCARD || request.op() == Op.WRITE_ZEROES) {
            // Discarded data may be anything; zeroes would hide a discard in place of a zeroing.
            all.asSlice(at, request.length()).fill((byte) (request.op() == Op.DISCARD ? 0xDD : 0));
        }
        for (int i = 0; i < request.segments(); i++) {
            MemorySegment memory = request.memory(i).asSlice(request.memoryOffset(i), request.memoryLength(i));
            MemorySegment here = all.asSlice(at, request.memoryLength(i));
            (request.op() == Op.READ ? memory : here).copyFrom(request.op() == Op.READ ? here : memory);
            at += (int) request.memoryLength(i);
        }
        return IoStatus.OK;
    }

    /** What a careless device would turn into a corruption. */
    private void judge(Request request) {
        boolean sound = request.offset() >= 0
                && request.offset() % limits.blockBytes() == 0
                && request.length() % limits.blockBytes() == 0
                && request.length() <= sizeBytes() - request.offset()
                && (request.op() == Op.FLUSH) == (request.length() == 0)
                && (request.op().carriesData() ? request.segments() >= 1 : request.segments() == 0)
                && request.segments() <= limits.segmentsMax()
                && request.length() <= mostOf(request.op())
                && !(request.op().changes() && limits.readOnly());
        long sum = 0;
        for (int i = 0; i < request.segments(); i++) {
            long address = request.memory(i).address() + request.memoryOffset(i);
            sound &= address % limits.memoryAlignment() == 0 && request.memoryLength(i) > 0;
            sum += request.memoryLength(i);
        }
        sound &= !request.op().carriesData() || sum == request.length();
        if (!sound) {
            throw new AssertionError("beyond the device's limits: " + request + ", " + limits);
        }
    }

    private long mostOf(Op op) {
        return switch (op) {
            case READ, WRITE -> limits.transferBytesMax();
            case FLUSH -> 0;
            case DISCARD -> limits.discardBytesMax();
            case WRITE_ZEROES -> limits.zeroBytesMax();
        };
    }
}
