package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many schedules by seed, see {@link BarrierSchedule}. */
class BarrierScheduleSimTest {
    private static final int SCHEDULES = 5_000;
    private static final int SCHEDULES_LONG = 500_000;

    @ParameterizedTest
    @EnumSource(BarrierDesign.class)
    void noOverlapNoLostWakeNoStarvationInManySchedules(BarrierDesign design) {
        explore(design, SCHEDULES);
    }

    @ParameterizedTest
    @EnumSource(BarrierDesign.class)
    @Tag("long")
    void noOverlapNoLostWakeNoStarvationInHalfAMillionSchedules(BarrierDesign design) {
        explore(design, SCHEDULES_LONG);
    }

    private static void explore(BarrierDesign design, int schedules) {
        int entriesWaited = 0;
        int raisesWaited = 0;
        for (long seed = 0; seed < schedules; seed++) {
            BarrierSchedule schedule = new BarrierSchedule(seed, design, BarrierSubject.Fault.NONE);
            schedule.run();
            entriesWaited += Math.min(schedule.entriesWaited, 1);
            raisesWaited += Math.min(schedule.raisesWaited, 1);
        }
        assertThat(entriesWaited).as("schedules in which I/O waited").isGreaterThan(schedules / 2);
        assertThat(raisesWaited).as("schedules in which a window waited").isGreaterThan(schedules / 2);
    }

    @Test
    void sameSeedGivesTheSameTrace() {
        for (long seed = 0; seed < 100; seed++) {
            assertThat(trace(seed)).as("seed=%d", seed).isEqualTo(trace(seed));
        }
        assertThat(trace(1)).isNotEqualTo(trace(2));
    }

    private static long trace(long seed) {
        return new BarrierSchedule(seed, BarrierDesign.WINDOWED, BarrierSubject.Fault.NONE).run();
    }

    @ParameterizedTest
    @EnumSource(
            value = BarrierSubject.Fault.class,
            names = {
                "LETS_EVERYBODY_IN",
                "RAISES_WITHOUT_WAITING",
                "FREEZES_WITHOUT_WAITING",
                "WAKES_NO_ENTRY",
                "WAKES_NO_RAISER",
                "KEEPS_THE_COUNT_OF_WHO_FAILED",
                "COUNTS_WHO_FAILED_AS_WAITING",
                "OVERTAKES_WAITING_ENTRIES"
            })
    void faultIsFound(BarrierSubject.Fault fault) {
        String symptom = switch (fault) {
            case LETS_EVERYBODY_IN, RAISES_WITHOUT_WAITING, FREEZES_WITHOUT_WAITING -> "overlap";
            case OVERTAKES_WAITING_ENTRIES -> "overtakes";
            default -> "(sleeps for ever|starves)"; // I/O may go on where windows do not.
        };
        for (BarrierDesign design : BarrierDesign.values()) {
            assertThatThrownBy(() -> {
                        for (long seed = 0; seed < 500; seed++) {
                            new BarrierSchedule(seed, design, fault).run();
                        }
                    })
                    .isInstanceOf(AssertionError.class)
                    .hasMessageMatching(symptom + ".*seed=\\d+");
        }
    }
}
