package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * Pieces of memory in the form in which the kernel takes them, {@code struct iovec[]}, and how much of them is done: a
 * transfer that ends early is continued from {@link #address()}.
 *
 * <p>Threads: one. The memory of the table belongs to the arena; that of the pieces to whoever asked for the transfer.
 */
final class IoVector {
    /** {@code struct iovec}, readv(2). */
    static final StructLayout LAYOUT =
            MemoryLayout.structLayout(JAVA_LONG.withName("iov_base"), JAVA_LONG.withName("iov_len"));

    private static final long BYTES = LAYOUT.byteSize();
    private static final long LENGTH = Long.BYTES;

    private final long table;
    private final int capacity;
    private long first;
    private int count;

    /** A vector of no pieces, with room for {@code capacity}. */
    IoVector(Arena arena, int capacity) {
        table = arena.allocate(LAYOUT, capacity).address();
        this.capacity = capacity;
    }

    /** Forgets all pieces. */
    void clear() {
        first = table;
        count = 0;
    }

    /** Adds a piece behind the others. */
    void add(long address, long length) {
        assert count < capacity : "too many pieces: capacity=" + capacity;
        long entry = table + count * BYTES;
        RawMemory.putLong(entry, address);
        RawMemory.putLong(entry + LENGTH, length);
        count++;
    }

    /** Where the pieces that are left begin, as {@code struct iovec *}. */
    long address() {
        return first;
    }

    /** How many pieces are left. */
    int count() {
        return count;
    }

    /** The address of the first piece that is left. */
    long firstAddress() {
        return RawMemory.getLong(first);
    }

    /** The length of the first piece that is left. */
    long firstLength() {
        return RawMemory.getLong(first + LENGTH);
    }

    /** Takes away what has been transferred, at most all that is left. */
    void advance(long bytes) {
        long left = bytes;
        while (count > 0 && left >= firstLength()) {
            left -= firstLength();
            first += BYTES;
            count--;
        }
        if (left > 0) {
            RawMemory.putLong(first, firstAddress() + left);
            RawMemory.putLong(first + LENGTH, firstLength() - left);
        }
    }
}
