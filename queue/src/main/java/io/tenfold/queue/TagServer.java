package io.tenfold.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The queue of those who wait for tags, and the one who serves it: at any time at most one thread, whichever came first.
 * The others leave a note that he must look again, and go.
 */
final class TagServer {
    /*
     * State
     *   ATTENTION   how many wait (low 32 bits), and how many changes of the depth are not carried out yet (high 32 bits):
     *               0 while nothing stands between a newcomer and the tags. Read by everybody, written only where somebody
     *               waits.
     *   SERVING     IDLE, BUSY, or AGAIN: busy, and something happened since the pass that is under way began.
     *   RELEASED    tags given back while somebody waited; only grows. Only counted where batches are.
     *   NEEDED      sum of what is still missing to those who wait; only kept where plenty is asked for.
     *   PROMISED    tags that were left for woken claims which have not looked yet; only kept where woken by need.
     *   OVERTAKES   newcomers that took tags before those who wait; only grows.
     *   links       the inbox (a stack of claims pushed since the last pass), and for each shard the stack of its claims
     *               that have something to hear.
     *   aside[t]    1 while a tag that nobody owns is kept from all: out of use, or gathered for the first claim.
     *   own         the server's: who turned SERVING from IDLE, until he turns it back. What others may read is volatile.
     *
     * Invariants
     *   W1  A claim is announced in ATTENTION from before it is pushed until it has all its tags or is woken.
     *   W2  After every release that finds ATTENTION set, after every push, after every retry of a woken claim, after an
     *       acquire that moved others' tags or gave some back, and after resize, a pass begins.
     *
     * Order. All of these words and the tags' own are volatile mode, so there is one order of all their accesses.
     *   O1  Who releases writes the tag, then reads ATTENTION. Who waits writes ATTENTION (announce), then looks at the tags
     *       (in a pass that begins after his push). So either the releaser sees the waiter or the waiter's look sees the
     *       tag. This is where a full fence is needed; volatile mode on all four ends is that. Lincheck tries
     *       the order of the accesses; TagWakeStress pins that they are strong enough.
     *   O2  Who finds SERVING not IDLE leaves AGAIN. The server turns BUSY to IDLE by a CAS that fails on AGAIN, and turns
     *       AGAIN to BUSY before he looks: a note left before that is of something he will see, a later one makes him
     *       look again. His own fields pass from one server to the next through SERVING.
     *
     * No wake-up is lost. Suppose claim C waits for ever while holders release what they hold, without waiting for others.
     *   By O1, O2 and W2 a pass begins after the last event that could help C. Let C be first (it becomes so, as below).
     *   - handing over (noPreemption, strictOrder): that pass takes every free tag for C. At last all are free but those
     *     it has gathered, and group(depth) <= depth, so it is granted.
     *   - by need: it wakes C if free - promised >= group. At last nothing is held or promised, so that is so.
     *   - in batches: let L be the last claim that was pushed, thus the last of the queue while anybody is in it. The pass
     *     after its push saw F free tags, woke claims that need g <= F of them, and stopped at a claim X (L, or one before
     *     it) as group(X) > F - g. From then on are released and counted, as L is announced: the depth - F tags that were
     *     seen held; g by the claims woken (each found what it needs, else it was pushed after L); and for every batch
     *     woken since, which cost RELEASED - wakeUps one batch(), at least as many, as it woke that many claims. So that
     *     difference ends at depth - F + g, which is at least depth - group(X) + 1, which is at least batch(): due, a
     *     contradiction. More depth means more batch(), so a pass that raised it looks for all as if they had just come.
     *
     * Nobody starves under noPreemption and strictOrder: the queue is first in, first out; while C waits newcomers are not
     *   admitted, but for (1) those who read ATTENTION before C was announced, one call a thread, and (2) overtakers
     *   when there are plenty, at most overtakesMax of them between two grants. What is released then stays for C. Under
     *   ORIGINAL and BY_NEED newcomers may win every time, which is what they are there to show.
     *
     * Progress. Nobody blocks here. The server may be kept at it as long as others release and push; each such note is one
     *   more pass of his, whose length is bounded by the claims that it serves. A server that loses its CPU delays those
     *   who wait, not those who find tags.
     */
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle LINK = MethodHandles.arrayElementVarHandle(TagClaim[].class);
    private static final VarHandle ASIDE = MethodHandles.arrayElementVarHandle(byte[].class);

