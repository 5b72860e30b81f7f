package io.tenfold.queue;

/**
 * Tags in a cache for every shard over a shared pool. Refilled and emptied in batches; when the pool is empty, a shard
 * takes what it finds in another's cache. Lock-free.
 *
 * <p>The idea is that of the kernel's per-CPU tag caches as they came in 2013 ("percpu_ida"). Against
 * {@link PurgedTags}, which it replaced: nobody is interrupted. Against {@link BitmapTags}, which replaced it: a tag has
 * many places to be, and all must be looked through before the answer is {@link #NONE}.
 */
public final class StealingTags implements Tags {
    /*
     * State. In TagStacks: a stack for each shard, and the pool.
     * Invariants. T1 (one holder) is S1 there. T2: NONE only if each stack was empty at some moment during the call. Tags
     *   that a refill or a theft is moving are in no stack: that call ends with a tag and puts the rest in its own
     *   stack first, which is what movesOthers() tells.
     * Progress. Lock-free: stacks are; the search is bounded by their number.
     */
    private final TagStacks stacks;
    private final int cacheMax;
    private final int batch;

    /**
     * Free tags. A cache holds half of a shard's equal share at most, and moves half of that at a time.
     *
     * @param depth how many, 1 to {@link Tags#DEPTH_MAX}
     * @param shards how many caches
     */
    public StealingTags(int depth, int shards) {
        stacks = new TagStacks(depth, shards);
        cacheMax = cacheMax(depth, shards);
        batch = batch(cacheMax);
    }

    static int cacheMax(int depth, int shards) {
        return Math.max(1, depth / (2 * shards));
    }

    static int batch(int cacheMax) {
        return Math.max(1, cacheMax / 2);
    }

    @Override
    public int depth() {
        return stacks.depth();
    }

    @Override
    public int acquire(int shard) {
        int tag = stacks.pop(shard);
        return tag != NONE ? tag : refill(shard);
    }

    private int refill(int shard) {
        long chain = stacks.cut(TagStacks.POOL, batch);
        for (int i = 1; chain == TagStacks.EMPTY && i < stacks.shards(); i++) {
            chain = stacks.cut((shard + i) % stacks.shards(), TagStacks.ALL);
        }
        if (chain == TagStacks.EMPTY) {
            return stacks.pop(shard); // Another thread of this shard may have released since the first look.
        }
        long rest = stacks.rest(chain);
        int tag = stacks.holdFirst(chain);
        if (rest != TagStacks.EMPTY) {
            stacks.push(shard, rest);
        }
        return tag;
    }

    @Override
    public int acquireUpTo(int shard, int count, int[] into, int from) {
        int taken = stacks.pop(shard, count, into, from);
        if (taken < count) {
            taken += stacks.pop(TagStacks.POOL, count - taken, into, from + taken);
        }
        for (int i = 1; taken < count && i < stacks.shards(); i++) {
            taken += stacks.pop((shard + i) % stacks.shards(), count - taken, into, from + taken);
        }
        return taken;
    }

    @Override
    public void release(int shard, int tag) {
        if (stacks.push(shard, tag) > cacheMax) {
            long chain = stacks.cut(shard, batch);
            if (chain != TagStacks.EMPTY) {
                stacks.push(TagStacks.POOL, chain);
            }
        }
    }

    @Override
    public boolean isHeld(int tag) {
        return stacks.isHeld(tag);
    }

    @Override
    public int free() {
        return stacks.free();
    }

    @Override
    public boolean movesOthers() {
        return true;
    }
}
