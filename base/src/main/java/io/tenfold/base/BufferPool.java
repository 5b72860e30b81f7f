package io.tenfold.base;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Hands out pieces of native memory of a few sizes, aligned to their own size up to 64 KiB, and takes them back. It
 * grows as needed and keeps what it has: how much may be out at a time is its user's business, who counts
 * {@link #sizeFor}. Memory is zero only the first time that it is handed out.
 *
 * <p>Acquiring and releasing allocate nothing unless the pool grows. Threads: one; the memory itself may be used by any.
 */
public final class BufferPool implements AutoCloseable {
    /** The smallest piece. */
    public static final int BYTES_MIN = 4 << 10;

    /** The largest piece. What is longer takes several. */
    public static final int BYTES_MAX = 1 << 20;

    /** What the pool grows by: one piece of the largest size, or several smaller ones of one size. */
    private static final int SLAB_BYTES = BYTES_MAX;

    private static final long ALIGNMENT = 1 << 16;

    /** Sizes are this many powers of two apart: 4, 16, 64, 256 KiB and 1 MiB. */
    private static final int STEP_BITS = 2;

    private static final int MIN_BITS = Integer.numberOfTrailingZeros(BYTES_MIN);
    private static final int SIZES = (Integer.numberOfTrailingZeros(BYTES_MAX) - MIN_BITS) / STEP_BITS + 1;

    private final Arena arena = Arena.ofShared();

    /** Per size the pieces that are free, the last released first, since its memory is the likeliest in a cache. */
    private final Buffer[] free = new Buffer[SIZES];

    private long outBytes;
    private long heldBytes;

    /** An empty pool. */
    public BufferPool() {}

    /**
     * Takes a piece of at least that many bytes.
     *
     * @param bytes 1 to {@link #BYTES_MAX}
     */
    public Buffer acquire(int bytes) {
        int size = sizeIndex(bytes);
        if (free[size] == null) {
            grow(size);
        }
        Buffer buffer = free[size];
        free[size] = buffer.next;
        buffer.next = null;
        buffer.out = true;
        outBytes += buffer.bytes;
        return buffer;
    }

    /** Gives a piece back. Nobody uses its memory any more. */
    public void release(Buffer buffer) {
        assert buffer.out : "released twice: " + buffer;
        buffer.out = false;
        outBytes -= buffer.bytes;
        int size = sizeIndex(buffer.bytes);
        buffer.next = free[size];
        free[size] = buffer;
    }

    private void grow(int size) {
        MemorySegment slab = arena.allocate(SLAB_BYTES, ALIGNMENT);
        heldBytes += SLAB_BYTES;
        int bytes = bytesOf(size);
        for (int at = SLAB_BYTES - bytes; at >= 0; at -= bytes) { // So that the first is handed out first.
            Buffer buffer = new Buffer(slab, at, bytes);
            buffer.next = free[size];
            free[size] = buffer;
        }
    }

    /** How many bytes the pieces have that hold {@code bytes}, of which all but the last are {@link #BYTES_MAX} long. */
    public static long sizeFor(long bytes) {
        long whole = bytes / BYTES_MAX * BYTES_MAX;
        return whole == bytes ? whole : whole + bytesOf(sizeIndex((int) (bytes - whole)));
    }

    private static int bytesOf(int size) {
        return BYTES_MIN << (size * STEP_BITS);
    }

    private static int sizeIndex(int bytes) {
        if (bytes < 1 || bytes > BYTES_MAX) {
            throw new IllegalArgumentException("a piece has 1 to " + BYTES_MAX + " bytes: bytes=" + bytes);
        }
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(bytes, BYTES_MIN) - 1);
        return Math.ceilDiv(bits - MIN_BITS, STEP_BITS);
    }

    /** Bytes of the pieces that are out. */
    public long outBytes() {
        return outBytes;
    }

    /** Bytes of memory the pool has. */
    public long heldBytes() {
        return heldBytes;
    }

    /** Frees the memory, that of pieces still out included. */
    @Override
    public void close() {
        arena.close();
    }

    /** A piece of native memory. */
    public static final class Buffer {
        private final MemorySegment memory;
        private final long offset;
        private final int bytes;
        private Buffer next;
        private boolean out;

        private Buffer(MemorySegment memory, long offset, int bytes) {
            this.memory = memory;
            this.offset = offset;
            this.bytes = bytes;
        }

        /** The memory of which this is a part; few of these exist, so that what is known of one can be kept. */
        public MemorySegment memory() {
            return memory;
        }

        /** Where this piece starts in {@link #memory()}, in bytes. */
        public long offset() {
            return offset;
        }

        /** How long this piece is. */
        public int bytes() {
            return bytes;
        }

        @Override
        public String toString() {
            return "buffer offset=" + offset + " bytes=" + bytes + (out ? " out" : " free");
        }
    }
}
