package io.tenfold.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Stacks of free tags, one for each shard and a shared pool, linked through one table: what {@link StealingTags} and
 * {@link PurgedTags} are made of. A tag is held, or in one stack, or on its way between two. Lock-free.
 */
final class TagStacks {
    /*
     * State
     *   heads[cell(s)] = version (32 bits) | size (16) | top + 1 (16): the tags top, next[top], next[next[top]], ...
     *   next[t] = the tag below t in its stack, NONE below the last, HELD while t is held.
     *   Whoever cut a chain off by his CAS of a head owns the chain's tags and their next[] until he pushes them.
     * Invariants
     *   S1  A tag is in one place: it changes hands only by a CAS of a head. The CAS compares a version that every change of
     *       that head advances, so that a chain that was walked is still the chain that is cut off. (The version wraps after
     *       4 294 967 296 changes; a thread that slept that long, on just the same size and top, would be wrong.)
     * Order
     *   O1  next[] is opaque: written by the chain's owner before the volatile CAS that pushes it, read after the volatile
     *       read of that head. A walk may read a table that others change; it is thrown away when the CAS fails, and it
     *       stops at HELD and at NONE, so that it ends.
     *   O2  What a holder wrote before push is visible to who pops: both are volatile-mode CASes of heads, and a chain that
     *       went through several stacks went through such a pair at each.
     *   O3  Every look at a head is volatile, which Tags promises.
     * Progress. A CAS fails only because another caller's succeeded.
     */
    private static final VarHandle HEAD = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle NEXT = MethodHandles.arrayElementVarHandle(int[].class);

    /** The stack that belongs to no shard. */
    static final int POOL = -1;

    /** Takes all that there is. */
    static final int ALL = Integer.MAX_VALUE;

    /** A chain without tags. */
    static final long EMPTY = 0;

    private static final int NONE = Tags.NONE;
    private static final int HELD = -2;
    private static final int STRIDE = 16;

    private final int depth;
    private final int shards;
    private final long[] heads;
    private final int[] next;

    /** All tags in the pool, the lowest on top. */
    TagStacks(int depth, int shards) {
        TagChecks.sizes(depth, shards);
        this.depth = depth;
        this.shards = shards;
        heads = new long[(shards + 3) * STRIDE];
        next = new int[depth];
        Arrays.setAll(next, tag -> tag + 1 == depth ? NONE : tag + 1);
        heads[cell(POOL)] = head(0, depth, 0);
    }

    int depth() {
        return depth;
    }

    int shards() {
        return shards;
    }

    /** How many tags a stack has. */
    int size(int stack) {
        return sizeOf((long) HEAD.getVolatile(heads, cell(stack)));
    }

    /** Takes one tag for its holder, or {@link Tags#NONE}. */
    int pop(int stack) {
        long chain = cut(stack, 1);
        return chain == EMPTY ? NONE : hold(first(chain));
    }

    /** Takes up to {@code count} tags for their holder. */
    int pop(int stack, int count, int[] into, int from) {
        long chain = cut(stack, count);
        return chain == EMPTY ? 0 : hold(chain, into, from);
    }

    /** Cuts up to {@code count} tags off a stack. The caller owns them until {@link #push} or {@link #hold}. */
    long cut(int stack, int count) {
        int cell = cell(stack);
        long seen = (long) HEAD.getVolatile(heads, cell); // O3
        while (true) {
            int take = Math.min(count, sizeOf(seen));
            if (take == 0) {
                return EMPTY;
            }
            int last = topOf(seen);
            int walked = 1;
            int below = (int) NEXT.getOpaque(next, last); // O1
            while (walked < take && below >= 0) {
                last = below;
                below = (int) NEXT.getOpaque(next, last);
                walked++;
            }
            if (walked < take || below == HELD) { // Others changed it under the walk.
                seen = (long) HEAD.getVolatile(heads, cell);
                continue;
            }
            long after = head(below, sizeOf(seen) - take, versionOf(seen) + 1);
            long witness = (long) HEAD.compareAndExchange(heads, cell, seen, after); // S1, O2
            if (witness == seen) {
                return chain(topOf(seen), last, take);
            }
            seen = witness;
        }
    }

    /** Puts a chain that the caller owns on a stack; returns the stack's size then. */
    int push(int stack, long chain) {
        int cell = cell(stack);
        long seen = (long) HEAD.getVolatile(heads, cell);
        while (true) {
            NEXT.setOpaque(next, last(chain), topOf(seen)); // O1
            int size = sizeOf(seen) + count(chain);
            long witness = (long)
                    HEAD.compareAndExchange(heads, cell, seen, head(first(chain), size, versionOf(seen) + 1)); // S1, O2
            if (witness == seen) {
                return size;
            }
            seen = witness;
        }
    }

    /** Puts back a tag that the caller holds; returns the stack's size then. */
    int push(int stack, int tag) {
        TagChecks.tag(tag, depth);
        if ((int) NEXT.getOpaque(next, tag) != HELD) {
            throw TagChecks.notHeld(tag, depth);
        }
        return push(stack, chain(tag, tag, 1));
    }

    /** Takes the first tag of a chain for its holder; {@link #rest} is what remains to be pushed. */
    int holdFirst(long chain) {
        return hold(first(chain));
    }

    /** A chain without its first tag. To be asked before {@link #holdFirst}, which forgets what comes after the first. */
    long rest(long chain) {
        return count(chain) == 1
                ? EMPTY
                : chain((int) NEXT.getOpaque(next, first(chain)), last(chain), count(chain) - 1);
    }

    private int hold(long chain, int[] into, int from) {
        int tag = first(chain);
        for (int i = 0; i < count(chain); i++) {
            int below = (int) NEXT.getOpaque(next, tag);
            into[from + i] = hold(tag);
            tag = below;
        }
        return count(chain);
    }

    private int hold(int tag) {
        NEXT.setOpaque(next, tag, HELD);
        return tag;
    }

    boolean isHeld(int tag) {
        TagChecks.tag(tag, depth);
        return (int) NEXT.getVolatile(next, tag) == HELD;
    }

    /** The sum of all sizes. */
    int free() {
        int free = size(POOL);
        for (int shard = 0; shard < shards; shard++) {
            free += size(shard);
        }
        return free;
    }

    private static int cell(int stack) {
        return (stack + 2) * STRIDE;
    }

    private static long head(int top, int size, int version) {
        return (long) version << 32 | (long) size << 16 | (top + 1);
    }

    private static int topOf(long head) {
        return (int) (head & 0xffff) - 1;
    }

    private static int sizeOf(long head) {
        return (int) (head >>> 16) & 0xffff;
    }

    private static int versionOf(long head) {
        return (int) (head >>> 32);
    }

    /** first and last as indices, count above 0: never {@link #EMPTY}. */
    private static long chain(int first, int last, int count) {
        return (long) count << 32 | (long) last << 16 | first;
    }

    private static int first(long chain) {
        return (int) (chain & 0xffff);
    }

    private static int last(long chain) {
        return (int) (chain >>> 16) & 0xffff;
    }

    static int count(long chain) {
        return (int) (chain >>> 32);
    }
}
