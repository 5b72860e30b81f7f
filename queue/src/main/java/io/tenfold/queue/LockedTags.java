package io.tenfold.queue;

/**
 * Tags in one list under one lock: the baseline that everybody would write first.
 *
 * <p>Last released, first acquired. The lock is a monitor, which allocates nothing however many threads want it.
 */
public final class LockedTags implements Tags {
    /*
     * State, all under this object's monitor: stack[0 .. free-1] are the free tags; held[t] says whether t is out.
     * Order. The monitor's. It also gives what Tags promises of a release that is followed by a look at a flag, since the
     *   list is not read but under the monitor: who takes it after a releaser sees the release; who takes it before him
     *   had set his flag before, and the releaser, who looks after leaving the monitor, sees it.
     */
    private final int depth;
    private final int[] stack;
    private final boolean[] held;
    private int free;

    /**
     * Free tags.
     *
     * @param depth how many, 1 to {@link Tags#DEPTH_MAX}
     * @param shards not used: there is one list
     */
    public LockedTags(int depth, int shards) {
        TagChecks.sizes(depth, shards);
        this.depth = depth;
        stack = new int[depth];
        held = new boolean[depth];
        for (int tag = depth - 1; tag >= 0; tag--) {
            stack[free++] = tag;
        }
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public synchronized int acquire(int shard) {
        if (free == 0) {
            return NONE;
        }
        int tag = stack[--free];
        held[tag] = true;
        return tag;
    }

    @Override
    public synchronized int acquireUpTo(int shard, int count, int[] into, int from) {
        int taken = Math.min(count, free);
        for (int i = 0; i < taken; i++) {
            int tag = stack[--free];
            held[tag] = true;
            into[from + i] = tag;
        }
        return taken;
    }

    @Override
    public synchronized boolean acquireExactly(int shard, int count, int[] into, int from) {
        return count <= free && acquireUpTo(shard, count, into, from) == count;
    }

    @Override
    public synchronized void release(int shard, int tag) {
        TagChecks.tag(tag, depth);
        if (!held[tag]) {
            throw TagChecks.notHeld(tag, depth);
        }
        held[tag] = false;
        stack[free++] = tag;
    }

    @Override
    public synchronized void release(int shard, int[] tags, int from, int count) {
        for (int i = 0; i < count; i++) {
            release(shard, tags[from + i]);
        }
    }

    @Override
    public synchronized boolean isHeld(int tag) {
        TagChecks.tag(tag, depth);
        return held[tag];
    }

    @Override
    public synchronized int free() {
        return free;
    }
}
