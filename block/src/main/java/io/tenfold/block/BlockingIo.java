package io.tenfold.block;

import io.tenfold.base.Shard;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Plain blocking calls on a device, for control work: reading superblocks, copying an array out. Not for the data path.
 *
 * <p>Threads: the one that made it. Not on a reactor's thread, whose streams would stand still meanwhile.
 */
public final class BlockingIo implements AutoCloseable {
    private final BlockDevice device;
    private final Shard shard;
    private final Channel channel;
    private boolean completed;
    private final Request request = new Request(_ -> completed = true);

    /** Opens a channel to a device, which is left open on {@link #close}. */
    public BlockingIo(BlockDevice device, Shard shard) {
        this.device = device;
        this.shard = shard;
        this.channel = device.open(shard);
    }

    /**
     * Fills the memory from {@code offset} on. Offset and size must be multiples of the device's block.
     *
     * @throws IOException if the device fails, or the range is not within it
     */
    public void read(long offset, MemorySegment into) throws IOException {
        for (long at = 0; at < into.byteSize(); at += step(into, at)) {
            run(request.read(offset + at, into, at, step(into, at)));
        }
    }

    /**
     * Writes the memory from {@code offset} on.
     *
     * @param fua return only when it is stable
     * @throws IOException if the device fails, or the range is not within it
     */
    public void write(long offset, MemorySegment from, boolean fua) throws IOException {
        for (long at = 0; at < from.byteSize(); at += step(from, at)) {
            run(request.write(offset + at, from, at, step(from, at), fua));
        }
    }

    /**
     * Makes stable all that was written before.
     *
     * @throws IOException if the device fails
     */
    public void flush() throws IOException {
        run(request.flush());
    }

    private long step(MemorySegment memory, long at) {
        return Math.min(memory.byteSize() - at, device.limits().transferBytesMax());
    }

    private void run(Request filled) throws IOException {
        IoStatus status = perform(filled);
        if (status != IoStatus.OK) {
            throw new IoStatusException(device.name(), status, filled);
        }
    }

    private IoStatus perform(Request filled) {
        if (filled.offset() < 0 || filled.length() > device.sizeBytes() - filled.offset()) {
            return IoStatus.INVALID;
        }
        completed = false;
        while (!channel.submit(filled)) {
            turn();
        }
        channel.commit();
        while (!completed) {
            turn();
        }
        return filled.status();
    }

    private void turn() {
        if (channel.poll(Integer.MAX_VALUE) == 0) {
            shard.park(Long.MAX_VALUE);
        }
    }

    @Override
    public void close() {
        channel.close();
    }
}
