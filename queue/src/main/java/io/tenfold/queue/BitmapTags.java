package io.tenfold.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Tags as bytes, a few in each cache line, with a hint for every shard of where it last had luck. Lock-free.
 *
 * <p>The idea is that of the kernel's scalable bitmap (2014), which replaced {@link StealingTags}: as many words as keep
 * threads out of one another's way, and no second place where a free tag could hide.
 */
public final class BitmapTags implements Tags {
    /*
     * State. Byte b of word w, its lane, is 1 while tag w * tagsPerWord + b is free, 0 while it is held, and 0 for ever if
     *   there is no such tag. A lane counts for a moment above 1 while somebody releases a tag that nobody holds: he adds, sees
     *   his fault, and takes away what he added. Only its lowest bit means "free", so that nobody takes such a lane of 2.
     *   hints[shard] is the word that this shard looks at first; any value in range is right, so that threads may share it.
     * Invariants
     *   T1  A tag has one holder: only the thread whose CAS took 1 from its lane gets it.
     *   T2  NONE only if each word was full at some moment during the call, unless somebody released what nobody held.
     *   T3  Of those who release one held tag at the same moment, one passes. A lane holds 255, so that fewer than that many
     *       may do so.
     * Order
     *   O1  What a holder wrote before release(t) is visible to the next holder of t. Both ends are volatile-mode
     *       read-modify-writes of the word. Release and acquire mode were refused: a third thread may change another lane in
     *       between, and its write must pass the edge on. Pinned by TagHandOverStress.
     *   O2  Release, then look at a flag; set the flag, then look for a tag: one of the two sees the other. All four are
     *       volatile mode, so the first look at a word is a volatile read, not opaque: an opaque one may be satisfied
     *       before the flag is set. On x86-64 it is the same load. Pinned by TagWakeStress.
     *   O3  Hints are opaque: a stale one costs a look at a full word, never a wrong answer.
     * Progress. A CAS fails only because another caller's change came between: lock-free. A release is one addition, which
     *   cannot fail: wait-free. That is what the bytes are for; bits need a CAS to be cleared and checked at once.
     */
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle HINT = MethodHandles.arrayElementVarHandle(int[].class);

    /** 128 bytes: the pair of lines that an adjacent-line prefetcher brings in. */
    private static final int WORD_STRIDE = 16;

    private static final int HINT_STRIDE = 32;

    /** Tags in a word, unless said otherwise, and the most that there may be. */
    static final int TAGS_PER_WORD = 8;

    /** A 1 in every lane. */
    private static final long ONES = 0x0101_0101_0101_0101L;

    private static final long LANE = 0xff;
    private static final int LANE_SHIFT = 3;

    private final int depth;
    private final int shift;
    private final int slots;
    private final long[] words;
    private final int[] hints;

    /**
     * Free tags, eight in a cache line.
     *
     * @param depth how many, 1 to {@link Tags#DEPTH_MAX}
     * @param shards how many hints to keep, above 0
     */
    public BitmapTags(int depth, int shards) {
        this(depth, shards, TAGS_PER_WORD);
    }

    /**
     * Free tags, some in each cache line.
     *
     * @param tagsPerWord a power of two, 1 to 8: few keep threads apart, many make a nearly full map quick to look through
     */
    public BitmapTags(int depth, int shards, int tagsPerWord) {
        TagChecks.sizes(depth, shards);
        if (tagsPerWord < 1 || tagsPerWord > TAGS_PER_WORD || Integer.bitCount(tagsPerWord) != 1) {
            throw new IllegalArgumentException(
                    "tags in a word must be a power of two, 1 to 8: tagsPerWord=" + tagsPerWord);
        }
        this.depth = depth;
        shift = Integer.numberOfTrailingZeros(tagsPerWord);
        slots = (depth + tagsPerWord - 1) >> shift;
        words = new long[(slots + 2) * WORD_STRIDE];
        for (int slot = 0; slot < slots; slot++) {
            int count = Math.min(tagsPerWord, depth - (slot << shift));
            words[cell(slot)] = ONES >>> (Long.SIZE - (count << LANE_SHIFT));
        }
        hints = new int[(shards + 2) * HINT_STRIDE];
        for (int shard = 0; shard < shards; shard++) {
            hints[(shard + 1) * HINT_STRIDE] = firstSlot(shard, shards, slots);
        }
    }

