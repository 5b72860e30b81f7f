package io.tenfold.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PrngTest {
    @Test
    void sameSeedGivesTheSequenceOfThePublishedAlgorithm() {
        Prng prng = new Prng(1234567);
        assertThat(prng.nextLong()).isEqualTo(6457827717110365317L);
        assertThat(prng.nextLong()).isEqualTo(3203168211198807973L);
    }

    @Test
    void belowStaysInRangeAndReachesBothEnds() {
        Prng prng = new Prng(7);
        boolean[] seen = new boolean[5];
        for (int i = 0; i < 1000; i++) {
            seen[prng.below(5)] = true;
        }
        assertThat(seen).containsOnly(true);
    }

    @Test
    void boundOfZeroIsRejected() {
        assertThatThrownBy(() -> new Prng(1).below(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bound=0");
    }
}
