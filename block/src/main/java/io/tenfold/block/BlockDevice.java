package io.tenfold.block;

import io.tenfold.base.Shard;

/**
 * Something that holds a fixed number of bytes in blocks. Size and limits do not change while it is open.
 *
 * <p>Threads: any. Each thread that does I/O opens a {@link Channel} of its own.
 */
public interface BlockDevice extends AutoCloseable {
    /** What people call it: a path, or a kind and a number. For messages. */
    String name();

    /** Size in bytes, a multiple of {@link DeviceLimits#blockBytes()}; may be 0. */
    long sizeBytes();

    /** What one request may ask for. */
    DeviceLimits limits();

    /**
     * Opens a channel for the calling thread.
     *
     * @param shard the caller's shard. A device whose completions come by themselves (a ring) makes them end that
     *     shard's park; {@link Channel#poll} then delivers them
     */
    Channel open(Shard shard);

    /** Gives back what the device holds. All its channels are closed before. Does not flush. Idempotent. */
    @Override
    void close();
}
