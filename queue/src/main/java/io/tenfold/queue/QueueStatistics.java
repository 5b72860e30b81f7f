package io.tenfold.queue;

/**
 * What a queue has done since it was made. Exact while nothing is in flight.
 *
 * @param requests requests that were committed, flushes included
 * @param merged requests that went to the device within another's piece
 * @param pieces pieces that were made, each of which held a tag; those sent again count once
 * @param requeues how often a piece was sent again after it had failed
 * @param refusals how often the device had no room
 * @param flushes flushes that went to the device
 * @param late how often a piece or flush was found to take longer than it may
 * @param tags what happened to those who waited for tags
 */
public record QueueStatistics(
        long requests,
        long merged,
        long pieces,
        long requeues,
        long refusals,
        long flushes,
        long late,
        TagStatistics tags) {}
