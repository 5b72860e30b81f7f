package io.tenfold.queue;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.base.Waiter;

/** A number of tags, and a way to wait for a group of them: {@link TagSet}'s, or one that the JDK offers. */
sealed interface TagGate permits TagGate.OfSet, OwnWaits.Permits, OwnWaits.Monitor {
    /** Takes {@code self.tags.length} tags, waits until it has them, and records in {@code self} how long it waited. */
    void acquire(Caller self) throws InterruptedException;

    /** Gives a whole group back. */
    void release(int shard, int[] tags);

    /** Called by the shard's thread, before it calls anything else. */
    default void attach(int shard, Waiter owner) {
        // What cannot ask a shard needs nobody to wake.
    }

    /** One who takes groups of tags, and what it went through. Belongs to one thread. */
    final class Caller implements Waiter {
        final Clock clock = Clock.system();
        final int shard;
        final int[] tags;
        final TagClaim claim;

        /** From the first look that found too few, until it went on with all. */
        final Durations waits = new Durations();

        /** The part until somebody gave it the tags and woke it; known for a {@link TagSet} alone. */
        final Durations queued = new Durations();

        /** The part from then until it ran. */
        final Durations woken = new Durations();

        private final Shard self;
        private volatile long wokenNanos;

        /** Made by the thread that it belongs to. */
        Caller(int shard, int tagCount) {
            this.shard = shard;
            tags = new int[tagCount];
            self = Shard.ofCaller(shard, clock);
            claim = TagClaim.blocking(shard, this, tagCount);
        }

        @Override
        public void park(long nanosMax) {
            self.park(nanosMax);
        }

        @Override
        public void wake() {
            wokenNanos = clock.nanos();
            self.wake();
        }

        /** Woken for another reason than tags. */
        void wakeForOther() {
            self.wake();
        }
    }

    /** A set of tags under the default rules. */
    final class OfSet implements TagGate {
        private final TagSet set;

        OfSet(TagDesign design, int depth, int shards) {
            set = new TagSet(design, depth, 0, shards, WakePolicy.DEFAULT);
        }

        @Override
        public void acquire(Caller self) {
            TagClaim claim = self.claim;
            if (!set.acquire(claim, self.tags.length)) {
                long since = self.clock.nanos();
                while (!claim.isComplete()) {
                    set.await(claim);
                }
                long now = self.clock.nanos();
                self.waits.record(now - since);
                self.queued.record(self.wokenNanos - since);
                self.woken.record(now - Math.max(since, self.wokenNanos));
            }
            for (int i = 0; i < self.tags.length; i++) {
                self.tags[i] = claim.tag(i);
            }
        }

        @Override
        public void release(int shard, int[] tags) {
            set.release(shard, tags, 0, tags.length);
        }

        @Override
        public void attach(int shard, Waiter owner) {
            set.attach(shard, owner);
        }
    }
}
