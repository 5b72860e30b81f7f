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
 * All interleavings of short programs on two and three threads, for each design: a tag has one holder, and none is lost.
 * Where the answer {@link Tags#NONE} is promised for one moment, that is checked too, against a count of free tags.
 *
 * <p>Lincheck runs one thread at a time, so that it finds no missing memory order.
 */
class TagsLincheckTest {
    private static ModelCheckingOptions options(int threads) {
        return new ModelCheckingOptions()
                .iterations(3)
                .invocationsPerIteration(120)
                .threads(threads)
                .actorsPerThread(threads == 2 ? 3 : 2)
                .actorsBefore(1)
                .actorsAfter(1)
                .minimizeFailedScenario(false);
    }

    static ModelCheckingOptions longOptions(int threads) {
        return options(threads).iterations(60).invocationsPerIteration(5000);
    }

    /** A few tags among three threads that note who holds what. */
    abstract static class Subject {
        private static final int DEPTH = 3;

        /** Three at most, and those that run before and after them. */
        private static final int THREADS = 5;

        private final AtomicIntegerArray owners = new AtomicIntegerArray(DEPTH);
        private final int[][] held = new int[THREADS][DEPTH];
        private final int[] heldCount = new int[THREADS];

        abstract int acquire(int thread);

        abstract int acquireUpTo(int thread, int[] into);

        abstract boolean acquireExactly(int thread, int[] into);

        abstract void release(int thread, int tag);

        abstract boolean isHeld(int tag);

        abstract int free();

        int take(int thread) {
            int tag = acquire(thread);
            return tag == Tags.NONE ? 0 : own(thread, tag);
        }

        int takeUpToTwo(int thread) {
            int[] two = new int[2];
            int count = acquireUpTo(thread, two);
            for (int i = 0; i < count; i++) {
                own(thread, two[i]);
            }
            return count;
        }

        int takeTwo(int thread) {
            int[] two = new int[2];
            if (!acquireExactly(thread, two)) {
                return 0;
            }
            return own(thread, two[0]) + own(thread, two[1]);
        }

        private int own(int thread, int tag) {
            if (!owners.compareAndSet(tag, 0, 1)) {
                throw new IllegalStateException("tag has two holders: tag=" + tag);
            }
            held[thread][heldCount[thread]++] = tag;
            return 1;
        }

        /** Gives back the tag that the thread has held longest. */
        boolean giveBack(int thread) {
            if (heldCount[thread] == 0) {
                return false;
            }
            int tag = held[thread][0];
            System.arraycopy(held[thread], 1, held[thread], 0, --heldCount[thread]);
            owners.set(tag, 0);
            release(thread, tag);
            return true;
        }

        void noneIsLost() {
            int free = 0;
            for (int tag = 0; tag < DEPTH; tag++) {
                if (isHeld(tag) != (owners.get(tag) == 1)) {
                    throw new IllegalStateException("tag is free and held: tag=" + tag + ", owned=" + owners.get(tag));
                }
                free += 1 - owners.get(tag);
            }
            if (free() != free) {
                throw new IllegalStateException("tags were lost: free=" + free() + ", expected=" + free);
            }
        }
    }

    /** A design, as it is. */
    abstract static class Designed extends Subject {
        private final Tags tags;

        Designed(Tags tags) {
            this.tags = tags;
        }

        @Override
        int acquire(int thread) {
            return tags.acquire(thread);
        }

        @Override
        int acquireUpTo(int thread, int[] into) {
            return tags.acquireUpTo(thread, 2, into, 0);
        }

        @Override
        boolean acquireExactly(int thread, int[] into) {
            return tags.acquireExactly(thread, 2, into, 0);
        }

        @Override
        void release(int thread, int tag) {
            tags.release(thread, tag);
        }

        @Override
        boolean isHeld(int tag) {
            return tags.isHeld(tag);
        }

        @Override
        int free() {
            return tags.free();
        }
    }

    /** Who asks for a tag may be told that there is none, though there is: its answer is not looked at. */
    public static class Bitmap extends Designed {
        public Bitmap() {
            super(new BitmapTags(3, 5, 1));
        }

        @Operation
        public void one(@Param(gen = ThreadIdGen.class) int thread) {
            take(thread);
        }

        @Operation
        public void upToTwo(@Param(gen = ThreadIdGen.class) int thread) {
            takeUpToTwo(thread);
        }

        @Operation
        public void two(@Param(gen = ThreadIdGen.class) int thread) {
            takeTwo(thread);
        }

        @Operation
        public void back(@Param(gen = ThreadIdGen.class) int thread) {
            giveBack(thread);
        }

        @Validate
        public void validate() {
            noneIsLost();
        }
    }

    public static class Stealing extends Designed {
        public Stealing() {
            super(new StealingTags(3, 5));
        }

        @Operation
        public void one(@Param(gen = ThreadIdGen.class) int thread) {
            take(thread);
        }

        @Operation
        public void upToTwo(@Param(gen = ThreadIdGen.class) int thread) {
            takeUpToTwo(thread);
        }

        @Operation
        public void back(@Param(gen = ThreadIdGen.class) int thread) {
            giveBack(thread);
        }

        @Validate
        public void validate() {
            noneIsLost();
        }
    }

    public static class Purged extends Designed {
        private final PurgedTags tags;

        public Purged() {
            this(new PurgedTags(3, 5));
        }

        private Purged(PurgedTags tags) {
            super(tags);
            this.tags = tags;
        }

        @Operation
        public void one(@Param(gen = ThreadIdGen.class) int thread) {
            take(thread);
        }

        @Operation
        public void upToTwo(@Param(gen = ThreadIdGen.class) int thread) {
            takeUpToTwo(thread);
        }

        @Operation
        public void back(@Param(gen = ThreadIdGen.class) int thread) {
            giveBack(thread);
        }

        @Operation
        public void handOver(@Param(gen = ThreadIdGen.class) int thread) {
            tags.handOver(thread);
        }

        @Validate
        public void validate() {
            noneIsLost();
        }
    }

    /** One word, one lock, one semaphore: the answers fit one order of the calls. */
    public static class OneWord extends Designed {
        public OneWord() {
            super(new BitmapTags(3, 5, 8));
        }

        @Operation
        public int one(@Param(gen = ThreadIdGen.class) int thread) {
            return take(thread);
        }

        @Operation
        public int upToTwo(@Param(gen = ThreadIdGen.class) int thread) {
            return takeUpToTwo(thread);
        }

        @Operation
        public boolean back(@Param(gen = ThreadIdGen.class) int thread) {
            return giveBack(thread);
        }

        @Validate
        public void validate() {
            noneIsLost();
        }
    }

    public static class Locked extends Designed {
        public Locked() {
            super(new LockedTags(3, 5));
        }

        @Operation
        public int one(@Param(gen = ThreadIdGen.class) int thread) {
            return take(thread);
        }

        @Operation
        public int two(@Param(gen = ThreadIdGen.class) int thread) {
            return takeTwo(thread);
        }

        @Operation
        public int upToTwo(@Param(gen = ThreadIdGen.class) int thread) {
            return takeUpToTwo(thread);
        }

        @Operation
        public boolean back(@Param(gen = ThreadIdGen.class) int thread) {
            return giveBack(thread);
        }

        @Validate
        public void validate() {
            noneIsLost();
        }
    }

    public static class Semaphored extends Designed {
        public Semaphored() {
            super(new SemaphoreTags(3, 5));
        }

        @Operation
        public int one(@Param(gen = ThreadIdGen.class) int thread) {
            return take(thread);
        }

        @Operation
        public int two(@Param(gen = ThreadIdGen.class) int thread) {
            return takeTwo(thread);
        }

        @Operation
        public boolean back(@Param(gen = ThreadIdGen.class) int thread) {
            return giveBack(thread);
        }

        @Validate
        public void validate() {
            noneIsLost();
        }
    }

    @Test
    void bitmapGivesATagToOneAndLosesNone() {
        options(2).check(Bitmap.class);
        options(3).check(Bitmap.class);
    }

    @Test
    void bitmapOfOneWordIsLinearizable() {
        options(2).check(OneWord.class);
        options(3).check(OneWord.class);
    }

    @Test
    void stealingGivesATagToOneAndLosesNone() {
        options(2).check(Stealing.class);
        options(3).check(Stealing.class);
    }

    @Test
    void purgingGivesATagToOneAndLosesNone() {
        options(2).check(Purged.class);
        options(3).check(Purged.class);
    }

    @Test
    void lockedListIsLinearizable() {
        options(2).check(Locked.class);
    }

    @Test
    void semaphoreAndQueueAreLinearizable() {
        options(2).check(Semaphored.class);
    }

    @Test
    @Tag("long")
    void allDesignsForLonger() {
        for (Class<?> design : new Class<?>[] {
            Bitmap.class, OneWord.class, Stealing.class, Purged.class, Locked.class, Semaphored.class
        }) {
            longOptions(2).check(design);
            longOptions(3).check(design);
        }
    }

    /** The weakened twin of the bitmap: it looks and then writes, where the bitmap compares and sets. */
    public static class LookThenWrite extends Subject {
        private final AtomicIntegerArray bits = new AtomicIntegerArray(3);

        @Override
        int acquire(int thread) {
            for (int tag = 0; tag < 3; tag++) {
                if (bits.get(tag) == 0) {
                    bits.set(tag, 1);
                    return tag;
                }
            }
            return Tags.NONE;
        }

        @Override
        int acquireUpTo(int thread, int[] into) {
            into[0] = acquire(thread);
            return into[0] == Tags.NONE ? 0 : 1;
        }

        @Override
        boolean acquireExactly(int thread, int[] into) {
            return false;
        }

        @Override
        void release(int thread, int tag) {
            bits.set(tag, 0);
        }

        @Override
        boolean isHeld(int tag) {
            return bits.get(tag) == 1;
        }

        @Override
        int free() {
            return 3 - bits.get(0) - bits.get(1) - bits.get(2);
        }

        @Operation
        public void one(@Param(gen = ThreadIdGen.class) int thread) {
            take(thread);
        }

        @Operation
        public void back(@Param(gen = ThreadIdGen.class) int thread) {
            giveBack(thread);
        }

        @Validate
        public void validate() {
            noneIsLost();
        }
    }

    /** The weakened twin of the stacks: heads without a version, so that a head that came back looks unchanged. */
    public static class StackWithoutVersion extends Subject {
        private final AtomicIntegerArray next = new AtomicIntegerArray(new int[] {1, 2, -1});
        private final AtomicIntegerArray head = new AtomicIntegerArray(1);
        private final AtomicIntegerArray out = new AtomicIntegerArray(3);

        @Override
        int acquire(int thread) {
            while (true) {
                int top = head.get(0);
                if (top < 0) {
                    return Tags.NONE;
                }
                int below = next.get(top);
                if (head.compareAndSet(0, top, below)) {
                    out.set(top, 1);
                    return top;
                }
            }
        }

        @Override
        int acquireUpTo(int thread, int[] into) {
            into[0] = acquire(thread);
            return into[0] == Tags.NONE ? 0 : 1;
        }

        @Override
        boolean acquireExactly(int thread, int[] into) {
            return false;
        }

        @Override
        void release(int thread, int tag) {
            out.set(tag, 0);
            int top;
            do {
                top = head.get(0);
                next.set(tag, top);
            } while (!head.compareAndSet(0, top, tag));
        }

        @Override
        boolean isHeld(int tag) {
            return out.get(tag) == 1;
        }

        @Override
        int free() {
            int free = 0;
            for (int tag = head.get(0); tag >= 0 && free < 4; tag = next.get(tag)) {
                free++;
            }
            return free;
        }

        @Operation
        public void one(@Param(gen = ThreadIdGen.class) int thread) {
            take(thread);
        }

        @Operation
        public void back(@Param(gen = ThreadIdGen.class) int thread) {
            giveBack(thread);
        }

        @Validate
        public void validate() {
            noneIsLost();
        }
    }

    /** The weakened twin of the semaphore: the permit is given back before the tag. */
    public static class PermitBeforeTag extends Designed {
        private final java.util.concurrent.Semaphore permits = new java.util.concurrent.Semaphore(3);
        private final Tags tags;

        public PermitBeforeTag() {
            this(new LockedTags(3, 5));
        }

        private PermitBeforeTag(Tags tags) {
            super(tags);
            this.tags = tags;
        }

        @Operation
        public int one(@Param(gen = ThreadIdGen.class) int thread) {
            return permits.tryAcquire() ? 1 + take(thread) : 0;
        }

        @Operation
        public boolean back(@Param(gen = ThreadIdGen.class) int thread) {
            return giveBack(thread);
        }

        @Override
        void release(int thread, int tag) {
            permits.release();
            tags.release(thread, tag);
        }
    }

    @Test
    void twinsAreRejected() {
        rejects(LookThenWrite.class, "tag has two holders");
        rejects(StackWithoutVersion.class, "");
        rejects(PermitBeforeTag.class, "");
    }

    static void rejects(Class<?> twin, String why) {
        ModelCheckingOptions options = options(2).iterations(60).invocationsPerIteration(2000);
        assertThatThrownBy(() -> options.actorsBefore(0)
                        .actorsAfter(0)
                        .actorsPerThread(4)
                        .check(twin))
                .as(twin.getSimpleName())
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining(why);
    }
}
