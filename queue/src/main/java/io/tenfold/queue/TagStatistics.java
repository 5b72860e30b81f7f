package io.tenfold.queue;

/**
 * What happened to those who had to wait, since the tags were made. Nothing is counted where nobody waits. Counts of
 * events that happen at the same moment may be short by those.
 *
 * @param waits how often somebody began to wait
 * @param wakeUps how often somebody who waited was woken or given tags
 * @param retries how often somebody who was woken found too few tags and waited again
 * @param overtakes how often a newcomer took tags before those who wait, as there were plenty
 * @param waitingMax most that waited at one time
 */
public record TagStatistics(long waits, long wakeUps, long retries, long overtakes, int waitingMax) {}
