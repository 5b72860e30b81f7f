package io.tenfold.raid;

import static io.tenfold.raid.md.MdSuperblock.SECTOR;

import io.tenfold.raid.md.BadBlockLog;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The entries of one member's bad-block log as they lie on the member, slot by slot, and the way from there to another list.
 *
 * <p>A write of a log may be torn by a power loss: any of its sectors may be old. So a list is changed in steps, and whatever
 * mixture of the old and the new sectors is left names everything that both name. First, what is to be added goes into slots
 * that are free or say what another slot says too. Then, in a second write, slots that say too much are made to repeat
 * another or, at the end, freed.
 *
 * <p>Threads: the conductor's.
 */
final class BadBlockSlots {
    private final int capacity;
    private final int shift;
    private final List<Long> slots = new ArrayList<>();

    /**
     * A log as it was read.
     *
     * @param ranges in the order of their slots
     * @param shift units are sectors shifted left by this
     */
    BadBlockSlots(int capacity, int shift, List<BadRange> ranges) {
        this.capacity = capacity;
        this.shift = shift;
        for (BadRange range : ranges) {
            slots.add(BadBlockLog.entry(sectors(range.startBytes(), range.startBytes() + range.lengthBytes()), shift));
        }
    }

    private static BadBlockLog.Range sectors(long start, long end) {
        return new BadBlockLog.Range(start / SECTOR, (end - start) / SECTOR);
    }

    private Set<Long> entries(BadRanges table) {
        Set<Long> entries = new LinkedHashSet<>();
        for (int i = 0; i < table.count(); i++) {
            entries.addAll(BadBlockLog.entries(sectors(table.start(i), table.end(i)), shift));
        }
        return entries;
    }

    /** Whether there is room for all that is new in a list, while what is not in it any more is still there. */
    boolean hasRoomFor(BadRanges table) {
        Set<Long> all = new HashSet<>(slots);
        all.addAll(entries(table));
        return all.size() <= capacity;
    }

    /**
     * Takes the next step, the last one being that nothing is left to do. Each step is to be stable on the member before the
     * next is taken.
     *
     * @param table not empty, with room for all of it
     * @return whether there is something to be written now
     */
    boolean step(BadRanges table) {
        Set<Long> wanted = entries(table);
        Set<Long> missing = new LinkedHashSet<>(wanted);
        slots.forEach(missing::remove);
        if (!missing.isEmpty()) {
            add(missing);
            return true;
        }
        return tidy(wanted);
    }

    private void add(Set<Long> missing) {
        Set<Long> seen = new HashSet<>();
        List<Integer> spare = new ArrayList<>();
        for (int i = 0; i < slots.size(); i++) {
            if (!seen.add(slots.get(i))) {
                spare.add(i);
            }
        }
        for (long entry : missing) {
            if (spare.isEmpty()) {
                slots.add(entry);
            } else {
                slots.set(spare.removeFirst(), entry);
            }
        }
    }

    private boolean tidy(Set<Long> wanted) {
        List<Long> before = List.copyOf(slots);
        Set<Long> seen = new HashSet<>();
        int last = 0;
        for (int i = 0; i < slots.size(); i++) {
            if (!wanted.contains(slots.get(i))) {
                slots.set(i, wanted.iterator().next());
            } else if (seen.add(slots.get(i))) {
                last = i;
            }
        }
        slots.subList(last + 1, slots.size()).clear();
        return !slots.equals(before);
    }

    /** Forgets all: the superblock says that nobody is to look at the log any more. */
    void clear() {
        slots.clear();
    }

    /** What is to be written. */
    byte[] bytes() {
        return BadBlockLog.bytes(slots, capacity * BadBlockLog.ENTRY);
    }
}
