package io.tenfold.linux;

import java.io.IOException;

/** Makes a small ring once, to see whether that is allowed. */
final class RingProbe {
    /** Why there is none, in words for a log; empty if there is. */
    static final String REASON = reason();

    private RingProbe() {}

    private static String reason() {
        try (Uring ring = Uring.open(2, 4)) {
            return ring.sqEntries() < 2 ? "the ring is too small" : "";
        } catch (IOException e) {
            return e.getMessage();
        }
    }
}
