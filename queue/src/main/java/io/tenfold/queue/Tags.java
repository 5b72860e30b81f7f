package io.tenfold.queue;

import io.tenfold.base.Waiter;

/**
 * Hands out the integers {@code 0 .. depth-1}, each to one holder at a time, and never makes anybody wait.
 *
 * <p>Whoever holds tag {@code t} owns slot {@code t} of the table that belongs to these tags. Five designs stand behind
 * this interface, so that they can be measured side by side: {@link TagDesign} names them. {@link TagSet} adds waiting.
 *
 * <p>Shards: every call names a shard, {@code 0 .. shards-1}. It tells where to look first and may be used by several
 * threads at once; a tag may be released on another shard than the one that acquired it.
 *
 * <p>{@link #NONE} means that the tags were looked through and every place was found empty when it was looked at; not
 * all at one moment, and tags that another thread is moving, or gives back because it wanted more than there were, are
 * not seen. So it means "wait for a release", not "all tags are held". {@link LockedTags} and {@link SemaphoreTags}
 * alone answer for one moment.
 *
 * <p>Order: what a holder wrote before it released a tag is visible to the tag's next holder. Every release is a
 * volatile write, and every look for a tag is a volatile read: a thread that releases and then looks at a flag, and one
 * that sets the flag and then looks for a tag, cannot both miss the other. {@link TagSet} stands on this.
 *
 * <p>Threads: any. Nothing is allocated by a call, but in {@link SemaphoreTags}.
 */
public sealed interface Tags permits BitmapTags, StealingTags, PurgedTags, LockedTags, SemaphoreTags {
    /** The answer when no tag is to be had. */
    int NONE = -1;

    /** The most tags that any design hands out. */
    int DEPTH_MAX = 1 << 15;

    /** How many tags there are. Fixed; {@link TagSet#resize} limits how many of them are used. */
    int depth();

    /**
     * Takes one tag.
     *
     * @return the tag, or {@link #NONE}
     */
    int acquire(int shard);

    /**
     * Takes as many tags as there are, up to a number.
     *
     * @param count most tags to take, 0 or more
     * @param into where to put them
     * @param from index in {@code into} of the first
     * @return how many were taken
     */
    int acquireUpTo(int shard, int count, int[] into, int from);

    /**
     * Takes a number of tags, or none. If there are too few, they are all back when this returns; others may meanwhile
     * have been told that there are none.
     *
     * @return whether all were taken
     */
    default boolean acquireExactly(int shard, int count, int[] into, int from) {
        if (count > depth()) {
            return false;
        }
        int taken = acquireUpTo(shard, count, into, from);
        if (taken == count) {
            return true;
        }
        release(shard, into, from, taken);
        return false;
    }

    /**
     * Gives a tag back.
     *
     * @throws IllegalStateException if nobody holds it. Two threads that release it at the same moment may both pass
     *     unnoticed in all designs but {@link BitmapTags} and {@link LockedTags}
     */
    void release(int shard, int tag);

    /** Gives back {@code count} tags, the first at index {@code from}. Like a release of each. */
    default void release(int shard, int[] tags, int from, int count) {
        for (int i = 0; i < count; i++) {
            release(shard, tags[from + i]);
        }
    }

    /**
     * Whether somebody holds the tag, at the moment it is looked at. A tag within an acquire or release that has not
     * returned yet may count as either.
     */
    boolean isHeld(int tag);

    /** How many tags are not held. Exact if nobody acquires or releases meanwhile. For decisions off the fast path. */
    int free();

    /**
     * Whether an acquire may move tags that it does not take, so that others find some only when it has returned. Who
     * waits for tags must then be looked after when an acquire ends too.
     */
    default boolean movesOthers() {
        return false;
    }

    /**
     * Gives to all what other shards have asked this one for. A shard's owner calls it when it is woken; designs that
     * never ask do nothing.
     *
     * @return whether others can now find tags that they could not before
     */
    default boolean handOver(int shard) {
        return false;
    }

    /** Names whom to wake when a shard is asked for its tags, so that he calls {@link #handOver}. */
    default void attach(int shard, Waiter owner) {
        // Designs that never ask wake nobody.
    }
}
