package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TagsTest {
    private static final int NONE = Tags.NONE;

    /** Takes one, coming back for it where the design must ask others first. */
    static int acquire(Tags tags, int shard, int shards) {
        int tag = tags.acquire(shard);
        if (tag == NONE) {
            for (int other = 0; other < shards; other++) {
                tags.handOver(other);
            }
            tag = tags.acquire(shard);
        }
        return tag;
    }

    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void everyTagIsHandedOutOnceAndThenNone(TagDesign design) {
        for (int depth = 1; depth <= 130; depth++) {
            for (int shards = 1; shards <= 4; shards++) {
                Tags tags = design.create(depth, shards);
                BitSet seen = new BitSet();
                for (int i = 0; i < depth; i++) {
                    int tag = acquire(tags, i % shards, shards);
                    assertThat(tag)
                            .as("depth=%d shards=%d i=%d", depth, shards, i)
                            .isBetween(0, depth - 1);
                    assertThat(seen.get(tag))
                            .as("handed out twice: tag=%d depth=%d", tag, depth)
                            .isFalse();
                    seen.set(tag);
                    assertThat(tags.free()).isEqualTo(depth - i - 1);
                }
                assertThat(acquire(tags, 0, shards))
                        .as("depth=%d shards=%d", depth, shards)
                        .isEqualTo(NONE);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void largestDepthWorks(TagDesign design) {
        Tags tags = design.create(Tags.DEPTH_MAX, 2);
        int[] all = new int[Tags.DEPTH_MAX];
        assertThat(tags.acquireExactly(1, all.length, all, 0)).isTrue();
        Arrays.sort(all);
        for (int i = 0; i < all.length; i++) {
            assertThat(all[i]).isEqualTo(i);
        }
        tags.release(0, all, 0, all.length);
        assertThat(tags.free()).isEqualTo(Tags.DEPTH_MAX);
    }

    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void tagReleasedOnAnotherShardIsFoundAgain(TagDesign design) {
        Tags tags = design.create(3, 4);
        for (int i = 0; i < 50; i++) {
            int tag = acquire(tags, i % 4, 4);
            assertThat(tags.isHeld(tag)).isTrue();
            tags.release((i + 2) % 4, tag);
            assertThat(tags.isHeld(tag)).isFalse();
        }
        assertThat(tags.free()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void exactlyIsAllOrNothing(TagDesign design) {
        for (int depth : new int[] {1, 7, 8, 9, 64}) {
            Tags tags = design.create(depth, 1);
            int[] into = new int[depth + 2];
            assertThat(tags.acquireExactly(0, depth + 1, into, 0)).isFalse();
            assertThat(tags.free()).isEqualTo(depth);
            assertThat(tags.acquireExactly(0, depth, into, 1)).isTrue();
            assertThat(Arrays.stream(into, 1, depth + 1).distinct().count()).isEqualTo(depth);
            tags.release(0, into[1]);
            assertThat(tags.acquireExactly(0, 2, into, 0)).isFalse();
            assertThat(tags.free()).as("given back").isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void upToTakesWhatThereIs(TagDesign design) {
        Tags tags = design.create(10, 1);
        int[] into = new int[16];
        assertThat(tags.acquireUpTo(0, 0, into, 0)).isZero();
        assertThat(tags.acquireUpTo(0, 7, into, 0)).isEqualTo(7);
        assertThat(tags.acquireUpTo(0, 7, into, 7)).isEqualTo(3);
        assertThat(tags.acquireUpTo(0, 7, into, 10)).isZero();
        assertThat(Arrays.stream(into, 0, 10).distinct().count()).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void secondReleaseIsRejected(TagDesign design) {
        Tags tags = design.create(64, 2);
        int first = tags.acquire(0);
        int second = tags.acquire(0);
        tags.release(0, first);
        assertThatThrownBy(() -> tags.release(1, first))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("released a tag that nobody holds: tag=" + first + ", depth=64");
        assertThat(tags.free()).isEqualTo(63);
        assertThat(tags.isHeld(second)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void sameTagTwiceInOneReleaseIsRejected(TagDesign design) {
        Tags tags = design.create(64, 2);
        int tag = tags.acquire(0);
        assertThatThrownBy(() -> tags.release(1, new int[] {tag, tag}, 0, 2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("tag=" + tag);
    }

    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void tagThatIsNoneOfTheseIsRejected(TagDesign design) {
        Tags tags = design.create(13, 1);
        int[] all = new int[13];
        tags.acquireExactly(0, 13, all, 0);
        for (int tag : new int[] {-1, Integer.MIN_VALUE, 13, 14, 15, 16, 64, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> tags.release(0, tag))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("tag must be 0..depth-1: tag=" + tag + ", depth=13");
            assertThatThrownBy(() -> tags.release(0, new int[] {12, tag}, 1, 1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> tags.isHeld(tag)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(tags.free()).isZero();
    }

    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void depthAndShardsOutOfRangeAreRefused(TagDesign design) {
        for (int depth : new int[] {0, -1, Integer.MIN_VALUE, Tags.DEPTH_MAX + 1}) {
            assertThatThrownBy(() -> design.create(depth, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("depth must be 1..32768: depth=" + depth);
        }
        for (int shards : new int[] {0, -1, Tags.DEPTH_MAX + 1}) {
            assertThatThrownBy(() -> design.create(1, shards))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("shards must be 1..32768: shards=" + shards);
        }
    }

    @Test
    void tagsInAWordThatAreNoPowerOfTwoAreRefused() {
        for (int count : new int[] {0, -1, 3, 16}) {
            assertThatThrownBy(() -> new BitmapTags(64, 1, count)).hasMessageContaining("tagsPerWord=" + count);
        }
    }

    /** Every pattern of free and held tags in a word: a wrong release is found, and leaves all of it as it was. */
    @Test
    void wrongReleaseLeavesNeighboursAsTheyWere() {
        for (int pattern = 0; pattern < 256; pattern++) {
            BitmapTags tags = new BitmapTags(8, 1);
            tags.acquireExactly(0, 8, new int[8], 0);
            for (int tag = 0; tag < 8; tag++) {
                if ((pattern >> tag & 1) != 0) {
                    tags.release(0, tag);
                }
            }
            for (int wrong = 0; wrong < 8; wrong++) {
                if ((pattern >> wrong & 1) != 0) {
                    int tag = wrong;
                    assertThatThrownBy(() -> tags.release(0, tag))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("tag=" + wrong);
                }
                for (int tag = 0; tag < 8; tag++) {
                    assertThat(tags.isHeld(tag)).as("pattern=%d", pattern).isEqualTo((pattern >> tag & 1) == 0);
                }
            }
            assertThatThrownBy(() -> tags.release(0, new int[] {0, 1, 2, 3, 4, 5, 6, 7, 7}, 0, 9))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(tags.free()).isEqualTo(Integer.bitCount(pattern));
            if (pattern != 0) {
                assertThatThrownBy(() -> tags.release(0, new int[] {0, 1, 2, 3, 4, 5, 6, 7}, 0, 8))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("tag=" + Integer.numberOfTrailingZeros(pattern));
                assertThat(tags.free()).isEqualTo(8);
                assertThat(tags.acquireExactly(0, 8, new int[8], 0)).isTrue();
                assertThat(tags.free()).isZero();
            }
        }
    }

    @Test
    void askedShardHandsOverOnlyWhenItAnswers() {
        PurgedTags tags = new PurgedTags(2, 2);
        int first = tags.acquire(0);
        int second = tags.acquire(0);
        List<String> woken = new ArrayList<>();
        tags.attach(0, new WaiterStub(() -> woken.add("owner of 0")));
        tags.release(0, first);
        assertThat(tags.acquire(1)).as("in the cache of shard 0").isEqualTo(NONE);
        assertThat(woken).containsExactly("owner of 0");
        assertThat(tags.acquire(1)).isEqualTo(NONE);
        assertThat(woken).as("asked once").hasSize(1);
        assertThat(tags.handOver(0)).isTrue();
        assertThat(tags.handOver(0)).isFalse();
        assertThat(tags.acquire(1)).isEqualTo(first);
        assertThat(second).isNotEqualTo(first);
    }

    @Test
    void shardStealsFromAnotherWithoutAsking() {
        StealingTags tags = new StealingTags(2, 2);
        int first = tags.acquire(0);
        tags.acquire(0);
        tags.release(0, first);
        assertThat(tags.acquire(1)).isEqualTo(first);
    }
}
