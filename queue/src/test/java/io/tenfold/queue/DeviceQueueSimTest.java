package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.queue.WatchedDevice.Sabotage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many lives by seed, see {@link QueueLife}. */
class DeviceQueueSimTest {
    private static final int LIVES = 300;
    private static final int LIVES_LONG = 20_000;

    @Test
    void everyPromiseIsKeptInManyLives() {
        explore(LIVES);
    }

    @Test
    @Tag("long")
    void everyPromiseIsKeptInManyMoreLives() {
        explore(LIVES_LONG);
    }

    private static void explore(int lives) {
        long requests = 0;
        long cut = 0;
        for (long seed = 0; seed < lives; seed++) {
            QueueLife life = live(seed, Sabotage.NONE);
            requests += life.ended;
            cut += life.cut;
        }
        assertThat(requests).as("requests of %d lives", lives).isGreaterThan(100L * lives);
        assertThat(cut).as("requests that were cut, of %d", requests).isGreaterThan(requests / 10);
    }

    @Test
    void sameSeedGivesTheSameLife() {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(live(seed, Sabotage.NONE).world.fingerprint())
                    .as("seed=%d", seed)
                    .isEqualTo(live(seed, Sabotage.NONE).world.fingerprint());
        }
        assertThat(live(1, Sabotage.NONE).world.fingerprint())
                .isNotEqualTo(live(2, Sabotage.NONE).world.fingerprint());
    }

    @ParameterizedTest
    @EnumSource(value = Sabotage.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void sabotageIsFound(Sabotage sabotage) {
        String symptom = switch (sabotage) {
            case DROP_FLUSH, DROP_FUA -> "lost what was stable";
            case LOSE_PIECE, SHIFT_PIECE -> "was not written|lost what was stable";
            case LOSE_COMPLETION, LOSE_WAKE -> "never end";
            case TWICE -> "without being in flight";
            case WRONG_DEPTH -> "too many at the device";
            case WRONG_PROMISE -> "before all pieces are made|in between";
            case WRONG_STOP -> "while the queue is stopped";
            case NONE -> throw new AssertionError("nothing to find");
        };
        assertThatThrownBy(() -> {
                    for (long seed = 0; seed < 200; seed++) {
                        live(seed, sabotage);
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageMatching("(?s).*(" + symptom + ").*");
    }

    private static QueueLife live(long seed, Sabotage sabotage) {
        QueueLife life = new QueueLife(seed, sabotage);
        life.run();
        return life;
    }
}
