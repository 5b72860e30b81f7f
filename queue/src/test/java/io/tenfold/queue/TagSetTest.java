package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TagSetTest {
    private final List<String> log = new ArrayList<>();

    private static TagSet set(int depth, WakePolicy policy) {
        return new TagSet(TagDesign.BITMAP, depth, 0, 2, policy);
    }

    /** Logs "name:count" for each grant. */
    private TagClaim claim(String name) {
        return TagClaim.polled(1, WaiterStub.SILENT, 64, (claim, from, count) -> log.add(name + ":" + count));
    }

    /** Takes all tags but {@code left}. */
    private static int[] fill(TagSet set, int left) {
        int[] tags = new int[set.depth() - left];
        assertThat(set.tryAcquireExactly(0, tags.length, tags, 0)).isTrue();
        return tags;
    }

    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void claimThatFitsIsCompleteAtOnceAndNotCalledBack(TagDesign design) {
        TagSet set = new TagSet(design, 5, 0, 2, WakePolicy.DEFAULT);
        TagClaim claim = claim("a");
        assertThat(set.acquire(claim, 5)).isTrue();
        assertThat(claim.isComplete()).isTrue();
        assertThat(claim.count()).isEqualTo(5);
        assertThat(set.poll(1)).isZero();
        for (int i = 0; i < 5; i++) {
            assertThat(set.isHeld(claim.tag(i))).isTrue();
            set.release(0, claim.tag(i));
        }
        assertThat(set.acquire(claim, 1)).as("used again").isTrue();
    }

    @Test
    void freedTagsGoToTheFirstUntilHeHasAllAndThenToTheNext() {
        TagSet set = set(4, WakePolicy.DEFAULT);
        int[] held = fill(set, 0);
        set.acquire(claim("a"), 3);
        set.acquire(claim("b"), 1);
        set.release(0, held[0]);
        set.release(0, held[1]);
        set.poll(1);
        assertThat(log).as("b needs 1 and 2 are free, but a was first").isEmpty();
        set.release(0, held[2]);
        set.release(0, held[3]);
        assertThat(set.poll(1)).isEqualTo(2);
        assertThat(log).containsExactly("a:3", "b:1");
    }

    @Test
    void freedTagsWakeAsManyOfTheFirstAsTheySatisfy() {
        TagSet set = set(8, WakePolicy.BY_NEED);
        int[] held = fill(set, 0);
        set.acquire(claim("a"), 2);
        set.acquire(claim("b"), 1);
        set.acquire(claim("c"), 3);
        set.acquire(claim("d"), 1);
        set.release(0, held, 0, 4);
        set.poll(1);
        assertThat(log).as("4 freed are enough for 2 + 1, not for c").containsExactly("a:2", "b:1");
        assertThat(set.statistics().wakeUps()).isEqualTo(2);
    }

    @Test
    void newcomerWaitsBehindThoseWhoWait() {
        TagSet set = set(4, WakePolicy.NO_PREEMPTION);
        int[] held = fill(set, 0);
        set.acquire(claim("a"), 2);
        set.release(0, held[0]);
        assertThat(set.tryAcquire(0)).as("the free tag is a's").isEqualTo(TagSet.NONE);
        assertThat(set.tryAcquireUpTo(0, 1, new int[1], 0)).isZero();
        assertThat(set.tryAcquireExactly(0, 1, new int[1], 0)).isFalse();
        assertThat(set.acquire(claim("b"), 1)).isFalse();
        set.release(0, held[1]);
        set.poll(1);
        assertThat(log).containsExactly("a:2");
    }

    @Test
    void originallyANewcomerTakesWhatAWaiterNeeds() {
        for (WakePolicy policy : List.of(WakePolicy.ORIGINAL, WakePolicy.BY_NEED)) {
            TagSet set = set(4, policy);
            int[] held = fill(set, 0);
            set.acquire(claim("a"), 2);
            set.release(0, held[0]);
            assertThat(set.tryAcquire(0)).as("%s", policy).isNotEqualTo(TagSet.NONE);
        }
    }

    @Test
    void originallyEightFreedTagsWakeEight() {
        TagSet set = set(32, WakePolicy.ORIGINAL);
        int[] held = fill(set, 0);
        for (int i = 0; i < 10; i++) {
            set.acquire(claim("w" + i), 1);
        }
        set.release(0, held, 0, 7);
        assertThat(set.poll(1)).isZero();
        set.release(0, held[7]);
        assertThat(set.poll(1)).isEqualTo(8);
        assertThat(log).containsExactly("w0:1", "w1:1", "w2:1", "w3:1", "w4:1", "w5:1", "w6:1", "w7:1");
        set.release(0, held, 8, 8);
        set.poll(1);
        assertThat(log).hasSize(10);
    }

    @Test
    void originallyAWokenWaiterThatIsTooLateWaitsAgainAtTheEnd() {
        TagSet set = set(8, WakePolicy.ORIGINAL);
        int[] held = fill(set, 0);
        set.acquire(claim("a"), 1);
        set.acquire(claim("b"), 1);
        set.release(0, held, 0, 8);
        int[] taken = fill(set, 1);
        set.acquire(claim("c"), 1);
        set.poll(1);
        assertThat(log).as("c found the last tag").isEmpty();
        assertThat(set.statistics().retries()).isEqualTo(2);
        set.release(0, taken, 0, 7);
        assertThat(set.poll(1)).as("7 of a batch of 8").isZero();
    }

    @Test
    void strictOrderGivesTagsOneByOne() {
        TagSet set = set(4, WakePolicy.STRICT);
        int[] held = fill(set, 0);
        TagClaim a = claim("a");
        set.acquire(a, 3);
        set.acquire(claim("b"), 1);
        set.release(0, held[0]);
        set.poll(1);
        set.release(0, held[1]);
        set.poll(1);
        assertThat(a.isComplete()).isFalse();
        assertThat(a.count()).isEqualTo(2);
        set.release(0, held, 2, 2);
        set.poll(1);
        assertThat(log).containsExactly("a:1", "a:1", "a:1", "b:1");
    }

    @ParameterizedTest
    @EnumSource(TagDesign.class)
    void claimLargerThanTheDepthGetsGroups(TagDesign design) {
        for (WakePolicy policy : policies()) {
            log.clear();
            TagSet set = new TagSet(design, 4, 0, 2, policy);
            List<Integer> inHand = new ArrayList<>();
            TagClaim large = TagClaim.polled(1, WaiterStub.SILENT, 10, (claim, from, count) -> {
                log.add("large:" + count);
                for (int i = from; i < from + count; i++) {
                    inHand.add(claim.tag(i));
                }
            });
            assertThat(set.acquire(large, 10)).isFalse();
            for (int turn = 0; turn < 10 && !large.isComplete(); turn++) {
                set.poll(0);
                set.poll(1);
                inHand.forEach(tag -> set.release(0, tag));
                inHand.clear();
            }
            set.poll(1);
            assertThat(log).as("%s", policy).containsExactly("large:4", "large:4", "large:2");
        }
    }

    @Test
    void nobodyPassesAClaimBetweenItsGroups() {
        TagSet set = set(4, WakePolicy.NO_PREEMPTION);
        TagClaim large = claim("large");
        set.acquire(large, 6);
        set.acquire(claim("b"), 2);
        set.poll(1);
        set.release(0, large.tag(0));
        set.release(0, large.tag(1));
        set.poll(1);
        assertThat(log).containsExactly("large:4", "large:2");
        set.release(0, large.tag(2));
        set.release(0, large.tag(3));
        set.poll(1);
        assertThat(log).containsExactly("large:4", "large:2", "b:2");
    }

    static List<WakePolicy> policies() {
        return List.of(
                WakePolicy.ORIGINAL,
                WakePolicy.BY_NEED,
                WakePolicy.NO_PREEMPTION,
                WakePolicy.DEFAULT,
                WakePolicy.STRICT);
    }

    @Test
    void callbackMayClaimAgain() {
        TagSet set = set(1, WakePolicy.DEFAULT);
        int[] held = fill(set, 0);
        TagClaim[] again = new TagClaim[1];
        again[0] = TagClaim.polled(0, WaiterStub.SILENT, 1, (claim, from, count) -> {
            set.release(0, claim.tag(0));
            log.add("again at once: " + set.acquire(again[0], 1));
        });
        set.acquire(again[0], 1);
        set.release(0, held[0]);
        set.poll(0);
        set.poll(0);
        assertThat(log).containsExactly("again at once: true");
        assertThat(again[0].isComplete()).isTrue();
    }

    @Test
    void shrinkTakesTagsOutOfUseAsTheyComeBack() {
        TagSet set = new TagSet(TagDesign.BITMAP, 8, 2, 1, WakePolicy.DEFAULT);
        int[] held = fill(set, 2);
        set.resize(3);
        assertThat(set.depth()).isEqualTo(3);
        assertThat(set.tryAcquire(0)).as("6 are held").isEqualTo(TagSet.NONE);
        for (int i = 0; i < 3; i++) {
            set.release(0, held[i]);
            assertThat(set.tryAcquire(0)).as("%d are held", 5 - i).isEqualTo(TagSet.NONE);
        }
        set.release(0, held[3]);
        assertThat(set.tryAcquire(0)).as("2 were held").isNotEqualTo(TagSet.NONE);
        assertThat(set.tryAcquire(0)).isEqualTo(TagSet.NONE);
        List<Integer> seen = new ArrayList<>();
        set.forEachHeld(seen::add);
        assertThat(seen).hasSize(3).contains(held[4], held[5]);
    }

    @Test
    void growthServesThoseWhoWait() {
        for (WakePolicy policy : policies()) {
            log.clear();
            TagSet set = set(8, policy);
            set.resize(2);
            int[] held = fill(set, 0);
            assertThat(held).hasSize(2);
            set.acquire(claim("a"), 2);
            set.acquire(claim("b"), 1);
            set.resize(8);
            set.poll(1);
            assertThat(log).as("%s", policy).containsExactly("a:2", "b:1");
        }
    }

    @Test
    void shrinkBelowWhatIsGatheredForAClaimGivesItAGroup() {
        TagSet set = set(8, WakePolicy.DEFAULT);
        int[] held = fill(set, 0);
        TagClaim a = claim("a");
        set.acquire(a, 8);
        set.release(0, held, 0, 5);
        set.resize(4);
        set.poll(1);
        assertThat(log)
                .as("3 held, 5 gathered, 4 to go out of use: 1 of a group of 4")
                .isEmpty();
        List<Integer> seen = new ArrayList<>();
        set.forEachHeld(seen::add);
        assertThat(seen).containsExactly(held[5], held[6], held[7]);
        set.release(0, held, 5, 3);
        set.poll(1);
        assertThat(log).containsExactly("a:4");
    }

    @Test
    void reservedTagsAreApart() {
        TagSet set = new TagSet(TagDesign.BITMAP, 2, 1, 1, WakePolicy.DEFAULT);
        fill(set, 0);
        set.acquire(claim("a"), 1);
        int reserved = set.tryAcquireReserved(0);
        assertThat(reserved).isEqualTo(2).isEqualTo(set.tagEnd() - 1);
        assertThat(set.tryAcquireReserved(0)).isEqualTo(TagSet.NONE);
        assertThat(set.isHeld(reserved)).isTrue();
        List<Integer> seen = new ArrayList<>();
        set.forEachHeld(seen::add);
        assertThat(seen).containsExactly(0, 1, 2);
        set.release(0, reserved);
        set.poll(1);
        assertThat(log).as("not for those who wait for others").isEmpty();
        assertThat(set.tryAcquireReserved(0)).isEqualTo(reserved);
        assertThat(new TagSet(TagDesign.LOCKED, 1, 0, 1, WakePolicy.DEFAULT).tryAcquireReserved(0))
                .isEqualTo(TagSet.NONE);
    }

    @Test
    void wrongNumbersAreRefused() {
        TagSet set = set(4, WakePolicy.DEFAULT);
        for (int depth : new int[] {0, -1, 5}) {
            assertThatThrownBy(() -> set.resize(depth)).hasMessage("depth must be 1..4: depth=" + depth);
        }
        for (int count : new int[] {0, -1, 65}) {
            assertThatThrownBy(() -> set.acquire(claim("a"), count))
                    .hasMessage("count must be 1..64, the claim's room: count=" + count);
        }
        assertThatThrownBy(() -> set.release(0, 4)).hasMessage("tag must be 0..depth-1: tag=4, depth=4");
        assertThatThrownBy(() -> set.isHeld(4)).hasMessage("tag must be 0..depth-1: tag=4, depth=4");
        assertThatThrownBy(() -> new TagSet(TagDesign.BITMAP, 4, -1, 1, WakePolicy.DEFAULT))
                .hasMessageContaining("reservedCount=-1");
        assertThatThrownBy(() -> TagClaim.blocking(0, WaiterStub.SILENT, 0)).hasMessageContaining("tagsMax=0");
        assertThatThrownBy(() -> TagClaim.polled(0, WaiterStub.SILENT, 1, null)).hasMessageContaining("callback=null");
    }

    @Test
    void rulesThatExcludeOneAnotherAreRefused() {
        assertThatThrownBy(() -> new WakePolicy(false, true, false, false)).hasMessageContaining("wakeByNeed=false");
        assertThatThrownBy(() -> new WakePolicy(true, false, true, false)).hasMessageContaining("noPreemption=false");
        assertThatThrownBy(() -> new WakePolicy(true, false, false, true)).hasMessageContaining("wakeByNeed=true");
    }

    @Test
    void statisticsCountThoseWhoWaited() {
        TagSet set = set(2, WakePolicy.DEFAULT);
        assertThat(set.statistics()).isEqualTo(new TagStatistics(0, 0, 0, 0, 0));
        int[] held = fill(set, 0);
        set.acquire(claim("a"), 1);
        set.acquire(claim("b"), 1);
        set.release(0, held, 0, 2);
        assertThat(set.statistics()).isEqualTo(new TagStatistics(2, 2, 0, 0, 2));
    }
}
