package io.tenfold.raid;

import java.util.List;

/**
 * A member's write-intent bitmap.
 *
 * @param version 3 host order, 4 normal, 5 clustered, 6 lockless
 * @param uuid the array that it says it belongs to
 * @param events counter of its last update
 * @param eventsCleared counter when a bit was last cleared
 * @param state state bits as they stand
 * @param chunkBytes bytes of the array for one bit
 * @param daemonSleepSeconds time between sweeps
 * @param writeBehind most writes ahead of a write-mostly member; 0: none
 * @param syncSectors sectors covered
 * @param bits how many chunks
 * @param dirty how many of them may differ between copies; -1 if that was not to be read
 * @param problems why it is not to be trusted; then every chunk counts as dirty
 */
public record BitmapReport(
        int version,
        MdUuid uuid,
        long events,
        long eventsCleared,
        int state,
        long chunkBytes,
        int daemonSleepSeconds,
        int writeBehind,
        long syncSectors,
        long bits,
        long dirty,
        List<String> problems) {
    public BitmapReport {
        problems = List.copyOf(problems);
    }

    /** Whether its bits say anything about an array whose superblock has these events. */
    public boolean isFresh(long superblockEvents) {
        return problems.isEmpty() && (events == superblockEvents || events == superblockEvents + 1);
    }
}
