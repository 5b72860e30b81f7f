package io.tenfold.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Decides whether an owner may sleep and whether a waker must ring: the part of {@link Waiter} that is the same for
 * every way of sleeping. A wake while the owner is awake costs no system call and is not lost.
 *
 * <p>Owner: {@code if (flag.enter()) { sleep until rung } flag.leave();}. Waker: {@code if (flag.wake()) { ring }}. The
 * ring must be remembered if it comes before the sleep, as an eventfd and a selector do; it may come late, and then
 * ends some later sleep early.
 */
public final class WakeFlag {
    /*
     * State. AWAKE: nobody sleeps and no wake is pending. ASLEEP: the owner has entered. WOKEN: a wake is pending.
     *
     * Invariants
     *   W1  enter() answers false if a wake() came since the last leave(): it can only turn AWAKE into ASLEEP.
     *   W2  Of the wakes that find the owner ASLEEP, the first answers true and so rings; the others find WOKEN.
     *       So an owner that is ASLEEP and not rung has had no wake.
     * Order. All three are volatile-mode read-modify-writes of one word, hence in one total order: what a waker wrote
     *   before wake() is visible after the enter() that failed, or the leave() that followed the sleep. Release/acquire
     *   was refused: the waker's look (was he asleep?) and the owner's (was I woken?) are the two halves of Dekker's
     *   handshake, and on this word both must be one step with the store. Pinned by WakeFlagStress.
     * Progress. Wait-free: one atomic instruction each.
     */
    private static final VarHandle STATE;

    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int WOKEN = 2;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(WakeFlag.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // By STATE.
    private volatile int state;

    /** An owner that is awake and has no wake pending. */
    public WakeFlag() {}

    /** Owner: about to sleep. False: a wake has come, do not. Either way {@link #leave} follows. */
    public boolean enter() {
        return STATE.compareAndSet(this, AWAKE, ASLEEP);
    }

    /** Owner: awake again; the wakes that came so far are answered by this. */
    public void leave() {
        STATE.getAndSet(this, AWAKE);
    }

    /** Any thread: ends the owner's present or next sleep. True: it sleeps, so the caller must ring. */
    public boolean wake() {
        return (int) STATE.getAndSet(this, WOKEN) == ASLEEP;
    }
}
