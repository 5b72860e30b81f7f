package io.tenfold.raid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Where the heads of an array's spinning members are going: the end of the last read that any channel sent to each. Of all
 * that balances reads this alone is shared between channels, and only disks are entered, which are asked a few hundred times
 * a second: a line that moves between processors with each is lost in a seek.
 *
 * <p>Threads: any.
 */
final class HeadPositions {
    /*
     * State. cells[member * STRIDE + STRIDE] is the address, a line pair to each member; the cell behind it counts reads
     * under way, under the rule of 2016 alone, which counts them all in one place as the kernel does.
     * Order. opaque: whole values, seen at last. A stale one costs a longer seek, never a wrong answer. Counts are atomic.
     */
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** 128 bytes: the pair of lines that an adjacent-line prefetcher brings in. */
    private static final int STRIDE = 16;

    private final long[] cells;

    HeadPositions(int members) {
        cells = new long[(members + 2) * STRIDE];
    }

    /** Where a member's head will be when it has done what it was asked, in bytes of its device. */
    long get(int member) {
        return (long) CELL.getOpaque(cells, (member + 1) * STRIDE);
    }

    /** A read that ends here was sent to a member. */
    void set(int member, long address) {
        CELL.setOpaque(cells, (member + 1) * STRIDE, address);
    }

    /** Reads of all channels under way on a member, where they are counted. */
    long pending(int member) {
        return (long) CELL.getOpaque(cells, (member + 1) * STRIDE + 1);
    }

    /** Counts reads in, or with a negative amount out. */
    void addPending(int member, long amount) {
        CELL.getAndAdd(cells, (member + 1) * STRIDE + 1, amount);
    }
}
