package io.tenfold.queue;

import java.util.ArrayList;
import java.util.List;

/**
 * What each sector of a device may hold: now, and after a loss of power. A sector's content is known by a hash of it.
 *
 * <p>A change of a sector is an entry in its history. What it may hold now is the last change that succeeded, or any that
 * failed since; what may be left without power, all since the last that is known to be stable. Changes of one sector must
 * not overlap in time.
 */
final class SectorModel {
    static final int SECTOR = 512;

    /** Of a discarded sector, whose content nobody knows until it has been read. */
    static final long ANY = 0x0ddba11;

    private final List<History> sectors = new ArrayList<>();

    private static final class History {
        final List<Long> values = new ArrayList<>();

        /** The index of the first in {@link #values}, of all that there ever were; that one is stable. */
        long first;

        /** The index of the last that succeeded. */
        long current;

        boolean mayHold(long from, long value) {
            List<Long> possible = values.subList((int) (from - first), values.size());
            return possible.contains(value) || possible.contains(ANY);
        }

        void stable(long index) {
            if (index > first) {
                values.subList(0, (int) (index - first)).clear();
                first = index;
            }
        }

        long last() {
            return first + values.size() - 1;
        }
    }

    /** All sectors hold the same, stably. */
    SectorModel(int count, long value) {
        for (int i = 0; i < count; i++) {
            History history = new History();
            history.values.add(value);
            sectors.add(history);
        }
    }

    /** A change begins. */
    void begin(int sector, long value) {
        sectors.get(sector).values.add(value);
    }

    /** The last change that began has succeeded. */
    void succeeded(int sector, boolean stable) {
        History history = sectors.get(sector);
        history.current = history.last();
        if (stable) {
            history.stable(history.current);
        }
    }

    /** Whether a read may give this. If several were possible, it is this from now on. */
    boolean mayRead(int sector, long value) {
        History history = sectors.get(sector);
        if (!history.mayHold(history.current, value)) {
            return false;
        }
        if (history.current != history.last() || history.values.getLast() == ANY) {
            history.values.add(value);
            history.current = history.last();
        }
        return true;
    }

    /** Whether this may be left after a loss of power. */
    boolean mayKeep(int sector, long value) {
        History history = sectors.get(sector);
        return history.mayHold(history.first, value);
    }

    /** All that is complete now, for {@link #flushed}. */
    long[] complete() {
        return sectors.stream().mapToLong(history -> history.current).toArray();
    }

    /** A flush has succeeded that began when this was complete. */
    void flushed(long[] complete) {
        for (int i = 0; i < complete.length; i++) {
            sectors.get(i).stable(complete[i]);
        }
    }
}
