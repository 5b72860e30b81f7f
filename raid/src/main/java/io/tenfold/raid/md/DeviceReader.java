package io.tenfold.raid.md;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.BlockingIo;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads bytes anywhere on a device, whatever its block. Never writes.
 *
 * <p>Threads: the one that made it.
 */
public final class DeviceReader implements AutoCloseable {
    /** The most bytes that one read gives. */
    public static final int LENGTH_MAX = 1 << 20;

    private final BlockDevice device;
    private final BlockingIo io;
    private final Arena arena = Arena.ofConfined();
    private MemorySegment scratch = MemorySegment.NULL;

    /** A reader of a device, which is left open on {@link #close}. */
    public DeviceReader(BlockDevice device, Shard shard) {
        this.device = device;
        this.io = new BlockingIo(device, shard);
    }

    /** Bytes of the device. */
    public long sizeBytes() {
        return device.sizeBytes();
    }

    /** Whether the range lies within the device. Any numbers may be asked for. */
    public boolean holds(long offset, long length) {
        return offset >= 0 && length >= 0 && offset <= device.sizeBytes() && length <= device.sizeBytes() - offset;
    }

    /**
     * The bytes of a range that the device {@linkplain #holds holds}.
     *
     * @param length at most {@link #LENGTH_MAX}
     * @throws IOException if the device fails
     */
    public byte[] read(long offset, int length) throws IOException {
        if (length > LENGTH_MAX || !holds(offset, length)) {
            throw new IllegalArgumentException("not a range to read: offset=" + offset + ", length=" + length
                    + ", deviceBytes=" + device.sizeBytes());
        }
        int block = device.limits().blockBytes();
        long start = offset / block * block;
        long end = (offset + length + block - 1) / block * block;
        MemorySegment memory = scratch(end - start);
        io.read(start, memory);
        return memory.asSlice(offset - start, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private MemorySegment scratch(long bytes) {
        if (scratch.byteSize() < bytes) {
            scratch = arena.allocate(bytes, Math.max(8, device.limits().memoryAlignment()));
        }
        return scratch.asSlice(0, bytes);
    }

    @Override
    public void close() {
        io.close();
        arena.close();
    }
}