    private static final int STRIDE = 16;
    private static final int LINK_STRIDE = 32;
    private static final int ATTENTION = STRIDE;
    private static final int SERVING = 2 * STRIDE;
    private static final int RELEASED = 3 * STRIDE;
    private static final int NEEDED = 4 * STRIDE;
    private static final int PROMISED = 5 * STRIDE;
    private static final int OVERTAKES = 6 * STRIDE;
    private static final int WAITS = 7 * STRIDE;
    private static final int RETRIES = 8 * STRIDE;
    private static final int WAKE_UPS = 9 * STRIDE;
    private static final int WAITING_MAX = WAKE_UPS + 1;
    private static final int OVERTAKES_AT_GRANT = WAKE_UPS + 2;
    private static final int INBOX = LINK_STRIDE;

    private static final long IDLE = 0;
    private static final long BUSY = 1;
    private static final long AGAIN = 2;

    /** How many waiters were woken at a time, and for how many freed tags, before needs were counted. */
    static final int BATCH = 8;

    /** In {@link #attention}: those who wait. */
    static final long WAITERS = 0xffff_ffffL;

    /** In {@link #attention}: changes of the depth that are not carried out yet. */
    static final long RESIZING = ~WAITERS;

    private static final long ONE_RESIZE = 1L << 32;

    private final Tags tags;
    private final WakePolicy policy;
    private final int overtakesMax;
    private final long[] words = new long[11 * STRIDE];
    private final TagClaim[] links;
    private volatile int depth;

    private final byte[] aside;
    private final Own own;

    /** In an object of its own, since every pass writes it and every newcomer reads what is above. */
    private static final class Own {
        final ClaimQueue queue = new ClaimQueue();
        final int[] retired;
        int retiredCount;
        long wakeUps;
        int groupMax = 1;

        Own(int depth) {
            retired = new int[depth];
        }
    }

    TagServer(Tags tags, int shards, WakePolicy policy) {
        this.tags = tags;
        this.policy = policy;
        depth = tags.depth();
        overtakesMax = tags.depth();
        aside = new byte[tags.depth()];
        own = new Own(tags.depth());
        links = new TagClaim[(shards + 3) * LINK_STRIDE];
    }

    /** Who stands between a newcomer and the tags: {@link #WAITERS}, {@link #RESIZING}. */
    long attention() {
        return (long) WORD.getVolatile(words, ATTENTION);
    }

    int depth() {
        return depth;
    }

    /** From now on, whoever releases a tag lets a pass begin. */
    void announce(TagClaim claim) {
        if (policy.preemptWhenPlenty()) {
            WORD.getAndAdd(words, NEEDED, (long) claim.wanted - claim.granted());
        }
        WORD.getAndAdd(words, ATTENTION, 1L); // W1, O1
    }

    /** Puts an announced claim at the end of the queue, and looks for tags for it. */
    void push(TagClaim claim) {
        WORD.getAndAdd(words, WAITS, 1L);
        TagClaim first = (TagClaim) LINK.getVolatile(links, INBOX);
        while (true) {
            claim.nextWaiting = first;
            TagClaim witness = (TagClaim) LINK.compareAndExchange(links, INBOX, first, claim);
            if (witness == first) {
                break;
            }
            first = witness;
        }
        serve();
    }

    /** Tags came back while somebody waited. */
    void released(int count) {
        if (!policy.wakeByNeed() && !policy.strictOrder()) {
            WORD.getAndAdd(words, RELEASED, (long) count);
        }
        serve();
    }

    /** A woken claim has looked, and what was left for it is no longer promised. A pass must follow. */
    void looked(TagClaim claim, boolean found) {
        if (!found) {
            WORD.getAndAdd(words, RETRIES, 1L);
        }
        if (policy.wakeByNeed()) {
            WORD.getAndAdd(words, PROMISED, (long) -claim.promised);
            claim.promised = 0;
        }
    }

