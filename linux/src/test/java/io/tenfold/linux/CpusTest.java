package io.tenfold.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class CpusTest {
    @Test
    void asManyAsTheJvmCounts() throws IOException {
        assertThat(Cpus.isAvailable()).isTrue();
        // The JVM also heeds a container's share of time, and then counts fewer.
        assertThat(Cpus.allowed())
                .isSorted()
                .hasSizeGreaterThanOrEqualTo(Runtime.getRuntime().availableProcessors());
    }

    @Test
    void pinnedThreadIsOnItsCpuAndMayUseNoOther() throws Exception {
        for (int cpu : Cpus.allowed()) {
            AtomicReference<Object> outcome = new AtomicReference<>();
            Thread thread = Thread.ofPlatform().start(() -> {
                try {
                    Cpus.pin(cpu);
                    outcome.set(Cpus.current() == cpu ? Cpus.allowed() : "on another: " + Cpus.current());
                } catch (IOException e) {
                    outcome.set(e);
                }
            });
            thread.join();
            assertThat(outcome.get()).isEqualTo(new int[] {cpu});
        }
    }

    @Test
    void cpuThatIsNotThereIsRefused() {
        assertThatThrownBy(() -> Cpus.pin(100_000))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cpu=100000")
                .hasMessageContaining("Invalid argument");
        assertThatThrownBy(() -> Cpus.pin(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
