package io.tenfold.raid;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Which ranges of a member are known to be bad: an immutable table, replaced as a whole. In bytes of the member, from its
 * first one; ranges are in ascending order and do not touch one another.
 */
final class BadRanges {
    /** None is. */
    static final BadRanges NONE = new BadRanges(new long[0], new long[0]);

    private final long[] starts;
    private final long[] ends;

    private BadRanges(long[] starts, long[] ends) {
        this.starts = starts;
        this.ends = ends;
    }

    /** A table of ranges in any order, which may overlap. */
    static BadRanges of(Collection<BadRange> ranges) {
        BadRanges table = NONE;
        for (BadRange range : ranges) {
            table = table.with(range.startBytes(), range.startBytes() + range.lengthBytes());
        }
        return table;
    }

    /** This, and a range from {@code start} to before {@code end}. */
    BadRanges with(long start, long end) {
        List<BadRange> next = new ArrayList<>();
        long from = start;
        long to = end;
        for (int i = 0; i < starts.length; i++) {
            if (ends[i] < from || starts[i] > to) {
                next.add(new BadRange(starts[i], ends[i] - starts[i]));
            } else {
                from = Math.min(from, starts[i]);
                to = Math.max(to, ends[i]);
            }
        }
        next.add(new BadRange(from, to - from));
        return table(next);
    }

    /** This, without whatever of it lies between {@code start} and {@code end}. */
    BadRanges without(long start, long end) {
        List<BadRange> next = new ArrayList<>();
        for (int i = 0; i < starts.length; i++) {
            if (starts[i] < Math.min(start, ends[i])) {
                next.add(new BadRange(starts[i], Math.min(start, ends[i]) - starts[i]));
            }
            if (ends[i] > Math.max(end, starts[i])) {
                next.add(new BadRange(Math.max(end, starts[i]), ends[i] - Math.max(end, starts[i])));
            }
        }
        return table(next);
    }

    private static BadRanges table(List<BadRange> ranges) {
        BadRange[] sorted = ranges.toArray(BadRange[]::new);
        Arrays.sort(sorted, (a, b) -> Long.compare(a.startBytes(), b.startBytes()));
        return new BadRanges(
                Arrays.stream(sorted).mapToLong(BadRange::startBytes).toArray(),
                Arrays.stream(sorted)
                        .mapToLong(r -> r.startBytes() + r.lengthBytes())
                        .toArray());
    }

    /** Whether any byte of a range is known to be bad. Allocates nothing. */
    boolean touches(long start, long length) {
        if (starts.length == 0) {
            return false;
        }
        int at = Arrays.binarySearch(ends, start + 1); // The first range that ends behind the start.
        int first = at < 0 ? -at - 1 : at;
        return first < starts.length && starts[first] < start + length;
    }

    int count() {
        return starts.length;
    }

    long start(int i) {
        return starts[i];
    }

    /** Behind its last byte. */
    long end(int i) {
        return ends[i];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BadRanges table
                && Arrays.equals(starts, table.starts)
                && Arrays.equals(ends, table.ends);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(starts) + Arrays.hashCode(ends);
    }

    @Override
    public String toString() {
        return Arrays.toString(starts) + " to " + Arrays.toString(ends);
    }
}
