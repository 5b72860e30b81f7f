package io.tenfold.block;

import io.tenfold.base.Shard;

/**
 * A device that does nothing, at once: reads leave the memory as it is, writes are forgotten. It breaks the contract on
 * purpose (what was written does not read back) and serves to measure what lies above it.
 */
public final class NullDevice implements BlockDevice {
    private final long sizeBytes;
    private final DeviceLimits limits = DeviceLimits.ofMemory();

    /**
     * A null device of some size.
     *
     * @param sizeBytes a multiple of 512, above 0
     */
    public NullDevice(long sizeBytes) {
        if (sizeBytes <= 0 || sizeBytes % limits.blockBytes() != 0) {
            throw new IllegalArgumentException("size must be a multiple of 512 above 0: sizeBytes=" + sizeBytes);
        }
        this.sizeBytes = sizeBytes;
    }

    @Override
    public String name() {
        return "null";
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public DeviceLimits limits() {
        return limits;
    }

    @Override
    public Channel open(Shard shard) {
        return new SynchronousChannel() {
            @Override
            IoStatus execute(Request request) {
                return IoStatus.OK;
            }
        };
    }

    @Override
    public void close() {
        // Holds nothing.
    }
}
