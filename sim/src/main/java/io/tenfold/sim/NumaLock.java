package io.tenfold.sim;

import java.util.ArrayDeque;

/**
 * A lock of a {@link NumaMachine} for which cores queue, as a kernel's spinning locks do: each waits on a line of its own, and
 * the holder wakes the next. It lies in a line that may hold other things, too.
 */
public final class NumaLock {
    final NumaLine line;
    final ArrayDeque<Integer> queue = new ArrayDeque<>();

    /** The core that has it, or -1. */
    int holder = -1;

    NumaLock(NumaLine line) {
        this.line = line;
    }
}
