package io.tenfold.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A count to which every shard adds in a cache line of its own. Adding costs no shared line; reading sums all stripes.
 */
public final class StripedCounter {
    /*
     * State. cells[shard * STRIDE + STRIDE] is written by that shard's thread alone, so a plain read and an opaque write add.
     * Order. opaque: each stripe's values are seen in order and at last; a sum is not a moment's value while others add.
     */
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** 128 bytes: the pair of lines that an adjacent-line prefetcher brings in. */
    private static final int STRIDE = 16;

    private final long[] cells;
    private final int shards;

    /**
     * A count of zero.
     *
     * @param shards how many stripes, above 0
     */
    public StripedCounter(int shards) {
        if (shards < 1) {
            throw new IllegalArgumentException("shards must be above 0: shards=" + shards);
        }
        this.shards = shards;
        cells = new long[(shards + 2) * STRIDE];
    }

    /** Adds to a stripe. Only the thread of the shard with that index may call this. */
    public void add(int shard, long amount) {
        int cell = (shard + 1) * STRIDE;
        CELL.setOpaque(cells, cell, (long) CELL.get(cells, cell) + amount);
    }

    /** The sum. Exact once nobody adds. Any thread. */
    public long sum() {
        long sum = 0;
        for (int shard = 0; shard < shards; shard++) {
            sum += (long) CELL.getOpaque(cells, (shard + 1) * STRIDE);
        }
        return sum;
    }
}