    /** Where a shard starts to look: as far from the others as there is room. */
    static int firstSlot(int shard, int shards, int slots) {
        return (int) ((long) shard * slots / shards);
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public int acquire(int shard) {
        int hint = (shard + 1) * HINT_STRIDE;
        int first = (int) HINT.getOpaque(hints, hint); // O3
        int slot = first;
        for (int left = slots; left > 0; left--) {
            long lane = takeSome(cell(slot), 1);
            if (lane != 0) {
                remember(hint, first, slot);
                return tag(slot, lane);
            }
            slot = slot + 1 == slots ? 0 : slot + 1;
        }
        return NONE;
    }

    @Override
    public int acquireUpTo(int shard, int count, int[] into, int from) {
        int hint = (shard + 1) * HINT_STRIDE;
        int first = (int) HINT.getOpaque(hints, hint); // O3
        int slot = first;
        int taken = 0;
        for (int left = slots; left > 0 && taken < count; left--) {
            long lanes = takeSome(cell(slot), count - taken);
            if (lanes != 0) {
                remember(hint, first, slot);
                for (long rest = lanes; rest != 0; rest &= rest - 1) {
                    into[from + taken++] = tag(slot, rest);
                }
            }
            slot = slot + 1 == slots ? 0 : slot + 1;
        }
        return taken;
    }

    /** Takes the first free tags of a word, up to {@code count} of them, above 0: a 1 in the lane of each. */
    private long takeSome(int cell, int count) {
        long seen = (long) WORD.getVolatile(words, cell); // O2
        while ((seen & ONES) != 0) {
            long take = count == 1 ? Long.lowestOneBit(seen & ONES) : lowest(seen & ONES, count);
            long witness = (long) WORD.compareAndExchange(words, cell, seen, seen - take); // T1, O1
            if (witness == seen) {
                return take;
            }
            seen = witness;
        }
        return 0;
    }

    /** The lowest {@code count} ones of a word, or all if it has fewer. */
    private static long lowest(long ones, int count) {
        if (Long.bitCount(ones) <= count) {
            return ones;
        }
        long rest = ones;
        for (int i = 0; i < count; i++) {
            rest &= rest - 1;
        }
        return ones & ~rest;
    }

    @Override
    public void release(int shard, int tag) {
        TagChecks.tag(tag, depth);
        int slot = tag >> shift;
        giveBack(slot, lane(tag, slot));
        rememberFreed(shard, slot);
    }

    @Override
    public void release(int shard, int[] tags, int from, int count) {
        int i = 0;
        while (i < count) {
            int first = tags[from + i];
            TagChecks.tag(first, depth);
            int slot = first >> shift;
            long lanes = lane(first, slot);
            i++;
            while (i < count && tags[from + i] >> shift == slot) { // Neighbours in one word go back in one step.
                int tag = tags[from + i];
                TagChecks.tag(tag, depth);
                if ((lanes & lane(tag, slot)) != 0) {
                    throw TagChecks.notHeld(tag, depth);
                }
                lanes |= lane(tag, slot);
                i++;
            }
            giveBack(slot, lanes);
            rememberFreed(shard, slot);
        }
    }

    private void giveBack(int slot, long lanes) {
        long before = (long) WORD.getAndAdd(words, cell(slot), lanes); // O1, O2
        if ((before & (lanes * LANE)) != 0) {
            throw takeBack(slot, lanes, before);
        }
    }

    /** Some of these tags were not held. Those that were are free now. */
    private IllegalStateException takeBack(int slot, long lanes, long before) {
        long wrong = 0;
        for (long rest = lanes; rest != 0; rest &= rest - 1) {
            long lane = Long.lowestOneBit(rest);
            if ((before & (lane * LANE)) != 0) {
                wrong |= lane;
            }
        }
        WORD.getAndAdd(words, cell(slot), -wrong); // T3
        return TagChecks.notHeld(tag(slot, wrong), depth);
    }

    /** The tag of the lowest of these lanes. */
    private int tag(int slot, long lanes) {
        return (slot << shift) + (Long.numberOfTrailingZeros(lanes) >> LANE_SHIFT);
    }

    /** A 1 in the tag's lane. */
    private long lane(int tag, int slot) {
        return 1L << ((tag - (slot << shift)) << LANE_SHIFT);
    }

    private void remember(int hint, int first, int slot) {
        if (slot != first) { // Only then: a line that several threads read is not written without need.
            HINT.setOpaque(hints, hint, slot);
        }
    }

    private void rememberFreed(int shard, int slot) {
        int hint = (shard + 1) * HINT_STRIDE;
        remember(hint, (int) HINT.getOpaque(hints, hint), slot);
    }

    @Override
    public boolean isHeld(int tag) {
        TagChecks.tag(tag, depth);
        int slot = tag >> shift;
        return ((long) WORD.getVolatile(words, cell(slot)) & lane(tag, slot)) == 0;
    }

    @Override
    public int free() {
        int free = 0;
        for (int slot = 0; slot < slots; slot++) {
            free += Long.bitCount((long) WORD.getVolatile(words, cell(slot)) & ONES);
        }
        return free;
    }

    private static int cell(int slot) {
        return (slot + 1) * WORD_STRIDE;
    }
}
