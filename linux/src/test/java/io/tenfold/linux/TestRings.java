package io.tenfold.linux;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tenfold.base.Clock;
import java.io.IOException;

/** Reactors for tests, which are skipped where the machine has none. */
final class TestRings {
    private TestRings() {}

    static RingReactor make(int index, Clock clock) throws IOException {
        assumeTrue(RingReactor.isAvailable(), RingReactor::unavailableBecause);
        return new RingReactor(index, clock);
    }

    static RingReactor make(int index, Clock clock, int sqEntries, int cqEntries, int skip) throws IOException {
        assumeTrue(RingReactor.isAvailable(), RingReactor::unavailableBecause);
        return new RingReactor(index, clock, sqEntries, cqEntries, skip);
    }
}
