package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * All interleavings of short programs that claim, release and are woken: a tag has one holder, and when all is quiet
 * nobody waits for tags that are free. Finds wake-ups lost by interleaving; none lost by memory order.
 */
class TagSetLincheckTest {
    private static final int THREADS = 5;

    private static ModelCheckingOptions options(int threads) {
        return new ModelCheckingOptions()
                .iterations(3)
                .invocationsPerIteration(120)
                .threads(threads)
                .actorsPerThread(threads == 2 ? 3 : 2)
                .actorsBefore(1)
                .actorsAfter(0)
                .minimizeFailedScenario(false);
    }

    /** Two tags, one claim for each thread. */
    abstract static class Subject {
        private static final int DEPTH = 2;
        private final AtomicIntegerArray owners = new AtomicIntegerArray(DEPTH);
        private final TagClaim[] claims = new TagClaim[THREADS];
        private final boolean[] holds = new boolean[THREADS];
        private final boolean[] waits = new boolean[THREADS];

        Subject() {
            for (int thread = 0; thread < THREADS; thread++) {
                claims[thread] = TagClaim.polled(thread, WaiterStub.SILENT, DEPTH, this::granted);
            }
        }

        abstract boolean acquire(TagClaim claim, int count);

        abstract void release(int thread, int tag);

        abstract void poll(int thread);

        void claim(int thread, int count) {
            if (holds[thread] || waits[thread]) {
                return;
            }
            waits[thread] = true;
            if (acquire(claims[thread], count)) {
                granted(claims[thread], 0, count);
            }
        }

        private void granted(TagClaim claim, int from, int count) {
            for (int i = from; i < from + count; i++) {
                if (!owners.compareAndSet(claim.tag(i), 0, 1)) {
                    throw new IllegalStateException("tag has two holders: tag=" + claim.tag(i));
                }
            }
            if (claim.isComplete()) {
                holds[claim.shard] = true;
                waits[claim.shard] = false;
            }
        }

        void giveBack(int thread) {
            poll(thread);
            TagClaim claim = claims[thread];
            if (!holds[thread]) {
                return;
            }
            holds[thread] = false;
            for (int i = 0; i < claim.count(); i++) {
                owners.set(claim.tag(i), 0);
                release(thread, claim.tag(i));
            }
        }

        /** When every holder has released and every shard has polled, nobody waits any more. */
        void nobodyIsForgotten() {
            for (int turn = 0; turn < 4 * THREADS; turn++) {
                for (int thread = 0; thread < THREADS; thread++) {
                    giveBack(thread);
                }
            }
            for (int thread = 0; thread < THREADS; thread++) {
                if (waits[thread]) {
                    throw new IllegalStateException("waits for free tags: thread=" + thread);
                }
            }
        }
    }

    abstract static class Whole extends Subject {
        private final TagSet set;

        Whole(Tags tags, WakePolicy policy) {
            set = new TagSet(tags, 0, THREADS, policy);
        }

        @Override
        boolean acquire(TagClaim claim, int count) {
            return set.acquire(claim, count);
        }

        @Override
        void release(int thread, int tag) {
            set.release(thread, tag);
        }

        @Override
        void poll(int thread) {
            set.poll(thread);
        }

        void resize(int depth) {
            set.resize(depth);
        }
    }

    public static class Default extends Whole {
        public Default() {
            super(new BitmapTags(2, THREADS, 1), WakePolicy.DEFAULT);
        }

        @Operation
        public void one(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 1);
        }

