package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the Linux block layer learnt about tags in the years after 2013, each fault of it as a test: the kinds of bug that
 * such code has had.
 */
class TagLessonsTest {
    private static final Duration WATCHDOG = Duration.ofSeconds(100);

    /** Lesson 1: a wake batch larger than what can be freed leaves sleepers for ever. */
    @Test
    void batchIsNeverLargerThanWhatCanComeFree() {
        for (int depth = 1; depth <= 20; depth++) {
            for (int need = 1; need <= depth; need++) {
                for (int waiters : new int[] {1, 2, 3, 7, 8, 9, 20}) {
                    everybodyIsServed(depth, need, waiters);
                }
            }
        }
    }

    private static void everybodyIsServed(int depth, int need, int waiters) {
        TagSet set = new TagSet(TagDesign.BITMAP, depth, 0, 1, WakePolicy.ORIGINAL);
        AtomicInteger served = new AtomicInteger();
        List<Integer> inHand = new ArrayList<>();
        for (int tag = set.tryAcquire(0); tag != TagSet.NONE; tag = set.tryAcquire(0)) {
            inHand.add(tag);
        }
        for (int i = 0; i < waiters; i++) {
            TagClaim claim = TagClaim.polled(0, WaiterStub.SILENT, need, (granted, from, count) -> {
                served.incrementAndGet();
                for (int j = 0; j < count; j++) {
                    inHand.add(granted.tag(from + j));
                }
            });
            set.acquire(claim, need);
        }
        while (!inHand.isEmpty()) {
            set.release(0, inHand.removeLast());
            set.poll(0);
        }
        assertThat(served.get())
                .as("depth=%d, need=%d, waiters=%d", depth, need, waiters)
                .isEqualTo(waiters);
    }

    /** Lesson 2: what is counted for waking may be counted by many at once. */
    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void releasesThatRaceAreAllCounted(TagDesign design) {
        hammer(new TagSet(design, 16, 0, 4, WakePolicy.ORIGINAL), 12, 1, 400);
    }

    /** Lesson 3: a batch that nobody waits for is not used up, and one that is due wakes all of it. */
    @Test
    void emptyQueueDoesNotUseUpABatch() {
        TagSet set = new TagSet(TagDesign.BITMAP, 16, 0, 1, WakePolicy.ORIGINAL);
        int[] held = new int[16];
        set.tryAcquireExactly(0, 16, held, 0);
        AtomicInteger served = new AtomicInteger();
        for (int round = 0; round < 20; round++) {
            set.release(0, held, 0, 11);
            assertThat(set.tryAcquireExactly(0, 11, held, 0)).isTrue();
        }
        for (int i = 0; i < 9; i++) {
            set.acquire(TagClaim.polled(0, WaiterStub.SILENT, 1, (_, _, _) -> served.incrementAndGet()), 1);
        }
        set.release(0, held, 0, 7);
        set.poll(0);
        assertThat(served.get())
                .as("a batch is not due, whatever was released before")
                .isZero();
        set.release(0, held[7]);
        set.poll(0);
        assertThat(served.get()).as("all of the batch").isEqualTo(8);
    }

    /** Lesson 4: between "I wait" and "I look once more" lies a full fence. Forty threads want one tag. */
    @Test
    void fortyThreadsAndOneTag() {
        for (WakePolicy policy : TagSetTest.policies()) {
            hammer(new TagSet(TagDesign.BITMAP, 1, 0, 4, policy), 40, 1, 60);
        }
    }

    /** Lesson 5: tags that are on their way from "freed" to "free" must not be missed. Batches of six from 64. */
    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void sixAtATimeOutOfSixtyFour(TagDesign design) {
        hammer(new TagSet(design, 64, 0, 4, WakePolicy.DEFAULT), 14, 6, 300);
    }

    /** Lesson 6: no depth of 0; a hint at the end wraps; a limit holds for all words together. */
    @Test
    void depthOfZeroIsRefusedEverywhere() {
        assertThatThrownBy(() -> new TagSet(TagDesign.BITMAP, 0, 0, 1, WakePolicy.DEFAULT))
                .hasMessage("depth must be 1..32768: depth=0");
        TagSet set = new TagSet(TagDesign.BITMAP, 1, 0, 1, WakePolicy.DEFAULT);
        assertThatThrownBy(() -> set.resize(0)).hasMessage("depth must be 1..1: depth=0");
    }

    @Test
    void hintAtTheLastWordWraps() {
        for (int depth = 1; depth <= 70; depth++) {
            BitmapTags tags = new BitmapTags(depth, 1);
            int[] all = new int[depth];
            tags.acquireExactly(0, depth, all, 0);
            tags.release(0, depth - 1); // Now the hint is the last word.
            tags.acquire(0);
            for (int tag = 0; tag < depth; tag++) {
                tags.release(0, new int[] {tag}, 0, 1);
                assertThat(tags.acquireUpTo(0, depth, all, 0)).isEqualTo(1);
                assertThat(all[0]).as("depth=%d", depth).isEqualTo(tag);
            }
        }
    }

    @Test
    void limitHoldsForAllWordsTogether() {
        for (int limit = 1; limit <= 64; limit++) {
            TagSet set = new TagSet(TagDesign.BITMAP, 64, 0, 8, WakePolicy.DEFAULT);
            set.resize(limit);
            int held = 0;
            for (int i = 0; i < 200; i++) {
                held += set.tryAcquire(i % 8) == TagSet.NONE ? 0 : 1;
            }
            assertThat(held).isEqualTo(limit);
        }
    }

