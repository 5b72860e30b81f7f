package io.tenfold.block;

import io.tenfold.base.Shard;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A device of native memory, zeroes at first. Everything is stable as soon as it is done, and lost on close. */
public final class MemoryDevice implements BlockDevice {
    private static final MemorySegment ZEROES = MemorySegment.ofArray(new byte[64 << 10]);

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final DeviceLimits limits = DeviceLimits.ofMemory();
    private boolean closed;

    /**
     * A device of zeroes.
     *
     * @param sizeBytes a multiple of 512, above 0
     */
    public MemoryDevice(long sizeBytes) {
        if (sizeBytes <= 0 || sizeBytes % limits.blockBytes() != 0) {
            throw new IllegalArgumentException("size must be a multiple of 512 above 0: sizeBytes=" + sizeBytes);
        }
        memory = arena.allocate(sizeBytes, 4096);
    }

    /** What it holds; for tests and tools that look behind the contract. */
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public long sizeBytes() {
        return memory.byteSize();
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
                return MemoryDevice.this.execute(request);
            }
        };
    }

    private IoStatus execute(Request request) {
        long at = request.offset();
        switch (request.op()) {
            case READ -> {
                for (int i = 0; i < request.segments(); i++) {
                    long length = request.memoryLength(i);
                    MemorySegment.copy(memory, at, request.memory(i), request.memoryOffset(i), length);
                    at += length;
                }
            }
            case WRITE -> {
                for (int i = 0; i < request.segments(); i++) {
                    long length = request.memoryLength(i);
                    MemorySegment.copy(request.memory(i), request.memoryOffset(i), memory, at, length);
                    at += length;
                }
            }
            case DISCARD, WRITE_ZEROES -> zero(at, request.length());
            case FLUSH -> {}
        }
        return IoStatus.OK;
    }

    /** Not by filling a slice: that one would be made for each request. */
    private void zero(long at, long length) {
        for (long done = 0; done < length; done += ZEROES.byteSize()) {
            MemorySegment.copy(ZEROES, 0, memory, at + done, Math.min(length - done, ZEROES.byteSize()));
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            arena.close();
        }
    }
}