        @Operation
        public void two(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 2);
        }

        @Operation
        public void back(@Param(gen = ThreadIdGen.class) int thread) {
            giveBack(thread);
        }

        @Validate
        public void validate() {
            nobodyIsForgotten();
        }
    }

    public static class Original extends Whole {
        public Original() {
            super(new BitmapTags(2, THREADS, 1), WakePolicy.ORIGINAL);
        }

        @Operation
        public void one(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 1);
        }

        @Operation
        public void two(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 2);
        }

        @Operation
        public void back(@Param(gen = ThreadIdGen.class) int thread) {
            giveBack(thread);
        }

        @Validate
        public void validate() {
            nobodyIsForgotten();
        }
    }

    public static class ByNeed extends Whole {
        public ByNeed() {
            super(new BitmapTags(2, THREADS, 1), WakePolicy.BY_NEED);
        }

        @Operation
        public void one(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 1);
        }

        @Operation
        public void two(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 2);
        }

        @Operation
        public void back(@Param(gen = ThreadIdGen.class) int thread) {
            giveBack(thread);
        }

        @Validate
        public void validate() {
            nobodyIsForgotten();
        }
    }

    public static class StrictStealing extends Whole {
        public StrictStealing() {
            super(new StealingTags(2, THREADS), WakePolicy.STRICT);
        }

        @Operation
        public void one(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 1);
        }

        @Operation
        public void two(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 2);
        }

        @Operation
        public void back(@Param(gen = ThreadIdGen.class) int thread) {
            giveBack(thread);
        }

        @Validate
        public void validate() {
            nobodyIsForgotten();
        }
    }

    public static class DefaultPurged extends Whole {
        public DefaultPurged() {
            super(new PurgedTags(2, THREADS), WakePolicy.DEFAULT);
        }

        @Operation
        public void one(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 1);
        }

        @Operation
        public void back(@Param(gen = ThreadIdGen.class) int thread) {
            giveBack(thread);
        }

        @Validate
        public void validate() {
            nobodyIsForgotten();
        }
    }

    public static class Resized extends Whole {
        public Resized() {
            super(new BitmapTags(2, THREADS, 8), WakePolicy.DEFAULT);
        }

        @Operation
        public void two(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 2);
        }

        @Operation
        public void one(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 1);
        }

        @Operation
        public void back(@Param(gen = ThreadIdGen.class) int thread) {
            giveBack(thread);
        }

        @Operation
        public void shrink() {
            resize(1);
        }

        @Operation
        public void grow() {
            resize(2);
        }

        @Validate
        public void validate() {
            resize(2); // A claim of two keeps its first tag until it has the second.
            nobodyIsForgotten();
        }
    }

    @Test
    void defaultForgetsNobody() {
        options(2).check(Default.class);
        options(3).check(Default.class);
    }

    @Test
    void originalForgetsNobody() {
        options(2).check(Original.class);
        options(3).check(Original.class);
    }

    @Test
    void wakingByNeedForgetsNobody() {
        options(2).check(ByNeed.class);
        options(3).check(ByNeed.class);
    }

    @Test
    void strictOrderOverStolenTagsForgetsNobody() {
        options(2).check(StrictStealing.class);
    }

    @Test
    void waitingForAnotherShardsCacheForgetsNobody() {
        options(2).check(DefaultPurged.class);
    }

    @Test
    void changedDepthForgetsNobody() {
        options(2).check(Resized.class);
    }

    @Test
    @Tag("long")
    void allForLonger() {
        for (Class<?> subject : new Class<?>[] {
            Default.class, Original.class, ByNeed.class, StrictStealing.class, DefaultPurged.class, Resized.class
        }) {
            options(2).iterations(60).invocationsPerIteration(5000).check(subject);
            options(3).iterations(60).invocationsPerIteration(5000).check(subject);
        }
    }

    /**
     * A tag set put together here, so that twins can spoil the order in which its parts are called. Over a list with a lock,
     * since Lincheck 3.7 does not stop a thread before {@code getAndBitwiseAnd}, by which a bitmap's tag comes back.
     */
    abstract static class Parts extends Subject {
        final Tags tags = new LockedTags(2, THREADS);
        final TagServer server = new TagServer(tags, THREADS, WakePolicy.NO_PREEMPTION);

        @Override
        boolean acquire(TagClaim claim, int count) {
            claim.start(count);
            if (server.attention() == 0 && tags.acquireExactly(claim.shard, count, claim.tags, 0)) {
                claim.grant(count);
                claim.taken = count;
                return true;
            }
            queueUp(claim);
            return false;
        }

        void queueUp(TagClaim claim) {
            server.announce(claim);
            server.push(claim);
        }

        @Override
        void release(int thread, int tag) {
            tags.release(thread, tag);
            if (server.attention() != 0) {
                server.released(1);
            }
        }

        @Override
        void poll(int thread) {
            TagClaim claim = server.takeReady(thread);
            if (claim != null && claim.granted() == claim.wanted) {
                claim.unlist();
                claim.taken = claim.wanted;
                claim.callback.granted(claim, 0, claim.wanted);
            }
        }
    }

    public static class Sound extends Parts {
        @Operation
        public void useOne(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 1);
            giveBack(thread);
        }

        @Operation
        public void two(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 2);
        }

        @Validate
        public void validate() {
            nobodyIsForgotten();
        }
    }

    /** The weakened twin of release: it looks for waiters before it gives the tag back. */
    public static class LookBeforeRelease extends Parts {
        @Override
        void release(int thread, int tag) {
            boolean waited = server.attention() != 0;
            tags.release(thread, tag);
            if (waited) {
                server.released(1);
            }
        }

        @Operation
        public void useOne(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 1);
            giveBack(thread);
        }

        @Operation
        public void two(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 2);
        }

        @Validate
        public void validate() {
            nobodyIsForgotten();
        }
    }

    /** The weakened twin of waiting: announced only when in the queue, for which tags were looked for before. */
    public static class AnnouncedTooLate extends Parts {
        @Override
        void queueUp(TagClaim claim) {
            server.push(claim);
            server.announce(claim);
        }

        @Operation
        public void useOne(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 1);
            giveBack(thread);
        }

        @Operation
        public void two(@Param(gen = ThreadIdGen.class) int thread) {
            claim(thread, 2);
        }

        @Validate
        public void validate() {
            nobodyIsForgotten();
        }
    }

    @Test
    void twinsAreRejectedAndTheSoundOneIsNot() {
        // One call a thread, one of which must be useOne and the other two: many short scenarios, each explored well.
        ModelCheckingOptions options = options(2).iterations(10).invocationsPerIteration(1000);
        options.actorsBefore(0).actorsPerThread(1).check(Sound.class);
        for (Class<?> twin : new Class<?>[] {LookBeforeRelease.class, AnnouncedTooLate.class}) {
            assertThatThrownBy(() -> options.check(twin))
                    .isInstanceOf(LincheckAssertionError.class)
                    .hasMessageContaining("waits for free tags");
        }
    }
}
