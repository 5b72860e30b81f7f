package io.tenfold.queue;

import io.tenfold.base.Waiter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Tags in a cache for every shard over a shared pool, where a cache is its owner's alone: when the pool is empty, the
 * others are asked to empty theirs into it, and the asker must come back. A baseline.
 *
 * <p>The idea is that of the kernel's tag caches before 2013: another CPU's cache was emptied by interrupting that CPU.
 * Here the owner is woken by his {@link Waiter} and answers in {@link #handOver}, or in his next call if that comes
 * first: a real hand-over between threads. A shard whose owner does neither keeps its tags from all others for ever;
 * that is the design's fault, and {@link StealingTags} has it not.
 */
public final class PurgedTags implements Tags {
    /*
     * State. Stacks as in StealingTags; asked[shard] = 1 from the moment somebody wants the cache until it is emptied.
     * Order. asked is volatile on both sides: the asker's write comes before he wakes the owner, the owner takes the flag
     *   before he empties his cache. What comes into the cache after that is asked for anew.
     * Invariant T2. NONE only if the shard's own cache and the pool were empty, and every other cache was empty or asked,
     *   each at some moment during the call.
     * Progress. acquire and release are lock-free. Getting a tag out of another's cache waits for its owner: not lock-free.
     */
    private static final VarHandle ASKED = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle OWNER = MethodHandles.arrayElementVarHandle(Waiter[].class);
    private static final int STRIDE = 32;

    private final TagStacks stacks;
    private final int cacheMax;
    private final int batch;
    private final int[] asked;
    private final Waiter[] owners;

    /**
     * Free tags. Caches are of the size that {@link StealingTags} gives them.
     *
     * @param depth how many, 1 to {@link Tags#DEPTH_MAX}
     * @param shards how many caches
     */
    public PurgedTags(int depth, int shards) {
        stacks = new TagStacks(depth, shards);
        cacheMax = StealingTags.cacheMax(depth, shards);
        batch = StealingTags.batch(cacheMax);
        asked = new int[(shards + 2) * STRIDE];
        owners = new Waiter[shards];
    }

    @Override
    public int depth() {
        return stacks.depth();
    }

    @Override
    public int acquire(int shard) {
        handOver(shard);
        int tag = stacks.pop(shard);
        if (tag != NONE) {
            return tag;
        }
        long chain = stacks.cut(TagStacks.POOL, batch);
        if (chain == TagStacks.EMPTY) {
            ask(shard);
            return NONE;
        }
        long rest = stacks.rest(chain);
        tag = stacks.holdFirst(chain);
        if (rest != TagStacks.EMPTY) {
            stacks.push(shard, rest);
        }
        return tag;
    }

    @Override
    public int acquireUpTo(int shard, int count, int[] into, int from) {
        handOver(shard);
        int taken = stacks.pop(shard, count, into, from);
        if (taken < count) {
            taken += stacks.pop(TagStacks.POOL, count - taken, into, from + taken);
        }
        if (taken < count) {
            ask(shard);
        }
        return taken;
    }

    private void ask(int shard) {
        for (int i = 1; i < stacks.shards(); i++) {
            int other = (shard + i) % stacks.shards();
            if (stacks.size(other) > 0 && (int) ASKED.getVolatile(asked, cell(other)) == 0) {
                ASKED.setVolatile(asked, cell(other), 1);
                Waiter owner = (Waiter) OWNER.getVolatile(owners, other);
                if (owner != null) {
                    owner.wake();
                }
            }
        }
    }

    @Override
    public boolean handOver(int shard) {
        if ((int) ASKED.getVolatile(asked, cell(shard)) == 0) {
            return false;
        }
        ASKED.setVolatile(asked, cell(shard), 0);
        long chain = stacks.cut(shard, TagStacks.ALL);
        if (chain == TagStacks.EMPTY) {
            return false;
        }
        stacks.push(TagStacks.POOL, chain);
        return true;
    }

    @Override
    public void release(int shard, int tag) {
        int size = stacks.push(shard, tag);
        if (!handOver(shard) && size > cacheMax) {
            long chain = stacks.cut(shard, batch);
            if (chain != TagStacks.EMPTY) {
                stacks.push(TagStacks.POOL, chain);
            }
        }
    }

    /**
     * Gives back several at once, to the pool: in a cache they would have to be asked for, and two who each want all would
     * keep finding the other's cache full of what he had to give back.
     */
    @Override
    public void release(int shard, int[] tags, int from, int count) {
        for (int i = 0; i < count; i++) {
            stacks.push(TagStacks.POOL, tags[from + i]);
        }
        handOver(shard);
    }

    @Override
    public void attach(int shard, Waiter owner) {
        OWNER.setVolatile(owners, shard, owner);
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

    private static int cell(int shard) {
        return (shard + 1) * STRIDE;
    }
}
