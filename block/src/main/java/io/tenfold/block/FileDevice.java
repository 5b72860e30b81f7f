package io.tenfold.block;

import io.tenfold.base.Shard;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A regular file or a block device by way of {@link FileChannel}: on every system, through its page cache, one blocking
 * call a request. Linux has a faster one in a module of its own.
 *
 * <p>After a flush has failed every later flush and FUA write fails too, until the device is closed and opened again: the
 * system tells of lost data once and then forgets. A file that somebody has cut short while it is open takes no more writes
 * or flushes, which answer {@link IoStatus#OFFLINE}: a write beyond its new end would fill the gap with zeroes that look
 * like data. A read beyond that end, a change, or a flush finds out.
 *
 * <p>Threads: any; each channel belongs to its own. A thread must not be interrupted while it uses one: that would close
 * the file for all.
 */
public final class FileDevice implements BlockDevice {
    private static final int BLOCK_BYTES = 512;
    private static final int TRANSFER_BYTES_MAX = 8 << 20;

    /** What is written at a time where zeroes are asked for. */
    private static final int ZEROES_BYTES = 1 << 20;

    private final Path path;
    private final FileChannel file;
    private final long sizeBytes;
    private final DeviceLimits limits;
    private volatile boolean flushFailed;
    private volatile boolean cutShort;

    private FileDevice(Path path, FileChannel file, long sizeBytes, boolean readOnly) {
        this.path = path;
        this.file = file;
        this.sizeBytes = sizeBytes;
        DeviceLimits writable = new DeviceLimits(
                BLOCK_BYTES, 1, TRANSFER_BYTES_MAX, 1024, 0, TRANSFER_BYTES_MAX, 128 << 10, false, false);
        limits = readOnly ? writable.asReadOnly() : writable;
    }

    /**
     * Opens a file or block device that exists. Of a file that ends within a block, that end is out of reach.
     *
     * @param readOnly takes no writes; the file is not changed in any way
     * @throws IOException if it cannot be opened
     */
    public static FileDevice open(Path path, boolean readOnly) throws IOException {
        FileChannel file = readOnly
                ? FileChannel.open(path, StandardOpenOption.READ)
                : FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            return new FileDevice(path, file, file.size() / BLOCK_BYTES * BLOCK_BYTES, readOnly);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return path.toString();
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
                try {
                    return FileDevice.this.execute(request);
                } catch (IOException e) {
                    return status(e);
                }
            }
        };
    }

    private IoStatus execute(Request request) throws IOException {
        if (request.op().changes() && limits.readOnly()) {
            return IoStatus.READ_ONLY;
        }
        if (request.op() != Op.READ && isCutShort()) {
            return IoStatus.OFFLINE;
        }
        switch (request.op()) {
            case READ -> {
                if (!read(request)) {
                    cutShort = true;
                    return IoStatus.IO_ERROR;
                }
            }
            case WRITE -> write(request);
            case WRITE_ZEROES -> writeZeroes(request.offset(), request.length());
            case DISCARD -> {
                return IoStatus.NOT_SUPPORTED;
            }
            case FLUSH -> {}
        }
        return request.op() == Op.FLUSH || request.fua() ? flush() : IoStatus.OK;
    }

    private boolean isCutShort() throws IOException {
        cutShort |= file.size() < sizeBytes;
        return cutShort;
    }

    /** False if the file has become shorter than it was. */
    private boolean read(Request request) throws IOException {
        long at = request.offset();
        for (int i = 0; i < request.segments(); i++) {
            ByteBuffer into = bytes(request.memory(i), request.memoryOffset(i), request.memoryLength(i));
            while (into.hasRemaining()) {
                int count = file.read(into, at);
                if (count <= 0) {
                    return false;
                }
                at += count;
            }
        }
        return true;
    }

    private void write(Request request) throws IOException {
        long at = request.offset();
        for (int i = 0; i < request.segments(); i++) {
            at = write(bytes(request.memory(i), request.memoryOffset(i), request.memoryLength(i)), at);
        }
    }

    private void writeZeroes(long offset, long length) throws IOException {
        ByteBuffer zeroes = ByteBuffer.allocateDirect((int) Math.min(ZEROES_BYTES, length));
        for (long at = offset; at < offset + length; ) {
            zeroes.clear().limit((int) Math.min(zeroes.capacity(), offset + length - at));
            at = write(zeroes, at);
        }
    }

    private long write(ByteBuffer from, long offset) throws IOException {
        long at = offset;
        while (from.hasRemaining()) {
            at += file.write(from, at);
        }
        return at;
    }

    private static ByteBuffer bytes(MemorySegment memory, long offset, long length) {
        return memory.asSlice(offset, length).asByteBuffer();
    }

    private IoStatus flush() throws IOException {
        if (flushFailed) {
            return IoStatus.IO_ERROR;
        }
        try {
            file.force(false);
            return IoStatus.OK;
        } catch (IOException e) {
            flushFailed = true;
            throw e;
        }
    }

    /** Java keeps an error's number to itself, but not its words, which are the C library's. */
    private static IoStatus status(IOException e) {
        String words = e.getMessage() == null ? "" : e.getMessage();
        return words.startsWith("No space left") || words.startsWith("Disk quota")
                ? IoStatus.NO_SPACE
                : IoStatus.IO_ERROR;
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            // Whoever wanted it stable has flushed.
            flushFailed = true;
        }
    }
}
