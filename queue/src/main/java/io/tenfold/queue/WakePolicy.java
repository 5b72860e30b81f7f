package io.tenfold.queue;

/**
 * Which of those who wait for tags are woken, and who may take tags before them. Each rule is a step of a posting of 2022
 * about large random I/O, and a flag, so that its effect can be measured alone.
 *
 * @param wakeByNeed freed tags wake as many of the first waiters as they satisfy; else every eight freed tags wake eight
 *     waiters (fewer where the depth is smaller), however many tags each needs
 * @param noPreemption a newcomer waits if anybody waits, and freed tags go to the first waiter without being let go of;
 *     needs wakeByNeed
 * @param preemptWhenPlenty a newcomer need not wait while there are enough tags for all that wait and for him; needs
 *     noPreemption. As freed tags go to the first waiter at once, that is so only for the moment in which they are on
 *     their way; the flag spares newcomers that moment
 * @param strictOrder a newcomer waits if anybody waits, and the first waiter gets tags one by one as they come free,
 *     until he has all; what the posting's reviewers asked for instead of the other three, and excludes them
 */
public record WakePolicy(boolean wakeByNeed, boolean noPreemption, boolean preemptWhenPlenty, boolean strictOrder) {
    /** As it was: eight at a time, and whoever comes first takes a freed tag. */
    public static final WakePolicy ORIGINAL = new WakePolicy(false, false, false, false);

    /** Waiters are woken by what they need, but newcomers may still be quicker. */
    public static final WakePolicy BY_NEED = new WakePolicy(true, false, false, false);

    /** Nobody takes a tag before those who wait. */
    public static final WakePolicy NO_PREEMPTION = new WakePolicy(true, true, false, false);

    /** The default: nobody takes a tag that somebody who waits will need. */
    public static final WakePolicy DEFAULT = new WakePolicy(true, true, true, false);

    /** Strict order, with no account of what is needed. */
    public static final WakePolicy STRICT = new WakePolicy(false, false, false, true);

    public WakePolicy {
        if (noPreemption && !wakeByNeed) {
            throw new IllegalArgumentException("noPreemption hands tags to who needs them: wakeByNeed=false");
        }
        if (preemptWhenPlenty && !noPreemption) {
            throw new IllegalArgumentException("preemptWhenPlenty is an exception from a rule: noPreemption=false");
        }
        if (strictOrder && wakeByNeed) {
            throw new IllegalArgumentException("strictOrder keeps no account of needs: wakeByNeed=true");
        }
    }

    /** Whether freed tags are handed to a waiter, rather than left for him to take. */
    boolean handsOver() {
        return noPreemption || strictOrder;
    }
}
