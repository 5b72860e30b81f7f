package io.tenfold.queue;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.Op;
import io.tenfold.block.Request;

/**
 * A device that takes less at a time than the one beneath, and finds everything that is outside of its limits, which is
 * an error of who submits.
 *
 * @param boundaryBytes no request crosses a multiple of it; 0: there is none
 */
record NarrowDevice(BlockDevice below, DeviceLimits limits, long boundaryBytes) implements BlockDevice {
    /** Over a device that otherwise stays as it is. */
    static NarrowDevice of(
            BlockDevice below, int transferBytesMax, int segmentsMax, long rangeBytesMax, long boundaryBytes) {
        DeviceLimits wide = below.limits();
        DeviceLimits narrow = new DeviceLimits(
                wide.blockBytes(),
                wide.memoryAlignment(),
                transferBytesMax,
                segmentsMax,
                rangeBytesMax,
                rangeBytesMax,
                wide.optimalBytes(),
                wide.rotational(),
                wide.readOnly());
        return new NarrowDevice(below, narrow, boundaryBytes);
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
    public Channel open(Shard shard) {
        return new CheckingChannel(below.open(shard));
    }

    @Override
    public void close() {
        below.close();
    }

    private final class CheckingChannel implements Channel {
        private final Channel under;

        CheckingChannel(Channel under) {
            this.under = under;
        }

        @Override
        public boolean submit(Request request) {
            check(request);
            return under.submit(request);
        }

        private void check(Request request) {
            long total = 0;
            for (int i = 0; i < request.segments(); i++) {
                total += request.memoryLength(i);
            }
            boolean fits = request.op() == Op.FLUSH
                    || (request.length() > 0
                            && request.length() <= longest(request.op())
                            && request.length() % limits.blockBytes() == 0
                            && request.offset() % limits.blockBytes() == 0
                            && request.segments() <= limits.segmentsMax()
                            && (boundaryBytes == 0
                                    || request.offset() / boundaryBytes == (request.end() - 1) / boundaryBytes)
                            && total == (request.op().carriesData() ? request.length() : 0));
            if (!fits) {
                throw new AssertionError("request outside of the device's limits: limits=" + limits + ", boundaryBytes="
                        + boundaryBytes + ", request=" + request);
            }
        }

        private long longest(Op op) {
            return switch (op) {
                case READ, WRITE -> limits.transferBytesMax();
                case DISCARD -> limits.discardBytesMax();
                case WRITE_ZEROES -> limits.zeroBytesMax();
                case FLUSH -> 0;
            };
        }

        @Override
        public void commit() {
            under.commit();
        }

        @Override
        public int poll(int max) {
            return under.poll(max);
        }

        @Override
        public void cancel(Request request) {
            under.cancel(request);
        }

        @Override
        public void close() {
            under.close();
        }
    }
}
