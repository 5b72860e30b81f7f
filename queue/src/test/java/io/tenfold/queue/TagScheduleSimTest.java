package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many schedules by seed, see {@link TagSchedule}. */
class TagScheduleSimTest {
    private static final int SCHEDULES = 200_000;
    private static final int SCHEDULES_LONG = 10_000_000;

    @Test
    void nobodyIsForgottenOrOvertakenInManySchedules() {
        explore(SCHEDULES);
    }

    @Test
    @Tag("long")
    void nobodyIsForgottenOrOvertakenInTenMillionSchedules() {
        explore(SCHEDULES_LONG);
    }

    private static void explore(int schedules) {
        Map<String, Integer> withWaiters = new TreeMap<>();
        long waits = 0;
        long resizes = 0;
        for (long seed = 0; seed < schedules; seed++) {
            TagSchedule schedule = new TagSchedule(seed, TagSchedule.Sabotage.NONE);
            schedule.run();
            waits += schedule.waits;
            resizes += schedule.resizes;
            if (schedule.waits > 0) {
                withWaiters.merge(schedule.design + ", " + schedule.policy, 1, Integer::sum);
            }
        }
        System.out.printf(
                "%d schedules, %d claims that waited, %d changes of depth; schedules with a waiter: %s%n",
                schedules, waits, resizes, withWaiters);
        int kinds = TagDesign.values().length * TagSetTest.policies().size();
        assertThat(withWaiters).hasSize(kinds);
        assertThat(withWaiters.values())
                .as("schedules in which somebody waited, of %d, by design and rules: %s", schedules, withWaiters)
                .allMatch(count -> count > schedules / kinds / 2);
    }

    @Test
    void sameSeedGivesTheSameTrace() {
        for (long seed = 0; seed < 200; seed++) {
            assertThat(new TagSchedule(seed, TagSchedule.Sabotage.NONE).run())
                    .as("seed=%d", seed)
                    .isEqualTo(new TagSchedule(seed, TagSchedule.Sabotage.NONE).run());
        }
        assertThat(new TagSchedule(1, TagSchedule.Sabotage.NONE).run())
                .isNotEqualTo(new TagSchedule(2, TagSchedule.Sabotage.NONE).run());
    }

    @ParameterizedTest
    @EnumSource(value = TagSchedule.Sabotage.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void sabotageIsFound(TagSchedule.Sabotage sabotage) {
        String symptom = switch (sabotage) {
            case SILENT_RELEASE -> "waits for ever";
            case UNFAIR_RULE -> "before those who wait";
            case DOUBLE_RELEASE -> "two holders";
            case NONE -> throw new AssertionError("nothing to find");
        };
        assertThatThrownBy(() -> {
                    for (long seed = 0; seed < 1000; seed++) {
                        new TagSchedule(seed, sabotage).run();
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(symptom)
                .hasMessageContaining("seed=");
    }
}
