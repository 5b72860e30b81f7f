package io.tenfold.lab;

import io.tenfold.base.Clock;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How many atomic additions this machine does: the least that anything must do which counts, or hands out tags, is one of
 * them for each operation.
 */
final class AtomicAdds {
    /** 128 bytes: the pair of lines that an adjacent-line prefetcher brings in. */
    private static final int STRIDE = 16;

    private AtomicAdds() {}

    /** Arguments: threads, words, milliseconds to warm up, milliseconds to measure; prints how many a second. */
    public static void main(String[] arguments) throws InterruptedException {
        int threads = Integer.parseInt(arguments[0]);
        int words = Integer.parseInt(arguments[1]);
        System.out.println(
                perSecond(Clock.system(), threads, words, ChildJvm.nanos(arguments[2]), ChildJvm.nanos(arguments[3])));
    }

    /**
     * Additions a second in a JVM of its own.
     *
     * @throws IOException if the run failed
     */
    static double inChild(int threads, int words, long warmUpMillis, long measureMillis) throws IOException {
        String line = ChildJvm.run(
                AtomicAdds.class,
                String.valueOf(threads),
                String.valueOf(words),
                String.valueOf(warmUpMillis),
                String.valueOf(measureMillis));
        return Double.parseDouble(line.strip());
    }

    /**
     * Additions a second, all threads together.
     *
     * @param words 1: all add to one word; as many as threads: each has its own
     */
    static double perSecond(Clock clock, int threads, int words, long warmUpNanos, long measureNanos)
            throws InterruptedException {
        AtomicLongArray all = new AtomicLongArray((words + 2) * STRIDE);
        return Repetition.perSecond(
                clock,
                threads,
                index -> {
                    int word = (index % words + 1) * STRIDE;
                    return () -> {
                        for (int add = 0; add < Repetition.BATCH; add++) {
                            all.getAndAdd(word, 1);
                        }
                    };
                },
                warmUpNanos,
                measureNanos);
    }
}
