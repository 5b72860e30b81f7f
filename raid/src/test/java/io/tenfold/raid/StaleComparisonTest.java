package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.testkit.Corpus;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StaleComparisonTest {
    @TempDir
    Path directory;

    private Images unpack(String set) throws Exception {
        return Images.of(Corpus.open().unpack(set, directory));
    }

    private static LeftOut left(ArrayPlan plan, String name) {
        return plan.leftOut().stream()
                .filter(l -> l.member().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void memberThatMissedAWholeRewriteDiffersThroughout() throws Exception {
        try (Images images = unpack("near2-4-stale")) {
            ArrayPlan plan = images.examine().assemble();
            LeftOut left = left(plan, "m1.img");
            assertThat(StaleComparison.of(plan, left, Images.SHARD)).isEqualTo(new StaleComparison(176, 176, 0, 65536));
            assertThat(left.text()).contains("events=17", "events=22", "only a comparison tells what differs");
        }
    }

    @Test
    void memberThatMissedTwoMebibytesDiffersInItsHalfOfThemAndTheBitmapSaysSo() throws Exception {
        try (Images images = unpack("near2-4-stale-bitmap")) {
            ArrayPlan plan = images.examine().assemble();
            LeftOut left = left(plan, "m2.img");
            assertThat(StaleComparison.of(plan, left, Images.SHARD)).isEqualTo(new StaleComparison(176, 16, 0, 65536));
            assertThat(left.text()).contains("by the bitmap, at most 16 of 352 chunks of 64 KiB differ");
        }
    }

    @Test
    void oneChangedByteIsOneChunkInEveryLayout() throws Exception {
        Layout[] layouts = {Layout.near(2), Layout.far(2), Layout.offset(2), Layout.near(3)};
        for (Layout layout : layouts) {
            try (Images images = new Images()) {
                TestArrays.make(images, layout, 5, "1.2");
                TestArrays.edit(images, e -> e.events(9).role(3, Superblock.ROLE_FAULTY), "m0", "m1", "m2", "m4");
                images.memory("m3").set(ValueLayout.JAVA_BYTE, (1 << 20) + 5 * 65536 + 17, (byte) 1);
                ArrayPlan plan = images.examine().assemble();
                StaleComparison comparison = StaleComparison.of(plan, left(plan, "m3"), Images.SHARD);
                assertThat(comparison.different()).as("%s", layout).isEqualTo(1);
                assertThat(comparison.unreadable()).isZero();
                assertThat(comparison.chunks()).isBetween(47L, 48L);
            }
        }
    }

    @Test
    void memberOfAnotherShapeIsRefused() throws Exception {
        try (Images images = new Images()) {
            TestArrays.make(images, Layout.near(2), 4, "1.2");
            TestArrays.edit(images, e -> e.events(9), "m0", "m2", "m3");
            TestArrays.edit(images, e -> e.put64(80, 128), "m1");
            ArrayPlan plan = images.examine().assemble();
            assertThatThrownBy(() -> StaleComparison.of(plan, left(plan, "m1"), Images.SHARD))
                    .isInstanceOf(RefusedException.class)
                    .hasMessage("cannot compare m1: it is of another shape than the array: size=128");
        }
    }
}
