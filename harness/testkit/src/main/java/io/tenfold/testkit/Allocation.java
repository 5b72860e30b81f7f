package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

/** What the calling thread takes from the heap, to show that a data path takes nothing. */
public final class Allocation {
    /** Batches after which code counts as compiled, even on a machine that has much else to do. */
    private static final int BATCHES_MAX = 200;

    private Allocation() {}

    /**
     * Repeats a batch of operations until one has allocated less than a byte an operation, as it will once the code is
     * compiled; fails if none does.
     *
     * @param operations how many a batch does, some hundreds or more
     */
    public static void assertSoonNone(String what, int operations, Runnable batch) {
        double bytes = Double.MAX_VALUE;
        for (int i = 0; i < BATCHES_MAX && bytes >= 1; i++) {
            long before = ThreadCost.allocatedBytes();
            batch.run();
            bytes = (ThreadCost.allocatedBytes() - before) / (double) operations;
        }
        assertThat(bytes).as("bytes an operation: %s", what).isLessThan(1);
    }
}
