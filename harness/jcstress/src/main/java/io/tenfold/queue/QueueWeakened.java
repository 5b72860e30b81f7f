package io.tenfold.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Twins that lack one order each. jcstress must find them out, or it would find nothing in the real ones either. */
public class QueueWeakened {
    private static final VarHandle INT = MethodHandles.arrayElementVarHandle(int[].class);
    private static final int TAG = 32;
    private static final int WAITING = 96;

    private QueueWeakened() {}

    /**
     * O1 of {@link TagServer} with a tag that is given back by a release store: the look for waiters may come before it.
     * Lincheck, which runs one thread at a time, passes this one: {@code TagLessonsTest}.
     */
    @JCStressTest
    @Outcome(
            id = {"true, true", "true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "the waiter found the tag, or is woken")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "waits for ever for a free tag")
    @State
    public static class ReleasedByReleaseStore {
        private final int[] words = new int[128];

        public ReleasedByReleaseStore() {
            words[TAG] = 1;
        }

        @Actor
        public void waiter(ZZ_Result r) {
            INT.getAndAdd(words, WAITING, 1);
            r.r1 = (int) INT.getVolatile(words, TAG) == 0;
        }

        @Actor
        public void holder(ZZ_Result r) {
            INT.setRelease(words, TAG, 0);
            r.r2 = (int) INT.getVolatile(words, WAITING) > 0;
        }
    }

    /** The same with a waiter who announces himself by a release store. */
    @JCStressTest
    @Outcome(
            id = {"true, true", "true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "the waiter found the tag, or is woken")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "waits for ever for a free tag")
    @State
    public static class AnnouncedByReleaseStore {
        private final int[] words = new int[128];

        public AnnouncedByReleaseStore() {
            words[TAG] = 1;
        }

        @Actor
        public void waiter(ZZ_Result r) {
            INT.setRelease(words, WAITING, 1);
            r.r1 = (int) INT.getVolatile(words, TAG) == 0;
        }

        @Actor
        public void holder(ZZ_Result r) {
            INT.getAndBitwiseAnd(words, TAG, ~1);
            r.r2 = (int) INT.getVolatile(words, WAITING) > 0;
        }
    }

    /** T1 of {@link BitmapTags} with a look and a write in place of a compare and set. */
    @JCStressTest
    @Outcome(
            id = {"0, 1", "1, 0"},
            expect = ACCEPTABLE,
            desc = "one each")
    @Outcome(expect = FORBIDDEN, desc = "one tag, two holders")
    @State
    public static class TakenByLookAndWrite {
        private final int[] words = new int[128];

        private int acquire() {
            int seen = (int) INT.getVolatile(words, TAG);
            int bit = Integer.numberOfTrailingZeros(~seen);
            INT.setVolatile(words, TAG, seen | 1 << bit);
            return bit;
        }

        @Actor
        public void first(II_Result r) {
            r.r1 = acquire();
        }

        @Actor
        public void second(II_Result r) {
            r.r2 = acquire();
        }
    }

    /** S1 of {@link TagStacks} without a version: a top that went and came back looks like the old one. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "three tags, three places")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "a tag was lost or doubled")
    @State
    public static class StackWithoutVersion {
        private final int[] words = new int[128];
        private final int[] next = {1, 2, -1};
        private int byFirst;
        private int bySecond;

        private int pop() {
            while (true) {
                int top = (int) INT.getVolatile(words, TAG);
                if (top < 0) {
                    return -1;
                }
                int below = (int) INT.getVolatile(next, top);
                if (INT.compareAndSet(words, TAG, top, below)) {
                    return top;
                }
            }
        }

        private void push(int tag) {
            while (true) {
                int top = (int) INT.getVolatile(words, TAG);
                INT.setVolatile(next, tag, top);
                if (INT.compareAndSet(words, TAG, top, tag)) {
                    return;
                }
            }
        }

        @Actor
        public void first() {
            byFirst = pop();
        }

        @Actor
        public void second() {
            int top = pop();
            bySecond = pop();
            push(top);
        }

        @Arbiter
        public void look(Z_Result r) {
            int last = pop();
            r.r1 = byFirst != bySecond && bySecond != last && last != byFirst && last >= 0 && pop() < 0;
        }
    }

    /** O2 of {@link TagServer} without the note: who finds another serving goes away and leaves nothing behind. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the last look saw both tags")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "waits for ever for two free tags")
    @State
    public static class ServedWithoutNote {
        private final int[] words = new int[128];
        private boolean served;

        private void release() {
            INT.getAndAdd(words, TAG, 1);
            if (INT.compareAndSet(words, WAITING, 0, 1)) {
                served |= (int) INT.getVolatile(words, TAG) == 2;
                INT.setVolatile(words, WAITING, 0);
            }
        }

        @Actor
        public void one() {
            release();
        }

        @Actor
        public void other() {
            release();
        }

        @Arbiter
        public void look(Z_Result r) {
            r.r1 = served;
        }
    }

    /** W2 of {@link TagServer} with a thief who does not look for waiters when the rest lies in his own cache. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the waiter found the second tag")
    @Outcome(id = "false", expect = FORBIDDEN, desc = "waits for a tag that lies in a cache")
    @State
    public static class ThiefLooksForNobody {
        private final TagStacks stacks = new TagStacks(2, 2);

        public ThiefLooksForNobody() {
            stacks.push(0, stacks.cut(TagStacks.POOL, TagStacks.ALL));
        }

        @Actor
        public void thief() {
            long chain = stacks.cut(0, 2);
            if (TagStacks.count(chain) == 2) {
                long rest = stacks.rest(chain);
                stacks.holdFirst(chain);
                stacks.push(1, rest);
            }
        }

        @Actor
        public void waiter(Z_Result r) {
            r.r1 = stacks.pop(1) != Tags.NONE || stacks.pop(0) != Tags.NONE || stacks.pop(1) != Tags.NONE;
        }
    }

    /**
     * O1 of {@link BitmapTags} with a holder's write that comes after the release. x86-64 keeps the order of a thread's
     * writes, so that a weaker release alone would not show there: this one puts them in the order that it would allow.
     */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "the tag was still held")
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "handed over, with the write")
    @Outcome(id = "0", expect = FORBIDDEN, desc = "handed over without the write")
    @State
    public static class WrittenAfterRelease {
        private final Tags tags = new BitmapTags(1, 2);
        private final int held = tags.acquire(0);
        private int slot;

        @Actor
        public void oldHolder() {
            tags.release(0, held);
            slot = 7;
        }

        @Actor
        public void newHolder(I_Result r) {
            r.r1 = tags.acquire(1) == Tags.NONE ? -1 : slot;
        }
    }

    /** The same at the other end: the new holder reads before he has the tag, as a weaker acquire would allow. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "the tag was still held")
    @Outcome(id = "7", expect = ACCEPTABLE, desc = "handed over, with the write")
    @Outcome(id = "0", expect = FORBIDDEN, desc = "handed over without the write")
    @State
    public static class ReadBeforeAcquire {
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
            int early = slot;
            r.r1 = tags.acquire(1) == Tags.NONE ? -1 : early;
        }
    }
}
