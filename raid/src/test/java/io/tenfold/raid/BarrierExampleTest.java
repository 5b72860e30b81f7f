package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The examples of docs/barrier.md, which are these methods' text, do what the page says. */
class BarrierExampleTest {
    private final Shard loop = Shard.ofCaller(0, Clock.system());
    private final IoBarrier barrier = BarrierDesign.WINDOWED.create(1);

    @Test
    void examplesWork() {
        assertThat(io(0)).isTrue();
        resync(0, 4096);
        BarrierWindow other = new BarrierWindow(loop);
        barrier.windows().raise(other, 0, 4096);
        assertThat(io(0)).as("kept for later").isFalse();
        assertThat(io(4096)).as("beside the window").isTrue();
    }

    @Test
    void pageShowsThisText() throws Exception {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("mvnw"))) {
            root = root.getParent();
        }
        String page = text(Files.readString(root.resolve("docs/barrier.md")));
        String source = Files.readString(root.resolve("raid/src/test/java/io/tenfold/raid/BarrierExampleTest.java"));
        String[] parts = source.split("// example: (?:begin|end)\n");
        assertThat(parts).hasSize(5);
        assertThat(page).contains(text(parts[1])).contains(text(parts[3]));
    }

    private static String text(String lines) {
        return lines.lines().map(String::strip).filter(line -> !line.isEmpty()).collect(Collectors.joining("\n"));
    }

    private boolean io(long offset) {
        // example: begin
        barrier.waiters().attach(0, loop); // Once: whom to wake.

        int ticket = barrier.tryEnter(0, offset, 4096);
        if (ticket == IoBarrier.TURNED_AWAY) {
            barrier.waiters().start(0); // Says that it waits, then tries once more.
            ticket = barrier.tryEnter(0, offset, 4096);
            if (ticket == IoBarrier.TURNED_AWAY) {
                return false; // Kept for later: tried again whenever the loop is woken.
            }
            barrier.waiters().stop(0);
        }
        barrier.leave(0, ticket); // When the last copy has answered.
        // example: end
        return true;
    }

    private void resync(long from, long to) {
        // example: begin
        BarrierWindow window = new BarrierWindow(loop); // Made once.

        boolean raised = barrier.windows().raise(window, from, to);
        while (!raised) {
            loop.park(Long.MAX_VALUE); // Or other work; it is woken when there is something new.
            raised = barrier.windows().poll(window);
        }
        barrier.windows().lower(window); // On every path, also if it was never raised.
        // example: end
    }
}
