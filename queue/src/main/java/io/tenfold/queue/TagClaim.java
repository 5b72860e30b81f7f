package io.tenfold.queue;

import io.tenfold.base.Waiter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One who wants tags, with room for them: a reused, caller-owned record, since waiting allocates nothing.
 *
 * <p>Life: {@link TagSet#acquire} with this claim says that it has all, or that it waits. One that waits is told of its
 * tags by {@link TagSet#poll} on its shard, or takes them by {@link TagSet#await}, according to how it was made. Once it
 * {@linkplain #isComplete has all}, it may be used again; till then it must not.
 *
 * <p>Threads: one, which owns it.
 */
public final class TagClaim {
    /*
     * Fields: who writes them, and how it is seen.
     *   wanted, taken          the owner, before he pushes the claim into the queue / in between for himself alone
     *   tags[], gathered       the server (see TagServer) while the claim is queued, else the owner
     *   granted                the server or, while the claim is not queued, the owner; volatile: publishes tags[0 .. granted-1]
     *   woken                  true by the server as its last deed, false by the owner; volatile: publishes promised
     *   nextWaiting            whoever pushes, then the server
     *   listed                 volatile: true by the server's CAS, false by the owner. Guards nextReady
     */
    private static final VarHandle GRANTED;
    private static final VarHandle WOKEN;
    private static final VarHandle LISTED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            GRANTED = lookup.findVarHandle(TagClaim.class, "granted", int.class);
            WOKEN = lookup.findVarHandle(TagClaim.class, "woken", boolean.class);
            LISTED = lookup.findVarHandle(TagClaim.class, "listed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What the owner of a claim does when it has got tags. */
    @FunctionalInterface
    public interface Granted {
        /**
         * The tags at {@code claim.tag(from)} to {@code claim.tag(from + count - 1)} are the owner's. Called within
         * {@link TagSet#poll}, on the claim's shard. Must not throw.
         */
        void granted(TagClaim claim, int from, int count);
    }

    final int shard;
    final Waiter owner;
    final Granted callback;
    final int[] tags;

    int wanted;
    int taken;
    int gathered;
    int promised;
    TagClaim nextWaiting;
    TagClaim nextReady;

    @SuppressWarnings("unused") // By GRANTED.
    private volatile int granted;

    @SuppressWarnings("unused") // By WOKEN.
    private volatile boolean woken;

    @SuppressWarnings("unused") // By LISTED.
    private volatile boolean listed;

    private TagClaim(int shard, Waiter owner, int tagsMax, Granted callback) {
        if (tagsMax < 1) {
            throw new IllegalArgumentException("a claim needs room for a tag: tagsMax=" + tagsMax);
        }
        this.shard = shard;
        this.owner = owner;
        this.callback = callback;
        tags = new int[tagsMax];
    }

    /**
     * A claim of an event loop, which never blocks.
     *
     * @param shard the loop's number
     * @param owner what wakes the loop
     * @param tagsMax most tags that it will ever want, above 0; may be more than there are
     * @param callback told of tags that came later
     */
    public static TagClaim polled(int shard, Waiter owner, int tagsMax, Granted callback) {
        if (callback == null) {
            throw new IllegalArgumentException("a polled claim needs a callback: callback=null");
        }
        return new TagClaim(shard, owner, tagsMax, callback);
    }

    /**
     * A claim of a thread that blocks in {@link TagSet#await}.
     *
     * @param shard where the thread's tags are looked for first
     * @param owner what the thread parks on
     * @param tagsMax most tags that it will ever want, above 0; may be more than there are
     */
    public static TagClaim blocking(int shard, Waiter owner, int tagsMax) {
        return new TagClaim(shard, owner, tagsMax, null);
    }

    /** How many tags it has got, as far as the owner has been told. */
    public int count() {
        return taken;
    }

    /** How many tags are there, whether the owner has been told or not. */
    int granted() {
        return (int) GRANTED.getVolatile(this);
    }

    /** Tag {@code i} of those that it has got, from 0. */
    public int tag(int i) {
        assert i < count() : "tag not granted yet: i=" + i + ", count=" + count();
        return tags[i];
    }

    /** Whether it has got all that was wanted, and its owner has been told. */
    public boolean isComplete() {
        return taken == wanted;
    }

    void start(int count) {
        if (count < 1 || count > tags.length) {
            throw new IllegalArgumentException(
                    "count must be 1.." + tags.length + ", the claim's room: count=" + count);
        }
        assert isComplete() : "claim used while it waits: wanted=" + wanted + ", count=" + taken;
        wanted = count;
        taken = 0;
        gathered = 0;
        GRANTED.setVolatile(this, 0);
    }

    /** How many tags it gets at a time: all that are missing, unless there are not so many at all. */
    int group(int depth) {
        return Math.min(wanted - granted(), depth);
    }

    void grant(int count) {
        GRANTED.setVolatile(this, granted() + count);
    }

    boolean isWoken() {
        return (boolean) WOKEN.getVolatile(this);
    }

    void woken(boolean value) {
        WOKEN.setVolatile(this, value);
    }

    /** Whether this call put it on the list, rather than another before. */
    boolean list() {
        return LISTED.compareAndSet(this, false, true);
    }

    void unlist() {
        LISTED.setVolatile(this, false);
    }
}
