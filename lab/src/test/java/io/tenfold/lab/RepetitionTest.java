package io.tenfold.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Clock;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RepetitionTest {
    @Test
    void everyThreadHasWorkOfItsOwnAndNoMoreIsCountedThanWasDone() throws InterruptedException {
        Set<Integer> indices = ConcurrentHashMap.newKeySet();
        AtomicLong done = new AtomicLong();
        double perSecond = Repetition.perSecond(
                Clock.system(),
                3,
                index -> {
                    indices.add(index);
                    return () -> done.addAndGet(Repetition.BATCH);
                },
                1_000_000,
                20_000_000);
        assertThat(indices).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(perSecond).isPositive();
        assertThat(perSecond * 0.020).as("done in 20 ms or more").isLessThanOrEqualTo((double) done.get());
    }

    @Test
    void childRunsInAJvmOfItsOwnAndItsOutputComesBack() throws IOException {
        assertThat(AtomicAdds.inChild(1, 1, 1, 1)).isPositive();
        assertThat(AtomicAdds.inChild(2, 2, 1, 1)).isPositive();
    }
}
