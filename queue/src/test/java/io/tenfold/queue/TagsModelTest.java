package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Prng;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random calls against a plain set of the tags that are held. One thread. */
class TagsModelTest {
    private static final int ROUNDS = 300;
    private static final int STEPS = 400;

    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void designAgreesWithAPlainSet(TagDesign design) {
        for (long seed = 0; seed < ROUNDS; seed++) {
            Prng prng = new Prng(seed);
            int shards = 1 + prng.below(5);
            int depth = 1 + prng.below(prng.oneIn(2) ? 12 : 200);
            run(design.create(depth, shards), shards, seed, prng);
        }
    }

    @Test
    void bitmapOfAnyWordSizeAgreesWithAPlainSet() {
        for (long seed = 0; seed < ROUNDS; seed++) {
            Prng prng = new Prng(seed);
            int shards = 1 + prng.below(5);
            run(new BitmapTags(1 + prng.below(200), shards, 1 << prng.below(4)), shards, seed, prng);
        }
    }

    private static void run(Tags tags, int shards, long seed, Prng prng) {
        String where = "seed=" + seed + ", depth=" + tags.depth() + ", shards=" + shards;
        new Model(tags.depth(), where).run(tags, shards, prng, () -> {});
    }

    /** A canary: tags that hand tag 3 out although it is held. */
    @Test
    void modelRejectsATagHandedOutTwice() {
        Tags tags = new BitmapTags(5, 1);
        Runnable forgetTag3 = () -> {
            if (tags.isHeld(3)) {
                tags.release(0, 3);
            }
        };
        assertThatThrownBy(() -> new Model(5, "canary").run(tags, 1, new Prng(1), forgetTag3))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("canary");
    }

    /** A canary: tags that lose one. */
    @Test
    void modelRejectsATagThatIsLost() {
        Tags tags = new BitmapTags(5, 1);
        tags.acquire(0);
        assertThatThrownBy(() -> new Model(5, "canary").run(tags, 1, new Prng(1), () -> {}))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("canary");
    }

    /** What must be held and what not. */
    private static final class Model {
        private final BitSet held = new BitSet();
        private final int depth;
        private final String where;

        Model(int depth, String where) {
            this.depth = depth;
            this.where = where;
        }

        void run(Tags tags, int shards, Prng prng, Runnable sabotage) {
            int[] some = new int[depth];
            for (int step = 0; step < STEPS; step++) {
                int shard = prng.below(shards);
                sabotage.run();
                int count = 1 + prng.below(Math.min(depth, prng.oneIn(4) ? depth : 5));
                switch (prng.below(7)) {
                    case 0, 1 -> {
                        int tag = TagsTest.acquire(tags, shard, shards);
                        if (tag == Tags.NONE) {
                            assertThat(held.cardinality()).as("NONE, %s", where).isEqualTo(depth);
                        } else {
                            got(tag);
                        }
                    }
                    case 2 -> {
                        int free = depth - held.cardinality();
                        int taken = tags.acquireUpTo(shard, count, some, 0);
                        if (taken < Math.min(count, free) && tags instanceof PurgedTags) {
                            answer(tags, shards);
                            taken += tags.acquireUpTo(shard, count - taken, some, taken);
                        }
                        assertThat(taken).as("up to %d, %s", count, where).isEqualTo(Math.min(count, free));
                        for (int i = 0; i < taken; i++) {
                            got(some[i]);
                        }
                    }
                    case 3 -> {
                        boolean fits = count <= depth - held.cardinality();
                        boolean all = tags.acquireExactly(shard, count, some, 0);
                        if (fits && !all && tags instanceof PurgedTags) {
                            answer(tags, shards);
                            all = tags.acquireExactly(shard, count, some, 0);
                        }
                        assertThat(all).as("exactly %d, %s", count, where).isEqualTo(fits);
                        for (int i = 0; fits && i < count; i++) {
                            got(some[i]);
                        }
                    }
                    case 4 -> {
                        int tag = held.nextSetBit(prng.below(depth));
                        if (tag >= 0) {
                            held.clear(tag);
                            tags.release(shard, tag);
                        }
                    }
                    default -> {
                        int released = 0;
                        int tag = held.nextSetBit(prng.below(depth));
                        while (tag >= 0 && released < count) {
                            some[released++] = tag;
                            held.clear(tag);
                            tag = held.nextSetBit(tag + 1 + (prng.oneIn(3) ? 1 : 0));
                        }
                        tags.release(shard, some, 0, released);
                    }
                }
                assertThat(tags.free()).as(where).isEqualTo(depth - held.cardinality());
                int tag = prng.below(depth);
                assertThat(tags.isHeld(tag)).as("tag=%d, %s", tag, where).isEqualTo(held.get(tag));
            }
        }

        /** Lets every shard answer those who asked it for tags. */
        private static void answer(Tags tags, int shards) {
            for (int shard = 0; shard < shards; shard++) {
                tags.handOver(shard);
            }
        }

        void got(int tag) {
            assertThat(tag).as("tag out of range, %s", where).isBetween(0, depth - 1);
            assertThat(held.get(tag))
                    .as("handed out twice: tag=%d, %s", tag, where)
                    .isFalse();
            held.set(tag);
        }
    }
}
