package io.tenfold.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class IoVectorTest {
    @Test
    void everyWayOfAdvancingLeavesJustTheRest() {
        try (Arena arena = Arena.ofConfined()) {
            IoVector vector = new IoVector(arena, 3);
            for (int done = 0; done <= 60; done++) {
                for (int before = 0; before <= done; before++) {
                    vector.clear();
                    vector.add(1000, 10);
                    vector.add(2000, 20);
                    vector.add(3000, 30);
                    vector.advance(before);
                    vector.advance(done - before);
                    assertThat(describe(vector))
                            .as("done=%d, before=%d", done, before)
                            .isEqualTo(rest(done));
                }
            }
        }
    }

    private static String describe(IoVector vector) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < vector.count(); i++) {
            text.append(RawMemory.getLong(vector.address() + 16L * i))
                    .append('+')
                    .append(RawMemory.getLong(vector.address() + 16L * i + 8))
                    .append(' ');
        }
        return text.toString();
    }

    private static String rest(int done) {
        StringBuilder text = new StringBuilder();
        int skip = done;
        for (int piece = 1; piece <= 3; piece++) {
            int taken = Math.min(skip, piece * 10);
            skip -= taken;
            if (taken < piece * 10) {
                text.append(piece * 1000 + taken)
                        .append('+')
                        .append(piece * 10 - taken)
                        .append(' ');
            }
        }
        return text.toString();
    }
}
