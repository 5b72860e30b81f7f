package io.tenfold.nbd;

import io.tenfold.base.BufferPool;
import io.tenfold.base.BufferPool.Buffer;
import io.tenfold.nbd.wire.SimpleReply;
import io.tenfold.nbd.wire.Wire;
import java.lang.foreign.MemorySegment;

/**
 * The replies that go out in one send. Headers and short data are copied one behind the other; long data is sent from
 * where it lies, and may take several sends.
 *
 * <p>Copying gives a command's memory back at once, and makes one part of what would be many; from 32 KiB on a copy costs
 * more than a part.
 */
final class ReplyBatch {
    /** The longest data that is copied. */
    static final int COPY_BYTES_MAX = 32 << 10;

    /** What is copied into one send at most. */
    private static final int STAGING_BYTES_MAX = 512 << 10;

    /** A send is not added to once it has this many bytes, so that the first reply in it does not wait for the last. */
    private static final long BATCH_BYTES_MAX = 512 << 10;

    private static final int PARTS_MAX = 128;

    final MemorySegment[] parts = new MemorySegment[PARTS_MAX];
    final long[] offsets = new long[PARTS_MAX];
    final long[] lengths = new long[PARTS_MAX];
    int count;

    private Buffer staging;
    private long stagingAt;
    private long runStart;
    private long bytes;

    /** Whose data is sent from its own buffers, to the last byte, in the present send. */
    private final CommandQueue borrowed = new CommandQueue();

    /** Whose data has begun to be sent and has not all been put into a send. */
    private Command current;

    /** Whether a reply has begun and is not finished. */
    boolean hasRest() {
        return current != null;
    }

    /**
     * Makes the next send out of what is to be answered; something must be. Commands that are copied whole are given
     * back at once.
     */
    void build(CommandQueue done, BufferPool pool) {
        count = 0;
        bytes = 0;
        if (current != null) {
            addData();
        }
        if (current == null && bytes < BATCH_BYTES_MAX && !done.isEmpty()) {
            staging = pool.acquire(stagingBytes(done));
            stagingAt = staging.offset();
            runStart = stagingAt;
            while (current == null && hasRoomFor(done.peek())) {
                add(done.poll());
            }
            endRun();
        }
    }

    private static int stagingBytes(CommandQueue done) {
        long needed = 0;
        for (Command c = done.peek(); c != null && needed < STAGING_BYTES_MAX; c = c.next) {
            needed += Wire.REPLY_BYTES + copiedBytes(c);
        }
        return (int) Math.min(needed, STAGING_BYTES_MAX);
    }

    private static long copiedBytes(Command command) {
        long data = command.replyDataBytes();
        return data <= COPY_BYTES_MAX ? data : 0;
    }

    private boolean hasRoomFor(Command command) {
        return command != null
                && bytes < BATCH_BYTES_MAX
                && count <= PARTS_MAX - 3 // The run before, its own first piece, the run behind.
                && stagingAt + Wire.REPLY_BYTES + copiedBytes(command) <= staging.offset() + staging.bytes();
    }

    private void add(Command command) {
        SimpleReply.write(staging.memory(), stagingAt, command.error, command.cookie);
        stagingAt += Wire.REPLY_BYTES;
        bytes += Wire.REPLY_BYTES;
        long data = command.replyDataBytes();
        if (data > COPY_BYTES_MAX) {
            endRun();
            current = command;
            addData();
        } else {
            if (data > 0) {
                Buffer from = command.buffers[0];
                MemorySegment.copy(from.memory(), from.offset(), staging.memory(), stagingAt, data);
                stagingAt += data;
                bytes += data;
            }
            command.connection.replied(command);
        }
    }

    /** Adds as much of the current command's data as the send takes, at least one piece. */
    private void addData() {
        do {
            int index = (int) (current.repliedBytes / BufferPool.BYTES_MAX);
            long within = current.repliedBytes % BufferPool.BYTES_MAX;
            long length = Math.min(current.length - current.repliedBytes, BufferPool.BYTES_MAX - within);
            Buffer from = current.buffers[index];
            addPart(from.memory(), from.offset() + within, length);
            current.repliedBytes += length;
        } while (current.repliedBytes < current.length && bytes < BATCH_BYTES_MAX && count < PARTS_MAX - 1);
        if (current.repliedBytes == current.length) {
            borrowed.add(current);
            current = null;
        }
    }

    private void endRun() {
        if (stagingAt > runStart) {
            parts[count] = staging.memory();
            offsets[count] = runStart;
            lengths[count] = stagingAt - runStart;
            count++;
            runStart = stagingAt;
        }
    }

    private void addPart(MemorySegment memory, long offset, long length) {
        parts[count] = memory;
        offsets[count] = offset;
        lengths[count] = length;
        count++;
        bytes += length;
    }

    /** The send has ended: gives back what it used. */
    void sent(BufferPool pool) {
        if (staging != null) {
            pool.release(staging);
            staging = null;
        }
        for (Command c = borrowed.poll(); c != null; c = borrowed.poll()) {
            c.connection.replied(c);
        }
    }

    /** Nothing more will be sent: gives back all. */
    void drop(BufferPool pool) {
        sent(pool);
        if (current != null) {
            Command c = current;
            current = null;
            c.connection.replied(c);
        }
    }
}
