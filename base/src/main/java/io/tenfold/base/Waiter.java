package io.tenfold.base;

/**
 * How one thread sleeps until it is wanted. Wake-ups are not counted and never lost: a {@link #wake} that comes before
 * {@link #park} makes that park return at once.
 */
public interface Waiter {
    /**
     * Sleeps until woken, until something this waiter watches happens, or until the time is up; may return early
     * without a cause. Called by the owner only.
     *
     * @param nanosMax longest sleep in nanoseconds; 0 looks once and returns; {@link Long#MAX_VALUE} is without limit
     */
    void park(long nanosMax);

    /**
     * Ends the owner's present or next {@link #park}. Any thread. What the caller wrote before is visible to the owner
     * after that park.
     */
    void wake();
}
