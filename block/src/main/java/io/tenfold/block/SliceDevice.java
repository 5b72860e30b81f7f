package io.tenfold.block;

import io.tenfold.base.Shard;

/**
 * A window of another device, such as a partition: byte 0 is the window's first. A flush flushes the whole device.
 *
 * <p>The device beneath stays its owner's: closing the window leaves it open.
 */
public final class SliceDevice implements BlockDevice {
    private final BlockDevice device;
    private final String name;
    private final long startBytes;
    private final long sizeBytes;

    /**
     * The window {@code [startBytes, startBytes + sizeBytes)} of a device.
     *
     * @param name what people call it
     * @param startBytes a multiple of the device's block
     * @param sizeBytes a multiple of the device's block; may be 0
     * @throws IllegalArgumentException if the window is misaligned or not within the device
     */
    public SliceDevice(BlockDevice device, String name, long startBytes, long sizeBytes) {
        int block = device.limits().blockBytes();
        if (startBytes < 0
                || sizeBytes < 0
                || startBytes > device.sizeBytes()
                || sizeBytes > device.sizeBytes() - startBytes) {
            throw new IllegalArgumentException("window is not within the device: startBytes=" + startBytes
                    + ", sizeBytes=" + sizeBytes + ", deviceBytes=" + device.sizeBytes());
        }
        if (startBytes % block != 0 || sizeBytes % block != 0) {
            throw new IllegalArgumentException("window must be in whole blocks: startBytes=" + startBytes
                    + ", sizeBytes=" + sizeBytes + ", blockBytes=" + block);
        }
        this.device = device;
        this.name = name;
        this.startBytes = startBytes;
        this.sizeBytes = sizeBytes;
    }

    /** The device beneath. */
    public BlockDevice device() {
        return device;
    }

    /** Where the window starts on the device beneath, in bytes. */
    public long startBytes() {
        return startBytes;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public DeviceLimits limits() {
        return device.limits();
    }

    @Override
    public Channel open(Shard shard) {
        return new SliceChannel(device.open(shard), startBytes, sizeBytes);
    }

    @Override
    public void close() {
        // The device beneath is not this one's to close.
    }

    /** Sends each request on at its place on the device beneath, in a request of its own that is used again. */
    private static final class SliceChannel implements Channel {
        private final Channel channel;
        private final long startBytes;
        private final long sizeBytes;
        private final RequestList idle = new RequestList();

        SliceChannel(Channel channel, long startBytes, long sizeBytes) {
            this.channel = channel;
            this.startBytes = startBytes;
            this.sizeBytes = sizeBytes;
        }

        @Override
        public boolean submit(Request request) {
            assert request.offset() >= 0 && request.end() <= sizeBytes
                    : "beyond the window: sizeBytes=" + sizeBytes + ", " + request;
            Request inner = idle.isEmpty() ? new Request(this::completed) : idle.poll();
            boolean placed = request.op() != Op.FLUSH;
            inner.start(request.op(), placed ? startBytes + request.offset() : 0, request.length(), request.fua());
            if (request.op().carriesData()) {
                inner.addPartOf(request, 0, request.length());
            }
            inner.context(request);
            if (!channel.submit(inner)) {
                idle.add(inner);
                return false;
            }
            request.started();
            return true;
        }

        private void completed(Request inner) {
            Request outer = (Request) inner.context();
            inner.context(null);
            IoStatus status = inner.status();
            idle.add(inner);
            outer.complete(status);
        }

        @Override
        public void commit() {
            channel.commit();
        }

        @Override
        public int poll(int max) {
            return channel.poll(max);
        }

        @Override
        public void close() {
            channel.close();
        }
    }
}