    /** Lesson 7: fixed shares strand the tags of those who are slow. One shard alone can have all. */
    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void oneShardAloneCanHaveAllTags(TagDesign design) {
        TagSet set = new TagSet(design, 64, 0, 16, WakePolicy.DEFAULT);
        for (int shard = 0; shard < 16; shard++) { // All have used some, and cache what they may.
            int[] four = new int[4];
            assertThat(set.tryAcquireExactly(shard, 4, four, 0)).isTrue();
            for (int tag : four) {
                set.release(shard, tag);
            }
        }
        AtomicInteger got = new AtomicInteger();
        TagClaim all = TagClaim.polled(3, WaiterStub.SILENT, 64, (_, _, count) -> got.addAndGet(count));
        if (set.acquire(all, 64)) {
            got.set(64);
        }
        for (int shard = 0; shard < 16; shard++) {
            set.poll(shard); // Those who are asked answer.
        }
        set.poll(3);
        assertThat(got.get()).isEqualTo(64);
    }

    /** Lesson 8: words near their CPUs. While tags are plenty, no two shards write to the same word. */
    @Test
    void shardsKeepToWordsOfTheirOwnWhileTagsArePlenty() {
        BitmapTags tags = new BitmapTags(64, 8);
        int[] wordOf = new int[8];
        for (int shard = 0; shard < 8; shard++) {
            wordOf[shard] = tags.acquire(shard) / BitmapTags.TAGS_PER_WORD;
        }
        assertThat(wordOf).doesNotHaveDuplicates();
        for (int i = 0; i < 100; i++) {
            int shard = i * 5 % 8;
            int tag = tags.acquire(shard);
            assertThat(tag / BitmapTags.TAGS_PER_WORD).as("shard=%d", shard).isEqualTo(wordOf[shard]);
            tags.release(shard, tag);
        }
    }

    /**
     * Lesson 9: Lincheck assumes sequential consistency. It passes a release without a fence, which only a
     * stress test on a real machine can find.
     */
    @Test
    void lincheckFindsNoMissingFence() {
        new ModelCheckingOptions()
                .iterations(3)
                .invocationsPerIteration(200)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .check(Unfenced.class);
    }

    /** One tag, whose release is a release store, which the look for a waiter may overtake. */
    public static class Unfenced {
        private static final VarHandle INT = MethodHandles.arrayElementVarHandle(int[].class);
        private final int[] tagAndWaiter = {1, 0};
        private boolean looked;
        private boolean found;
        private boolean released;
        private boolean woke;

        @Operation(nonParallelGroup = "waiter")
        public void waiter() {
            if (!looked) {
                INT.getAndAdd(tagAndWaiter, 1, 1);
                found = (int) INT.getVolatile(tagAndWaiter, 0) == 0;
                looked = true;
            }
        }

        @Operation(nonParallelGroup = "holder")
        public void holder() {
            if (!released) {
                INT.setRelease(tagAndWaiter, 0, 0);
                woke = (int) INT.getVolatile(tagAndWaiter, 1) > 0;
                released = true;
            }
        }

        @org.jetbrains.lincheck.datastructures.Validate
        public void validate() {
            if (looked && released && !found && !woke) {
                throw new IllegalStateException("lost wake-up");
            }
        }
    }

    /** Threads that block: each takes {@code need} tags and gives them back, some hundred times. */
    private static void hammer(TagSet set, int threads, int need, int rounds) {
        AtomicIntegerArray owners = new AtomicIntegerArray(set.depth());
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicInteger left = new AtomicInteger(threads);
        for (int i = 0; i < threads; i++) {
            int shard = i % 4;
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    Shard self = Shard.ofCaller(shard, Clock.system());
                    set.attach(shard, self);
                    TagClaim claim = TagClaim.blocking(shard, self, need);
                    for (int round = 0; round < rounds; round++) {
                        useOnce(set, claim, need, owners);
                    }
                } catch (Throwable t) {
                    failure.compareAndSet(null, t);
                } finally {
                    left.decrementAndGet();
                }
            });
        }
        long deadline = System.nanoTime() + WATCHDOG.toNanos();
        while (left.get() > 0 && failure.get() == null && System.nanoTime() < deadline) {
            for (int shard = 0; shard < 4; shard++) {
                set.poll(shard); // Answers for threads that have ended, whose caches are asked for.
            }
            Thread.onSpinWait();
        }
        assertThat(failure.get()).isNull();
        assertThat(left.get())
                .as("threads that still wait, %s", set.statistics())
                .isZero();
        int[] tags = new int[set.depth()];
        assertThat(set.tryAcquireUpTo(0, tags.length, tags, 0)).isPositive();
    }

    private static void useOnce(TagSet set, TagClaim claim, int need, AtomicIntegerArray owners) {
        if (!set.acquire(claim, need)) {
            while (!claim.isComplete()) {
                set.await(claim);
            }
        }
        for (int i = 0; i < need; i++) {
            if (!owners.compareAndSet(claim.tag(i), 0, 1)) {
                throw new IllegalStateException("tag has two holders: tag=" + claim.tag(i));
            }
        }
        for (int i = 0; i < need; i++) {
            owners.set(claim.tag(i), 0);
            set.release(claim.shard, claim.tag(i));
        }
    }
}
