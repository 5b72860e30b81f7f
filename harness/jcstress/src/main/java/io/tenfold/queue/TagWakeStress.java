package io.tenfold.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.tenfold.base.Waiter;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** The orders that {@link TagServer} states: nobody waits for a tag that is free. */
public class TagWakeStress {
    private TagWakeStress() {}

    /** Nobody parks here: the arbiter polls. */
    private static final class Silent implements Waiter {
        static final Waiter WAITER = new Silent();

        @Override
        public void park(long nanosMax) {
            throw new AssertionError("parked: nanosMax=" + nanosMax);
        }

        @Override
        public void wake() {
            // The arbiter polls anyway.
        }
    }

    private static TagClaim claim(int shard, int tagsMax) {
        return TagClaim.polled(shard, Silent.WAITER, tagsMax, (claim, from, count) -> {});
    }

    /** Whether the claim has its tags once all is quiet. A woken claim may need to look. */
    private static boolean served(TagSet set, TagClaim claim) {
        for (int turn = 0; turn < 3; turn++) {
            set.poll(0);
            set.poll(1);
        }
        return claim.isComplete();
    }

    /** O1: a release and a claim for the one tag. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the claim has the tag")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "waits for ever for a free tag")
    @State
    public static class BitmapDefault {
        private final TagSet set = new TagSet(TagDesign.BITMAP, 1, 0, 2, WakePolicy.DEFAULT);
        private final int held = set.tryAcquire(0);
        private final TagClaim claim = claim(1, 1);

        @Actor
        public void holder() {
            set.release(0, held);
        }

        @Actor
        public void waiter() {
            set.acquire(claim, 1);
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = served(set, claim);
        }
    }

    /** O1: a release and a claim for the one tag. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the claim has the tag")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "waits for ever for a free tag")
    @State
    public static class BitmapOriginal {
        private final TagSet set = new TagSet(TagDesign.BITMAP, 1, 0, 2, WakePolicy.ORIGINAL);
        private final int held = set.tryAcquire(0);
        private final TagClaim claim = claim(1, 1);

        @Actor
        public void holder() {
            set.release(0, held);
        }

        @Actor
        public void waiter() {
            set.acquire(claim, 1);
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = served(set, claim);
        }
    }

    /** O1: a release and a claim for the one tag. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the claim has the tag")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "waits for ever for a free tag")
    @State
    public static class BitmapByNeed {
        private final TagSet set = new TagSet(TagDesign.BITMAP, 1, 0, 2, WakePolicy.BY_NEED);
        private final int held = set.tryAcquire(0);
        private final TagClaim claim = claim(1, 1);

        @Actor
        public void holder() {
            set.release(0, held);
        }

        @Actor
        public void waiter() {
            set.acquire(claim, 1);
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = served(set, claim);
        }
    }

    /** O1: a release and a claim for the one tag. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the claim has the tag")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "waits for ever for a free tag")
    @State
    public static class BitmapStrict {
        private final TagSet set = new TagSet(TagDesign.BITMAP, 1, 0, 2, WakePolicy.STRICT);
        private final int held = set.tryAcquire(0);
        private final TagClaim claim = claim(1, 1);

        @Actor
        public void holder() {
            set.release(0, held);
        }

        @Actor
        public void waiter() {
            set.acquire(claim, 1);
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = served(set, claim);
        }
    }

    /** O1: a release and a claim for the one tag. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the claim has the tag")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "waits for ever for a free tag")
    @State
    public static class StealingDefault {
        private final TagSet set = new TagSet(TagDesign.STEALING, 1, 0, 2, WakePolicy.DEFAULT);
        private final int held = set.tryAcquire(0);
        private final TagClaim claim = claim(1, 1);

        @Actor
        public void holder() {
            set.release(0, held);
        }

        @Actor
        public void waiter() {
            set.acquire(claim, 1);
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = served(set, claim);
        }
    }

    /** O1: a release and a claim for the one tag. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the claim has the tag")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "waits for ever for a free tag")
    @State
    public static class PurgedDefault {
        private final TagSet set = new TagSet(TagDesign.PURGED, 1, 0, 2, WakePolicy.DEFAULT);
        private final int held = set.tryAcquire(0);
        private final TagClaim claim = claim(1, 1);

        @Actor
        public void holder() {
            set.release(0, held);
        }

        @Actor
        public void waiter() {
            set.acquire(claim, 1);
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = served(set, claim);
        }
    }

    /** O1: a release and a claim for the one tag. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the claim has the tag")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "waits for ever for a free tag")
    @State
    public static class LockedDefault {
        private final TagSet set = new TagSet(TagDesign.LOCKED, 1, 0, 2, WakePolicy.DEFAULT);
        private final int held = set.tryAcquire(0);
        private final TagClaim claim = claim(1, 1);

        @Actor
        public void holder() {
            set.release(0, held);
        }

        @Actor
        public void waiter() {
            set.acquire(claim, 1);
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = served(set, claim);
        }
    }

    /** O1: a release and a claim for the one tag. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the claim has the tag")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "waits for ever for a free tag")
    @State
    public static class SemaphoredDefault {
        private final TagSet set = new TagSet(TagDesign.SEMAPHORE, 1, 0, 2, WakePolicy.DEFAULT);
        private final int held = set.tryAcquire(0);
        private final TagClaim claim = claim(1, 1);

        @Actor
        public void holder() {
            set.release(0, held);
        }

        @Actor
        public void waiter() {
            set.acquire(claim, 1);
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = served(set, claim);
        }
    }

    /** O2: two releases at once, of which only one thread serves, for a claim that needs both. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the claim has both tags")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "the note to look again was lost")
    @State
    public static class TwoReleases {
        private final TagSet set = new TagSet(TagDesign.BITMAP, 2, 0, 2, WakePolicy.DEFAULT);
        private final int first = set.tryAcquire(0);
        private final int second = set.tryAcquire(1);
        private final TagClaim claim = claim(1, 2);

        public TwoReleases() {
            set.acquire(claim, 2);
        }

        @Actor
        public void one() {
            set.release(0, first);
        }

        @Actor
        public void other() {
            set.release(1, second);
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = served(set, claim);
        }
    }

    /** W2: a theft that moves more than it takes, and a claim that finds nothing while it is on its way. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the claim has the second tag")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "waits for a tag that lies in a cache")
    @State
    public static class TagsOnTheirWay {
        private final TagSet set = new TagSet(new StealingTags(8, 2), 0, 2, WakePolicy.DEFAULT);
        private final TagClaim claim = claim(0, 1);

        public TagsOnTheirWay() {
            int[] tags = new int[8];
            set.tryAcquireExactly(0, 8, tags, 0);
            set.release(0, tags[0]);
            set.release(0, tags[1]);
        }

        @Actor
        public void thief() {
            set.tryAcquire(1);
        }

        @Actor
        public void waiter() {
            set.acquire(claim, 1);
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = served(set, claim);
        }
    }

    /** Two that want both tags hold one each for a moment: both give back, and one is served. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "one has both, the other waits")
    @Outcome(expect = FORBIDDEN, desc = "both wait, or both have")
    @State
    public static class BothWantAll {
        private final TagSet set = new TagSet(new BitmapTags(2, 2, 1), 0, 2, WakePolicy.DEFAULT);
        private final TagClaim first = claim(0, 2);
        private final TagClaim second = claim(1, 2);

        @Actor
        public void one() {
            set.acquire(first, 2);
        }

        @Actor
        public void other() {
            set.acquire(second, 2);
        }

        @Arbiter
        public void look(II_Result r) {
            r.r1 = served(set, first) ? 1 : 0;
            r.r2 = second.isComplete() ? 1 : 0;
        }
    }

    /** A tag that comes back while the depth is lowered is out of use afterwards. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "one of two tags is in use")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "a tag too many, or one lost")
    @State
    public static class ShrinkAgainstRelease {
        private final TagSet set = new TagSet(TagDesign.BITMAP, 2, 0, 2, WakePolicy.DEFAULT);
        private final int first = set.tryAcquire(0);
        private final int second = set.tryAcquire(0);

        @Actor
        public void releaser() {
            set.release(0, first);
        }

        @Actor
        public void resizer() {
            set.resize(1);
        }

        @Arbiter
        public void look(Z_Result r) {
            boolean none = set.tryAcquire(0) == TagSet.NONE;
            set.release(0, second);
            r.r1 = none && set.tryAcquire(0) != TagSet.NONE && set.tryAcquire(0) == TagSet.NONE;
        }
    }
}
