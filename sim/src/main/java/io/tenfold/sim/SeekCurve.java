package io.tenfold.sim;

/**
 * How long the arm takes for a distance: {@code min + a * sqrt(d - 1) + b * (d - 1)} for d cylinders, 0 for none. The square
 * root is the part in which the arm speeds up and brakes, the line the part in which it travels.
 *
 * <p>a and b come from the three published figures: with a distance of all cylinders the curve gives the full stroke, and its
 * mean over all pairs of cylinders is the average (Lee and Katz, "An Analytic Performance Model of Disk Arrays", 1993).
 */
final class SeekCurve {
    private final long min;
    private final double root;
    private final double line;

    /**
     * A curve through three figures.
     *
     * @param cylinders how many there are, 1 or more
     */
    SeekCurve(long nanosMin, long nanosAverage, long nanosFull, long cylinders) {
        require(nanosMin, nanosAverage, nanosFull);
        min = nanosMin;
        double distance = Math.max(1, cylinders - 1);
        root = (15.0 * nanosAverage - 10.0 * nanosMin - 5.0 * nanosFull) / (3 * Math.sqrt(distance));
        line = (7.0 * nanosMin - 15.0 * nanosAverage + 8.0 * nanosFull) / (3 * distance);
    }

    /** Refuses figures through which there is no such curve: neither part may shorten a longer seek. */
    static void require(long nanosMin, long nanosAverage, long nanosFull) {
        if (15 * nanosAverage < 10 * nanosMin + 5 * nanosFull || 7 * nanosMin + 8 * nanosFull < 15 * nanosAverage) {
            throw new IllegalArgumentException("seek times do not fit one another: seekNanosMin=" + nanosMin
                    + ", seekNanosAverage=" + nanosAverage + ", seekNanosFull=" + nanosFull);
        }
    }

    /** Nanoseconds for a distance in cylinders, 0 or more. */
    long nanos(long distance) {
        if (distance == 0) {
            return 0;
        }
        return min + (long) (root * Math.sqrt(distance - 1.0) + line * (distance - 1.0));
    }
}
