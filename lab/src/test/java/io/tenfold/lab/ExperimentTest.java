package io.tenfold.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.lab.Experiment.Bar;
import io.tenfold.lab.Experiment.Design;
import io.tenfold.lab.Experiment.Role;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExperimentTest {
    @Test
    void designIsItsMedianWithTheEndsOfWhatWasMeasured() {
        assertThat(Design.of("a", Role.OTHER, List.of(3.0, 1.0, 9.0))).isEqualTo(new Design("a", Role.OTHER, 3, 1, 9));
        assertThat(Design.of("a", Role.OTHER, List.of(4.0, 1.0, 2.0, 9.0)))
                .isEqualTo(new Design("a", Role.OTHER, 3, 1, 9));
    }

    @Test
    void barIsMetOnItsBound() {
        assertThat(Bar.atLeast(74, "share", 74).met()).isTrue();
        assertThat(Bar.atLeast(74, "share", 73.9).met()).isFalse();
        assertThat(Bar.atMost(30, "share", 30).met()).isTrue();
        assertThat(Bar.atMost(30, "share", 30.1).met()).isFalse();
        assertThat(Bar.atLeast(1, "ratio", Double.NaN).met()).isFalse();
    }

    @Test
    void oneMissedBarIsEnough() {
        assertThat(experiment(Bar.atLeast(1, "a", 2), Bar.atMost(1, "b", 1)).allMet())
                .isTrue();
        assertThat(experiment(Bar.atLeast(1, "a", 2), Bar.atMost(1, "b", 2)).allMet())
                .isFalse();
    }

    private static Experiment experiment(Bar... bars) {
        return new Experiment("C", "n", "l", "u", "p", null, List.of(), List.of(bars));
    }
}
