package io.tenfold.base;

/**
 * One event loop, as those who work on it see it. A channel, a stream, a buffer belongs to one shard and is touched by
 * its thread alone; only {@link #wake} may be called from elsewhere.
 */
public interface Shard extends Waiter {
    /** This shard's number, counted from 0 and fixed for life: the stripe it uses in striped state. */
    int index();

    /** The clock by which this shard lives. */
    Clock clock();

    /**
     * A shard without an event loop for the calling thread, for control work that may block (reading superblocks,
     * copying an array out). It parks and wakes that thread.
     *
     * @param index the stripe to use, from 0
     */
    static Shard ofCaller(int index, Clock clock) {
        return new CallerShard(index, clock, new ThreadWaiter());
    }
}
