package io.tenfold.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ShardTest {
    @Test
    @Timeout(30)
    void wakeBeforeParkEndsThatPark() {
        Shard shard = Shard.ofCaller(0, Clock.system());
        shard.wake();
        shard.park(Long.MAX_VALUE);
    }

    @Test
    @Timeout(30)
    void wakeFromAnotherThreadEndsPark() throws InterruptedException {
        AtomicReference<Shard> shard = new AtomicReference<>();
        Thread sleeper = Thread.ofPlatform().start(() -> {
            shard.set(Shard.ofCaller(0, Clock.system()));
            shard.get().park(Long.MAX_VALUE);
        });
        while (shard.get() == null) {
            Thread.onSpinWait();
        }
        shard.get().wake();
        sleeper.join();
    }

    @Test
    void stripesAddUp() {
        StripedCounter counter = new StripedCounter(3);
        counter.add(0, 5);
        counter.add(2, -2);
        assertThat(counter.sum()).isEqualTo(3);
    }
}
