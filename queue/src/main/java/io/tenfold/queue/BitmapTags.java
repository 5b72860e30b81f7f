package io.tenfold.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Tags as bits, a few in each cache line, with a hint for every shard of where it last had luck. Lock-free.
 *
 * <p>The idea is that of the kernel's scalable bitmap (2014), which replaced {@link StealingTags}: as many words as keep
 * threads out of one another's way, and no second place where a free tag could hide.
 */
public final class BitmapTags implements Tags {
    /*
     * State. Bit b of word w is 1 while tag (w << shift) + b is held. Bits of a word that stand for no tag are 1 for ever.
     *   hints[shard] is the word that this shard looks at first; any value in range is right, so that threads may share it.
     * Invariants
     *   T1  A tag has one holder: only the thread whose CAS turned its bit to 1 gets it.
     *   T2  NONE only if each word was full at some moment during the call.
     * Order
     *   O1  What a holder wrote before release(t) is visible to the next holder of t. Both ends are volatile-mode
     *       read-modify-writes of the word. Release and acquire mode were refused: a third thread may change another bit in
     *       between, and its write must pass the edge on. Pinned by TagHandOverStress.
     *   O2  Release, then look at a flag; set the flag, then look for a tag: one of the two sees the other. All four are
     *       volatile mode, so the first look at a word is a volatile read, not opaque: an opaque one may be satisfied
     *       before the flag is set. On x86-64 it is the same load. Pinned by TagWakeStress.
     *   O3  Hints are opaque: a stale one costs a look at a full word, never a wrong answer.
     * Progress. A CAS fails only because another caller's succeeded: lock-free.
     */
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle HINT = MethodHandles.arrayElementVarHandle(int[].class);

    /** 128 bytes: the pair of lines that an adjacent-line prefetcher brings in. */
    private static final int WORD_STRIDE = 16;

    private static final int HINT_STRIDE = 32;

    /** Bits in a word, unless said otherwise. */
    static final int BITS_PER_WORD = 8;

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
        this(depth, shards, BITS_PER_WORD);
    }

    /**
     * Free tags, some in each cache line.
     *
     * @param bitsPerWord a power of two, 1 to 64: few keep threads apart, many make a nearly full map quick to look through
     */
    public BitmapTags(int depth, int shards, int bitsPerWord) {
        TagChecks.sizes(depth, shards);
        if (bitsPerWord < 1 || bitsPerWord > Long.SIZE || Integer.bitCount(bitsPerWord) != 1) {
            throw new IllegalArgumentException(
                    "bits in a word must be a power of two, 1 to 64: bitsPerWord=" + bitsPerWord);
        }
        this.depth = depth;
        shift = Integer.numberOfTrailingZeros(bitsPerWord);
        slots = (depth + bitsPerWord - 1) >> shift;
        words = new long[(slots + 2) * WORD_STRIDE];
        Arrays.fill(words, -1L);
        for (int slot = 0; slot < slots; slot++) {
            int bits = Math.min(bitsPerWord, depth - (slot << shift));
            words[cell(slot)] = bits == Long.SIZE ? 0 : -1L << bits;
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
            int bit = takeOne(cell(slot));
            if (bit != NONE) {
                remember(hint, first, slot);
                return (slot << shift) + bit;
            }
            slot = slot + 1 == slots ? 0 : slot + 1;
        }
        return NONE;
    }

    private int takeOne(int cell) {
        long seen = (long) WORD.getVolatile(words, cell); // O2
        while (seen != -1L) {
            long free = Long.lowestOneBit(~seen);
            long witness = (long) WORD.compareAndExchange(words, cell, seen, seen | free); // T1, O1
            if (witness == seen) {
                return Long.numberOfTrailingZeros(free);
            }
            seen = witness;
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
            long bits = takeSome(cell(slot), count - taken);
            if (bits != 0) {
                remember(hint, first, slot);
                for (long rest = bits; rest != 0; rest &= rest - 1) {
                    into[from + taken++] = (slot << shift) + Long.numberOfTrailingZeros(rest);
                }
            }
            slot = slot + 1 == slots ? 0 : slot + 1;
        }
        return taken;
    }

    private long takeSome(int cell, int count) {
        long seen = (long) WORD.getVolatile(words, cell); // O2
        while (seen != -1L) {
            long take = lowest(~seen, count);
            long witness = (long) WORD.compareAndExchange(words, cell, seen, seen | take); // T1, O1
            if (witness == seen) {
                return take;
            }
            seen = witness;
        }
        return 0;
    }

    /** The lowest {@code count} ones of a word, or all if it has fewer. */
    private static long lowest(long bits, int count) {
        if (Long.bitCount(bits) <= count) {
            return bits;
        }
        long rest = bits;
        for (int i = 0; i < count; i++) {
            rest &= rest - 1;
        }
        return bits & ~rest;
    }

    @Override
    public void release(int shard, int tag) {
        TagChecks.tag(tag, depth);
        int slot = tag >> shift;
        giveBack(slot, bit(tag, slot), tag);
        rememberFreed(shard, slot);
    }

    @Override
    public void release(int shard, int[] tags, int from, int count) {
        int i = 0;
        while (i < count) {
            int first = tags[from + i];
            TagChecks.tag(first, depth);
            int slot = first >> shift;
            long bits = bit(first, slot);
            i++;
            while (i < count && tags[from + i] >> shift == slot) { // Neighbours in one word go back in one step.
                int tag = tags[from + i];
                TagChecks.tag(tag, depth);
                if ((bits & bit(tag, slot)) != 0) {
                    throw TagChecks.notHeld(tag, depth);
                }
                bits |= bit(tag, slot);
                i++;
            }
            giveBack(slot, bits, first);
            rememberFreed(shard, slot);
        }
    }

    private void giveBack(int slot, long bits, int tag) {
        long before = (long) WORD.getAndBitwiseAnd(words, cell(slot), ~bits); // O1, O2
        if ((before & bits) != bits) {
            throw TagChecks.notHeld(tag, depth);
        }
    }

    private long bit(int tag, int slot) {
        return 1L << (tag - (slot << shift));
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
        return ((long) WORD.getVolatile(words, cell(slot)) & bit(tag, slot)) != 0;
    }

    @Override
    public int free() {
        int free = 0;
        for (int slot = 0; slot < slots; slot++) {
            free += Long.bitCount(~(long) WORD.getVolatile(words, cell(slot)));
        }
        return free;
    }

    private static int cell(int slot) {
        return (slot + 1) * WORD_STRIDE;
    }
}
