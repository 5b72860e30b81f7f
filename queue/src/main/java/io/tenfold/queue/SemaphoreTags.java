package io.tenfold.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * Tags as the JDK offers them: a {@link Semaphore} counts, a {@link ConcurrentLinkedQueue} holds. A baseline; its queue
 * allocates a node for every release.
 */
public final class SemaphoreTags implements Tags {
    /*
     * Invariant. There are never more permits than tags in the queue: a tag is added before its permit is given back, and a
     *   permit is had before a tag is taken. So whoever has a permit finds a tag.
     * Order. The semaphore's and the queue's, both volatile read-modify-writes. held[t] is written by t's holder alone, in
     *   opaque mode: it is for isHeld and for finding a second release, not for mutual exclusion.
     */
    private static final VarHandle HELD = MethodHandles.arrayElementVarHandle(byte[].class);

    private final int depth;
    private final Semaphore permits;
    private final ConcurrentLinkedQueue<Integer> tags = new ConcurrentLinkedQueue<>();
    private final Integer[] boxes;
    private final byte[] held;

    /**
     * Free tags.
     *
     * @param depth how many, 1 to {@link Tags#DEPTH_MAX}
     * @param shards not used: there is one queue
     */
    public SemaphoreTags(int depth, int shards) {
        TagChecks.sizes(depth, shards);
        this.depth = depth;
        permits = new Semaphore(depth);
        boxes = new Integer[depth];
        held = new byte[depth];
        for (int tag = 0; tag < depth; tag++) {
            boxes[tag] = tag;
            tags.add(boxes[tag]);
        }
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public int acquire(int shard) {
        return permits.tryAcquire() ? take() : NONE;
    }

    private int take() {
        int tag = tags.remove();
        HELD.setOpaque(held, tag, (byte) 1);
        return tag;
    }

    @Override
    public int acquireUpTo(int shard, int count, int[] into, int from) {
        int taken = 0;
        while (taken < count && permits.tryAcquire()) {
            into[from + taken++] = take();
        }
        return taken;
    }

    @Override
    public boolean acquireExactly(int shard, int count, int[] into, int from) {
        if (!permits.tryAcquire(count)) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            into[from + i] = take();
        }
        return true;
    }

    @Override
    public void release(int shard, int tag) {
        put(tag);
        permits.release();
    }

    @Override
    public void release(int shard, int[] released, int from, int count) {
        for (int i = 0; i < count; i++) {
            put(released[from + i]);
        }
        permits.release(count);
    }

    private void put(int tag) {
        TagChecks.tag(tag, depth);
        if ((byte) HELD.getOpaque(held, tag) == 0) {
            throw TagChecks.notHeld(tag, depth);
        }
        HELD.setOpaque(held, tag, (byte) 0);
        tags.add(boxes[tag]);
    }

    @Override
    public boolean isHeld(int tag) {
        TagChecks.tag(tag, depth);
        return (byte) HELD.getVolatile(held, tag) != 0;
    }

    @Override
    public int free() {
        return permits.availablePermits();
    }
}