    /** Whether a newcomer may take tags although others wait: there are plenty, and not too many did so before him. */
    boolean mayOvertake(int count) {
        long overtakes = (long) WORD.getVolatile(words, OVERTAKES);
        if (overtakes - (long) WORD.getVolatile(words, OVERTAKES_AT_GRANT) >= overtakesMax
                || tags.free() < count + (long) WORD.getVolatile(words, NEEDED)) {
            return false;
        }
        return WORD.compareAndSet(words, OVERTAKES, overtakes, overtakes + 1);
    }

    /** Uses another number of tags from now on. */
    void resize(int newDepth) {
        depth = newDepth;
        WORD.getAndAdd(words, ATTENTION, ONE_RESIZE);
        serve();
    }

    /** Whether nobody owns a tag although it is not free: it is out of use, or gathered for a claim. */
    boolean isAside(int tag) {
        return (byte) ASIDE.getVolatile(aside, tag) != 0;
    }

    /** Begins a pass, or makes the one under way begin again. */
    void serve() {
        if ((long) WORD.getVolatile(words, SERVING) == AGAIN || (long) WORD.getAndSet(words, SERVING, AGAIN) != IDLE) {
            return; // O2
        }
        do {
            WORD.getAndSet(words, SERVING, BUSY); // O2
            pass();
        } while (!WORD.compareAndSet(words, SERVING, BUSY, IDLE));
    }

    private void pass() {
        boolean grown = resize();
        boolean arrived = takeInbox();
        if (policy.handsOver()) {
            handOver();
        } else if (policy.wakeByNeed()) {
            wakeByNeed();
        } else {
            wakeInBatches(arrived, grown);
        }
    }

    /** Moves the inbox to the end of the queue, first come first. */
    private boolean takeInbox() {
        TagClaim last = (TagClaim) LINK.getAndSet(links, INBOX, null);
        if (last == null) {
            return false;
        }
        TagClaim reversed = null;
        while (last != null) {
            TagClaim before = last.nextWaiting;
            last.nextWaiting = reversed;
            reversed = last;
            last = before;
        }
        while (reversed != null) {
            TagClaim after = reversed.nextWaiting;
            own.groupMax = Math.max(own.groupMax, reversed.wanted - reversed.granted());
            own.queue.add(reversed);
            reversed = after;
        }
        if (own.queue.size() > (long) WORD.getVolatile(words, WAITING_MAX)) {
            WORD.setVolatile(words, WAITING_MAX, (long) own.queue.size());
        }
        return true;
    }

    /** Takes tags out of use, or back into it, until there are as many as the depth says. Whether some came back. */
    private boolean resize() {
        long changes = attention() & RESIZING; // Before the depth: a change after this is for the next pass.
        int target = depth;
        boolean grown = false;
        while (tags.depth() - own.retiredCount < target) {
            int tag = own.retired[--own.retiredCount];
            ASIDE.setVolatile(aside, tag, (byte) 0);
            tags.release(0, tag);
            grown = true;
        }
        while (tags.depth() - own.retiredCount > target) {
            int tag = spare();
            if (tag == Tags.NONE) {
                return grown; // The rest when it is released: the change stays in ATTENTION.
            }
            own.retired[own.retiredCount++] = tag;
            ASIDE.setVolatile(aside, tag, (byte) 1);
        }
        if (changes != 0) {
            WORD.getAndAdd(words, ATTENTION, -changes);
        }
        return grown;
    }

    /** A tag that nobody owns: free, or gathered for the first claim but not granted yet. */
    private int spare() {
        TagClaim first = own.queue.first();
        if (first != null && first.gathered > 0) {
            return first.tags[first.granted() + --first.gathered];
        }
        return tags.acquire(0);
    }

    /** Gives free tags to the first claims, in order. */
    private void handOver() {
        TagClaim first;
        while ((attention() & RESIZING) == 0 && (first = own.queue.first()) != null) {
            int group = first.group(depth);
            int before = first.gathered;
            first.gathered += tags.acquireUpTo(first.shard, group - before, first.tags, first.granted() + before);
            if (first.gathered < group && (policy.wakeByNeed() || first.gathered == 0)) {
                aside(first, before, (byte) 1);
                return;
            }
            aside(first, 0, (byte) 0);
            grant(first);
        }
    }

    private void aside(TagClaim first, int from, byte value) {
        for (int i = from; i < first.gathered; i++) {
            ASIDE.setVolatile(aside, first.tags[first.granted() + i], value);
        }
    }

