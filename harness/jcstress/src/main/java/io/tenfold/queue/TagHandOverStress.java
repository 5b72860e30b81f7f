package io.tenfold.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** What {@link Tags} promises of a tag that goes from one holder to the next, for each design. */
public class TagHandOverStress {
    private TagHandOverStress() {}

    /** What the old holder wrote, the new one sees. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "the tag was still held")
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "handed over, with the write")
    @Outcome(expect = FORBIDDEN, desc = "handed over without the write")
    @State
    public static class Bitmap {
        private final Tags tags = new BitmapTags(1, 2);
        private final int held = tags.acquire(0);
        private int slot;

        @Actor
        public void oldHolder() {
            slot = 7;
            tags.release(0, held);
        }

        @Actor
        public void newHolder(I_Result r) {
            r.r1 = tags.acquire(1) == Tags.NONE ? -1 : slot;
        }
    }

    /** What the old holder wrote, the new one sees. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "the tag was still held")
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "handed over, with the write")
    @Outcome(expect = FORBIDDEN, desc = "handed over without the write")
    @State
    public static class Stealing {
        private final Tags tags = new StealingTags(1, 2);
        private final int held = tags.acquire(0);
        private int slot;

        @Actor
        public void oldHolder() {
            slot = 7;
            tags.release(0, held);
        }

        @Actor
        public void newHolder(I_Result r) {
            r.r1 = tags.acquire(1) == Tags.NONE ? -1 : slot;
        }
    }

    /** What the old holder wrote, the new one sees, by way of the pool: the other's cache would have to be asked for. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "the tag was still held")
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "handed over, with the write")
    @Outcome(expect = FORBIDDEN, desc = "handed over without the write")
    @State
    public static class PurgedByPool {
        private final Tags tags = new PurgedTags(1, 2);
        private final int[] held = {tags.acquire(0)};
        private int slot;

        @Actor
        public void oldHolder() {
            slot = 7;
            tags.release(0, held, 0, 1);
        }

        @Actor
        public void newHolder(I_Result r) {
            r.r1 = tags.acquire(1) == Tags.NONE ? -1 : slot;
        }
    }

    /** What the old holder wrote, the new one sees, when the cache's owner hands over what he was asked for. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "not handed over yet")
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "handed over, with the write")
    @Outcome(expect = FORBIDDEN, desc = "handed over without the write")
    @State
    public static class PurgedByAsking {
        private final Tags tags = new PurgedTags(1, 2);
        private int slot;

        public PurgedByAsking() {
            tags.release(0, tags.acquire(0)); // In the cache of shard 0 now.
            tags.acquire(1); // Which is asked for.
        }

        @Actor
        public void owner() {
            slot = 7;
            tags.handOver(0);
        }

        @Actor
        public void asker(I_Result r) {
            r.r1 = tags.acquire(1) == Tags.NONE ? -1 : slot;
        }
    }

    /** What the old holder wrote, the new one sees. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "the tag was still held")
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "handed over, with the write")
    @Outcome(expect = FORBIDDEN, desc = "handed over without the write")
    @State
    public static class Locked {
        private final Tags tags = new LockedTags(1, 2);
        private final int held = tags.acquire(0);
        private int slot;

        @Actor
        public void oldHolder() {
            slot = 7;
            tags.release(0, held);
        }

        @Actor
        public void newHolder(I_Result r) {
            r.r1 = tags.acquire(1) == Tags.NONE ? -1 : slot;
        }
    }

    /** What the old holder wrote, the new one sees. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "the tag was still held")
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "handed over, with the write")
    @Outcome(expect = FORBIDDEN, desc = "handed over without the write")
    @State
    public static class Semaphored {
        private final Tags tags = new SemaphoreTags(1, 2);
        private final int held = tags.acquire(0);
        private int slot;

        @Actor
        public void oldHolder() {
            slot = 7;
            tags.release(0, held);
        }

        @Actor
        public void newHolder(I_Result r) {
            r.r1 = tags.acquire(1) == Tags.NONE ? -1 : slot;
        }
    }

    /** Two that take at once get two, and the tags that are left are none. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0"},
            expect = ACCEPTABLE,
            desc = "one each")
    @Outcome(
            id = {"-1, 0", "-1, 1", "0, -1", "1, -1"},
            expect = FORBIDDEN,
            desc = "one found none: the other was moving it")
    @Outcome(expect = FORBIDDEN, desc = "one tag, two holders")
    @State
    public static class BitmapNeighbours {
        private final Tags tags = new BitmapTags(2, 2, 8);

        @Actor
        public void first(II_Result r) {
            r.r1 = tags.acquire(0);
        }

        @Actor
        public void second(II_Result r) {
            r.r2 = tags.acquire(1);
        }
    }

    /** Two that take at once get two, and the tags that are left are none. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0"},
            expect = ACCEPTABLE,
            desc = "one each")
    @Outcome(
            id = {"-1, 0", "-1, 1", "0, -1", "1, -1"},
            expect = ACCEPTABLE,
            desc = "one found none: the other was moving it")
    @Outcome(expect = FORBIDDEN, desc = "one tag, two holders")
    @State
    public static class StealingNeighbours {
        private final Tags tags = new StealingTags(2, 2);

        @Actor
        public void first(II_Result r) {
            r.r1 = tags.acquire(0);
        }

        @Actor
        public void second(II_Result r) {
            r.r2 = tags.acquire(1);
        }
    }

    /** A release and an acquire in one word, of different tags, do not undo one another. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "one is held, one is free")
    @Outcome(expect = FORBIDDEN, desc = "one of the two was lost")
    @State
    public static class BitmapReleaseBesideAcquire {
        private final Tags tags = new BitmapTags(3, 2, 8);
        private final int first = tags.acquire(0);
        private final int second = tags.acquire(0);
        private int third;

        @Actor
        public void releaser() {
            tags.release(0, first);
        }

        @Actor
        public void acquirer() {
            third = tags.acquire(1);
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = tags.free() == 1 && tags.isHeld(second) && tags.isHeld(third) && third != second;
        }
    }

    /** A stack whose top comes back while another walks it: no tag is lost or doubled. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "three tags, three places")
    @Outcome(expect = FORBIDDEN, desc = "a tag was lost or doubled")
    @State
    public static class StackTopComesBack {
        private final TagStacks stacks = new TagStacks(3, 1);
        private int byFirst;
        private int bySecond;

        @Actor
        public void first() {
            byFirst = stacks.pop(TagStacks.POOL);
        }

        @Actor
        public void second() {
            int top = stacks.pop(TagStacks.POOL);
            bySecond = stacks.pop(TagStacks.POOL);
            stacks.push(TagStacks.POOL, top);
        }

        @Arbiter
        public void look(Z_Result r) {
            int last = stacks.pop(TagStacks.POOL);
            boolean three = byFirst != bySecond && bySecond != last && last != byFirst;
            r.r1 = three && last != Tags.NONE && stacks.pop(TagStacks.POOL) == Tags.NONE;
        }
    }
}
