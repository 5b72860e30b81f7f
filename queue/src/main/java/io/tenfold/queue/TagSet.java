package io.tenfold.queue;

import io.tenfold.base.Waiter;
import java.util.function.IntConsumer;

/**
 * A fixed number of tags, and a fair queue of those who wait for them: who may be in flight, and who is next.
 *
 * <p>A tag is an integer, {@code 0 .. depthMax-1}; whoever holds tag {@code t} owns slot {@code t} of a table of the
 * user's. Reserved tags follow from {@code depthMax} on, for work that must not wait behind ordinary work.
 *
 * <p>Two ways to wait. An event loop calls {@link #acquire}; if that says that the claim waits, {@link #poll} on its shard
 * calls back with the tags. A thread that may block calls {@link #await} instead. Neither allocates.
 *
 * <p>Promises, as long as whoever holds tags releases them without waiting for more: nobody who waits is forgotten, and
 * under {@link WakePolicy#noPreemption} and {@link WakePolicy#strictOrder} nobody waits for ever. The argument stands in
 * {@code TagServer}; the idea of counting what waiters need is from a posting to the Linux block list in 2022.
 *
 * <p>Threads: any, for all methods but {@link #poll} and {@link #await}, which belong to the owner of the shard or claim.
 */
public final class TagSet {
    /** The answer when no tag is to be had at once. */
    public static final int NONE = Tags.NONE;

    private final Tags tags;
    private final Tags reserved;
    private final int reservedCount;
    private final TagServer server;
    private final long closed;
    private final boolean plenty;
    private final boolean moves;

    /**
     * Tags of a design, all of them free.
     *
     * @param depthMax most tags that will ever be in use, and the depth to begin with; 1 to {@link Tags#DEPTH_MAX}
     * @param reservedCount how many reserved tags there are besides, 0 to {@link Tags#DEPTH_MAX}
     * @param shards how many shards will name themselves, above 0
     */
    public TagSet(TagDesign design, int depthMax, int reservedCount, int shards, WakePolicy policy) {
        this(design.create(depthMax, shards), reservedCount, shards, policy);
    }

    /**
     * The given tags, which are this set's alone from now on.
     *
     * @param tags all of them free, made for as many shards
     */
    public TagSet(Tags tags, int reservedCount, int shards, WakePolicy policy) {
        if (reservedCount < 0 || reservedCount > Tags.DEPTH_MAX) {
            throw new IllegalArgumentException(
                    "reserved tags must be 0.." + Tags.DEPTH_MAX + ": reservedCount=" + reservedCount);
        }
        this.tags = tags;
        this.reservedCount = reservedCount;
        reserved = reservedCount == 0 ? null : new BitmapTags(reservedCount, shards);
        server = new TagServer(tags, shards, policy);
        closed = TagServer.RESIZING | (policy.handsOver() ? TagServer.WAITERS : 0);
        plenty = policy.preemptWhenPlenty();
        moves = tags.movesOthers();
    }

    /** The tag after the last: the size of a table with a slot for each tag, the reserved ones included. */
    public int tagEnd() {
        return tags.depth() + reservedCount;
    }

    /** How many tags may be held at a time, the reserved ones apart. */
    public int depth() {
        return server.depth();
    }

    /**
     * Takes one tag, if one is to be had without waiting and without passing over anybody who must not be passed over.
     *
     * @return the tag, or {@link #NONE}
     */
    public int tryAcquire(int shard) {
        if (!admits(1)) {
            return NONE;
        }
        int tag = tags.acquire(shard);
        if (moves) {
            attend();
        }
        return tag;
    }

    /** Like {@link #tryAcquire}, for up to {@code count} tags; returns how many were put at {@code into[from]} and after. */
    public int tryAcquireUpTo(int shard, int count, int[] into, int from) {
        if (!admits(count)) {
            return 0;
        }
        int taken = tags.acquireUpTo(shard, count, into, from);
        if (moves) {
            attend();
        }
        return taken;
    }

    /** Like {@link #tryAcquire}, for {@code count} tags or none; returns whether they are there. */
    public boolean tryAcquireExactly(int shard, int count, int[] into, int from) {
        return count <= depth() && admits(count) && takeExactly(shard, count, into, from);
    }

    /**
     * Takes one of the reserved tags. For these nobody waits.
     *
     * @return the tag, or {@link #NONE}
     */
    public int tryAcquireReserved(int shard) {
        if (reserved == null) {
            return NONE;
        }
        int tag = reserved.acquire(shard);
        return tag == NONE ? NONE : tags.depth() + tag;
    }

    /**
     * Takes tags for a claim, or makes it wait for them.
     *
     * <p>A claim gets all its tags at once, and none before. There are two exceptions: one for more than {@link #depth}
     * tags gets them in groups of that size, so its owner must be able to release a group before he has the next; and
     * under {@link WakePolicy#strictOrder} tags come as they are freed.
     *
     * @param claim complete, or new; not to be used again until it {@linkplain TagClaim#isComplete is complete}
     * @param count how many tags, 1 to the claim's room
     * @return true: the claim has all its tags. False: it waits, or was helped just now; its callback will come in
     *     {@link #poll}, or {@link #await} will return
     */
    public boolean acquire(TagClaim claim, int count) {
        claim.start(count);
        if (count <= depth() && admits(count) && take(claim, count)) {
            claim.taken = count;
            return true;
        }
        wait(claim);
        return false;
    }

