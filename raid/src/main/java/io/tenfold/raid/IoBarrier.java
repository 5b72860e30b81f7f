package io.tenfold.raid;

/**
 * Keeps ordinary I/O out of the part of an array that resync, recovery or a repair works on: I/O enters and leaves, the
 * array's own work raises and lowers a window ({@link #windows}), and only I/O inside the window waits. A freeze keeps all
 * of it out.
 *
 * <p>Promises, as long as whoever entered leaves without waiting for a window, and whoever raised lowers without waiting for
 * I/O that it keeps out:
 * <ul>
 *   <li>While a window is raised no ordinary I/O is inside it.
 *   <li>No wake-up is lost: who is turned away, announces itself, tries again and parks is woken when a window is lowered;
 *       who raises is woken when there is something new to {@link WindowRaiser#poll}.
 *   <li>Nobody starves: the rule is at {@link WindowRaiser}.
 * </ul>
 *
 * <p>Stripes: every call names one, {@code 0 .. stripes-1}, by the index of the calling shard. A stripe belongs to one thread,
 * which alone enters, leaves and waits on it. {@link #leave} is called on the stripe that entered.
 *
 * <p>Four designs stand behind this interface so that they can be measured side by side: {@link BarrierDesign} names them.
 * The three older ones follow the kernel's RAID10, and like it stop the whole array for every window.
 *
 * <p>Nothing is allocated by the calls here. Failures are values; only misuse throws.
 */
public sealed interface IoBarrier permits WindowedBarrier, SpinlockBarrier, AtomicPendingBarrier, SequenceBarrier {
    /** The answer of {@link #tryEnter} when a window is raised there. */
    int TURNED_AWAY = -1;

    /**
     * Enters for a range if no window covers any of it. Never blocks, and leaves no trace if it fails: who fails is not
     * counted as waiting, and may just as well answer "try again" to its client.
     *
     * @param offset bytes from the array's start, 0 or more
     * @param length bytes, above 0
     * @return a ticket for {@link #leave}, 0 or more; or {@link #TURNED_AWAY}
     */
    int tryEnter(int stripe, long offset, long length);

    /**
     * Enters whatever is raised: for the array's own work (the retry of a read, a bitmap write), which would otherwise wait
     * for itself. It counts as inside like any other.
     *
     * @return a ticket for {@link #leave}
     */
    int pass(int stripe, long offset, long length);

    /**
     * Leaves.
     *
     * @param ticket what entering answered, used once
     * @throws IllegalStateException if more leave than have entered
     */
    void leave(int stripe, int ticket);

    /** Who was turned away and waits. */
    EntryWaiters waiters();

    /** The side of those who raise windows. */
    WindowRaiser windows();

    /**
     * Enters as {@link #tryEnter} does, and parks on the stripe's waiter for as long as it is turned away. For threads that
     * may block, never for an event loop.
     *
     * @throws IllegalStateException if it must wait and no waiter is attached to the stripe
     */
    default int enter(int stripe, long offset, long length) {
        int ticket = tryEnter(stripe, offset, length);
        if (ticket == TURNED_AWAY) {
            waiters().start(stripe);
            try {
                while ((ticket = tryEnter(stripe, offset, length)) == TURNED_AWAY) {
                    waiters().park(stripe);
                }
            } finally {
                waiters().stop(stripe);
            }
        }
        return ticket;
    }
}
