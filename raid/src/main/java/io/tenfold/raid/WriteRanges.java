package io.tenfold.raid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Keeps writes that touch the same 4 KiB from being under way at the same time, whichever shards they come from: two that
 * overtook one another on the way to two copies would leave the copies different for ever. Lock-free; nobody waits inside.
 *
 * <p>A writer takes its whole range or nothing ({@link #tryAcquire}), and gives it back when the last copy has answered
 * ({@link #release}). Whoever gets nothing says that it waits ({@link #startWaiting}), tries again, and only then parks;
 * it is woken by whoever gives back, and stays announced until it has what it wants ({@link #stopWaiting}).
 *
 * <p>The table is smaller than the array: ranges 1 GiB apart may get in each other's way. That costs a wait, never an error.
 */
class WriteRanges {
    /*
     * State. Granule g = offset / 4 KiB of the array is bit g % 64 of word (g / 64) % words.length, 1 while a writer holds it.
     *   waiting: how many parties have announced that they wait.
     *
     * Invariants
     *   R1  A granule's bit is turned to 1 by one CAS, whose caller alone turns it back.
     *   R2  tryAcquire answers false only with no bit of its own left set.
     *   R3  No wake-up is lost: a party that announced itself, tried again and failed is woken by each release that may
     *       have been in its way, its own bits' holder included.
     * Order
     *   O1  What the holder of a granule did before release is visible to the next holder. Both ends are volatile
     *       read-modify-writes of the word; weaker modes were refused because a third party's bit may be changed in
     *       between, and are the same instruction on x86-64. Pinned by WriteRangesStress.HandOver.
     *   O2  R3 is Dekker's: the waiter changes `waiting`, then reads the word (in its second try); the releaser changes the
     *       word, then reads `waiting`. All four are volatile, so they have one order that all agree on, and at least
     *       one of the two reads comes after the other's change: either the second try finds the bit cleared, or the
     *       releaser finds somebody waiting and wakes. With the announcement as a release store and no fence, both may
     *       read old values: WriteRangesStress.LostWakeUp shows it on a weakened twin. A wake is sticky (Waiter.wake), so
     *       it does not matter whether it comes before or after the park.
     *   O3  A failed try that had taken some words gives them back by the same steps as release, waking included:
     *       another may have failed on just those.
     * Progress. A CAS fails only because another's succeeded. Words are taken in ascending order of their place in the
     *   table, so of several that stand in each other's way half-way, the one that holds the highest place is stopped by
     *   nobody but a full holder, whose I/O ends without taking anything more. So there is no deadlock and no livelock;
     *   fairness is not promised.
     */
    /** Bytes of a granule. */
    static final int GRANULE = 4096;

    /** The longest range. It must not meet itself in the table. */
    static final long LENGTH_MAX = 128L << 20;

    private static final int GRANULE_SHIFT = 12;
    private static final int WORDS_DEFAULT = 4096;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle WAITING;

    static {
        try {
            WAITING = MethodHandles.lookup().findVarHandle(WriteRanges.class, "waiting", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long[] words;
    private final Runnable wakeWaiters;

    @SuppressWarnings("unused") // By WAITING.
    private volatile int waiting;

    /**
     * A guard that nobody holds anything of.
     *
     * @param wakeWaiters wakes all who have announced that they wait; called by any of the parties
     */
    WriteRanges(Runnable wakeWaiters) {
        this(WORDS_DEFAULT, wakeWaiters);
    }

    /** The same with a table of another size, a power of two, for tests: ranges must not be longer than it is. */
    WriteRanges(int wordCount, Runnable wakeWaiters) {
        words = new long[wordCount];
        this.wakeWaiters = wakeWaiters;
    }

    /**
     * Takes a range, rounded outwards to granules, if nobody holds any of it.
     *
     * @param offset bytes, from 0
     * @param length bytes, 1 to {@link #LENGTH_MAX}
     */
    boolean tryAcquire(long offset, long length) {
        long first = offset >>> GRANULE_SHIFT;
        long last = (offset + length - 1) >>> GRANULE_SHIFT;
        int count = words(first, last);
        if (count > 1 && !isFree(first, last, count)) {
            return false; // Nothing was taken, so nobody is to be woken for it, least of all the caller itself.
        }
        for (int i = 0; i < count; i++) {
            if (!take(wordAt(first, last, i), first, last)) {
                for (int taken = 0; taken < i; taken++) {
                    give(wordAt(first, last, taken), first, last);
                }
                if (i > 0) {
                    wakeIfWaiting(); // O3
                }
                return false;
            }
        }
        return true;
    }

    /** Gives back a range that {@link #tryAcquire} took, and wakes those who wait. */
    void release(long offset, long length) {
        long first = offset >>> GRANULE_SHIFT;
        long last = (offset + length - 1) >>> GRANULE_SHIFT;
        int count = words(first, last);
        for (int i = 0; i < count; i++) {
            give(wordAt(first, last, i), first, last);
        }
        wakeIfWaiting();
    }

    /** Announces that a party waits. It tries again after this and before it parks. */
    void startWaiting() {
        WAITING.getAndAdd(this, 1); // O2
    }

    /** Takes the announcement back. */
    void stopWaiting() {
        WAITING.getAndAdd(this, -1);
    }

    private void wakeIfWaiting() {
        if ((int) WAITING.getVolatile(this) > 0) { // O2
            wakeWaiters.run();
        }
    }

    /** Whether nobody holds any of a range, at a moment that may be gone. */
    private boolean isFree(long first, long last, int count) {
        for (int i = 0; i < count; i++) {
            long word = wordAt(first, last, i);
            long seen = (long) WORD.getVolatile(words, (int) word & (words.length - 1)); // O2
            if ((seen & mask(word, first, last)) != 0) {
                return false;
            }
        }
        return true;
    }

    private boolean take(long word, long first, long last) {
        int slot = (int) word & (words.length - 1);
        long mask = mask(word, first, last);
        long seen = (long) WORD.getVolatile(words, slot); // O2
        while ((seen & mask) == 0) {
            long witness = (long) WORD.compareAndExchange(words, slot, seen, seen | mask); // R1, O1
            if (witness == seen) {
                return true;
            }
            seen = witness;
        }
        return false;
    }

    private void give(long word, long first, long last) {
        WORD.getAndBitwiseAnd(words, (int) word & (words.length - 1), ~mask(word, first, last)); // O1, O2
    }

    private static int words(long first, long last) {
        return (int) ((last >>> 6) - (first >>> 6)) + 1;
    }

    /** The {@code i}-th word of a range in ascending order of its place in the table. */
    private long wordAt(long first, long last, int i) {
        long from = first >>> 6;
        long wrap = (from | (words.length - 1)) + 1; // The word that lies at the table's start.
        long beyond = (last >>> 6) - wrap + 1;
        return beyond <= 0 ? from + i : i < beyond ? wrap + i : from + i - beyond;
    }

    /** The bits of a word that the granules {@code first .. last} cover. */
    private static long mask(long word, long first, long last) {
        long mask = -1L;
        if (word == first >>> 6) {
            mask &= -1L << first;
        }
        if (word == last >>> 6) {
            mask &= -1L >>> ~last;
        }
        return mask;
    }
}