    /**
     * Waits until a claim that {@link #acquire} made wait has more tags.
     *
     * @param claim made by {@link TagClaim#blocking}, and the calling thread's
     * @return how many it got since {@code acquire} or the last call; 0 if it had been told of all
     */
    public int await(TagClaim claim) {
        while (true) {
            int fresh = claim.granted() - claim.taken;
            if (fresh > 0 || claim.isComplete()) {
                claim.taken += fresh;
                return fresh;
            }
            if (claim.isWoken()) {
                look(claim);
                continue;
            }
            claim.owner.park(Long.MAX_VALUE);
            if (tags.handOver(claim.shard)) {
                attend();
            }
        }
    }

    /**
     * Calls back the polled claims of a shard that have got tags. Called by the shard's owner, whenever he was woken.
     *
     * @return how many calls were made
     */
    public int poll(int shard) {
        if (tags.handOver(shard)) {
            attend();
        }
        int calls = 0;
        TagClaim claim = server.takeReady(shard);
        while (claim != null) {
            TagClaim after = claim.nextReady;
            claim.nextReady = null;
            claim.unlist(); // Before looking: what comes after the look is listed anew.
            if (claim.isWoken()) {
                look(claim);
            }
            int from = claim.taken;
            int fresh = claim.granted() - from;
            if (fresh > 0) {
                claim.taken += fresh;
                calls++;
                claim.callback.granted(claim, from, fresh);
            }
            claim = after;
        }
        return calls;
    }

    /** Gives a tag back, a reserved one too. */
    public void release(int shard, int tag) {
        if (tag >= tags.depth() && reserved != null) {
            reserved.release(shard, tag - tags.depth());
            return;
        }
        tags.release(shard, tag);
        if (server.attention() != 0) {
            server.released(1);
        }
    }

    /** Gives back {@code count} tags, none of them reserved, the first at index {@code from}. */
    public void release(int shard, int[] released, int from, int count) {
        tags.release(shard, released, from, count);
        if (server.attention() != 0) {
            server.released(count);
        }
    }

    /**
     * Changes how many tags may be held. More come into use at once. If more than the new depth are held, nothing is taken
     * from anybody; but no tag is handed out, to calls that begin after this returns, until fewer are held.
     *
     * <p>Tags keep their numbers, so that one above the new depth may stay in use: a table keeps its size.
     *
     * @param depth 1 to the depth that this was made with
     */
    public void resize(int depth) {
        TagChecks.depth(depth, tags.depth());
        server.resize(depth);
    }

    /** Whether somebody holds the tag, at the moment it is looked at. */
    public boolean isHeld(int tag) {
        if (tag >= tags.depth() && reserved != null) {
            return reserved.isHeld(tag - tags.depth());
        }
        return tags.isHeld(tag) && !server.isAside(tag);
    }

    /**
     * Calls back for tags that are held, the reserved ones too, in rising order. Every tag that one holder held for the
     * whole call is there, and none that nobody held for the whole call; those that changed hands meanwhile may be there
     * or not. So a look for requests that took too long, twice the same tag with the same request, misses none.
     */
    public void forEachHeld(IntConsumer action) {
        for (int tag = 0; tag < tagEnd(); tag++) {
            if (isHeld(tag)) {
                action.accept(tag);
            }
        }
    }

    /** Names whom to wake when a shard is asked for the tags it caches; needed by {@link PurgedTags} alone. */
    public void attach(int shard, Waiter owner) {
        tags.attach(shard, owner);
    }

    /** What happened to those who had to wait. */
    public TagStatistics statistics() {
        return server.statistics();
    }

    private boolean admits(int count) {
        long attention = server.attention();
        if ((attention & closed) == 0) {
            return true;
        }
        return plenty && (attention & TagServer.RESIZING) == 0 && server.mayOvertake(count);
    }

    private boolean take(TagClaim claim, int count) {
        if (!takeExactly(claim.shard, count, claim.tags, claim.granted())) {
            return false;
        }
        claim.grant(count);
        return true;
    }

    private boolean takeExactly(int shard, int count, int[] into, int from) {
        int taken = tags.acquireUpTo(shard, count, into, from);
        if (taken == count) {
            if (moves) {
                attend();
            }
            return true;
        }
        // Somebody may have begun to wait for just these, so they go back as any others do.
        if (taken > 0) {
            release(shard, into, from, taken);
        } else if (moves) {
            attend();
        }
        return false;
    }

    /** A woken claim looks for its tags, and waits again if it has not got all. */
    private void look(TagClaim claim) {
        claim.woken(false);
        boolean resizing = (server.attention() & TagServer.RESIZING) != 0;
        boolean found = !resizing && take(claim, claim.group(depth()));
        server.looked(claim, found);
        if (claim.granted() == claim.wanted) {
            attend();
        } else {
            wait(claim);
        }
    }

    private void wait(TagClaim claim) {
        server.announce(claim);
        server.push(claim);
    }

    private void attend() {
        if (server.attention() != 0) {
            server.serve();
        }
    }
}