    private void grant(TagClaim first) {
        int count = first.gathered;
        first.gathered = 0;
        if (policy.preemptWhenPlenty()) {
            WORD.getAndAdd(words, NEEDED, (long) -count);
        }
        boolean complete = first.granted() + count == first.wanted;
        if (complete) {
            leave();
        }
        WORD.setVolatile(words, OVERTAKES_AT_GRANT, (long) WORD.getVolatile(words, OVERTAKES));
        countWakeUp();
        first.grant(count);
        tell(first);
    }

    /** Lets the first claims look for themselves, as many as the free tags are enough for. */
    private void wakeByNeed() {
        long free = tags.free() - (long) WORD.getVolatile(words, PROMISED);
        TagClaim first;
        while ((attention() & RESIZING) == 0 && (first = own.queue.first()) != null) {
            int group = first.group(depth);
            if (group > free) {
                return;
            }
            free -= group;
            first.promised = group;
            WORD.getAndAdd(words, PROMISED, (long) group);
            wake(first);
        }
    }

    /** Lets claims look for themselves, a batch for every batch of freed tags; and each once, when it has come. */
    private void wakeInBatches(boolean arrived, boolean grown) {
        if (arrived || grown) {
            wakeIfTheyFit();
        }
        while (due()) {
            for (int left = batch(); left > 0 && !own.queue.isEmpty(); left--) {
                wake(own.queue.first());
            }
        }
        if (own.queue.isEmpty()) {
            own.groupMax = 1;
        }
    }

    /** The second look of a claim that has just been pushed, in the server's hands so that it can stay in its place. */
    private void wakeIfTheyFit() {
        int free = tags.free();
        while (!own.queue.isEmpty() && own.queue.first().group(depth) <= free) {
            free -= own.queue.first().group(depth);
            wake(own.queue.first());
        }
    }

    /** Whether a batch of tags has come free since the last; an empty queue does not use it up. */
    private boolean due() {
        if (own.queue.isEmpty() || (long) WORD.getVolatile(words, RELEASED) - own.wakeUps < batch()) {
            return false;
        }
        own.wakeUps += batch();
        return true;
    }

    /** A batch that will come together: no more than are held while the neediest claim does not get what it needs. */
    private int batch() {
        return Math.min(BATCH, depth - Math.min(own.groupMax, depth) + 1);
    }

    private void wake(TagClaim first) {
        leave();
        countWakeUp();
        first.woken(true);
        tell(first);
    }

    private void countWakeUp() {
        WORD.setVolatile(words, WAKE_UPS, (long) WORD.getVolatile(words, WAKE_UPS) + 1);
    }

    private void leave() {
        own.queue.removeFirst();
        WORD.getAndAdd(words, ATTENTION, -1L); // W1
    }

    /** The owner of a claim has something to hear. The claim may be his again already. */
    private void tell(TagClaim claim) {
        if (claim.callback != null && claim.list()) {
            int ready = readyCell(claim.shard);
            TagClaim first = (TagClaim) LINK.getVolatile(links, ready);
            while (true) {
                claim.nextReady = first;
                TagClaim witness = (TagClaim) LINK.compareAndExchange(links, ready, first, claim);
                if (witness == first) {
                    break;
                }
                first = witness;
            }
        }
        claim.owner.wake();
    }

    /** The shard's claims that have something to hear, linked by nextReady, the first to be told first. */
    TagClaim takeReady(int shard) {
        if ((TagClaim) LINK.getVolatile(links, readyCell(shard)) == null) {
            return null;
        }
        TagClaim last = (TagClaim) LINK.getAndSet(links, readyCell(shard), null);
        TagClaim reversed = null;
        while (last != null) {
            TagClaim before = last.nextReady;
            last.nextReady = reversed;
            reversed = last;
            last = before;
        }
        return reversed;
    }

    private static int readyCell(int shard) {
        return (shard + 2) * LINK_STRIDE;
    }

    TagStatistics statistics() {
        return new TagStatistics(
                (long) WORD.getVolatile(words, WAITS),
                (long) WORD.getVolatile(words, WAKE_UPS),
                (long) WORD.getVolatile(words, RETRIES),
                (long) WORD.getVolatile(words, OVERTAKES),
                (int) (long) WORD.getVolatile(words, WAITING_MAX));
    }
}
