package io.tenfold.raid;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The side of {@link IoBarrier} of those who raise windows: whose turn it is, what is raised, who is to be woken. The same
 * for all designs, which differ in how I/O is counted and kept out.
 *
 * <p>Nothing blocks here but {@link #await}. An event loop raises, and if that answers false polls whenever the window's
 * owner is woken.
 *
 * <p>Whose turn it is:
 * <ul>
 *   <li>Windows are raised one after another, first come first served; each keeps I/O out from its turn on.
 *   <li>A window that is not forced has no turn while any I/O waits. So I/O that waits gets in, at the latest, when all
 *       windows are lowered that were raised when it came.
 *   <li>I/O that comes while nothing is raised there does not wait. So a window gets its turn once those have got in who
 *       waited for the windows before it, however much I/O comes.
 *   <li>A forced window goes before all that have had no turn, even while I/O waits. Only who works in a raised window may
 *       force another one, which is nested in the first: that is lowered no later for it.
 *   <li>A freeze takes effect at once.
 *   <li>{@link #WINDOWS_MAX} windows are raised at the most, forced ones included; more wait for one to be lowered.
 * </ul>
 *
 * <p>Windows may overlap: this keeps I/O out of them, not their owners out of one another's. A freeze does not wait for
 * windows to be lowered.
 *
 * <p>Threads: any; calls for one window come from one thread at a time.
 */
public final class WindowRaiser {
    /*
     * State. All but `drainers` and `next` is guarded by the design's lock.
     *   field    | written  | read by                    | pairs with
     *   drainers | volatile | who leaves                 | R1
     *   next     | volatile | who stops waiting to enter | R2
     *
     * Invariants
     *   W1  drainers are just those that have had their turn and are not raised yet: freezes, and `draining`.
     *   W2  At most one window that is no freeze drains at a time: WindowedBarrier's progress needs it.
     * Order
     *   R1  No wake of a raiser is lost. Dekker's: the raiser stores `drainers`, then looks at the counts (hasDrained); who
     *       leaves, or takes a count back that it was not to have, changes its count, then reads `drainers`. All volatile.
     *       Both must be so on every path: the kernel's first sequence lock hung where a count was taken back.
     *   R2  EntryWaiters E2.
     * Progress. Short critical sections, off the path of I/O.
     */
    /** The most windows that are raised at once. */
    public static final int WINDOWS_MAX = 32;

    /** What a design does for its raisers. All but the first are called with the lock held. */
    interface Gate {
        /** Takes the lock that guards what is raised. */
        void lock();

        /** Gives it back. */
        void unlock();

        /** Keeps out, from now on, I/O in these and no others. Volatile stores. */
        void show(List<BarrierWindow> raised);

        /** Whether all has left that was inside when the window was first shown. Volatile loads of the counts. */
        boolean hasDrained(BarrierWindow window);
    }

    private static final BarrierWindow[] NOBODY = {};

    private final Gate gate;
    private final EntryWaiters waiters;
    private final ArrayDeque<BarrierWindow> queue = new ArrayDeque<>();
    private final List<BarrierWindow> shown = new ArrayList<>();
    private BarrierWindow draining;
    private volatile BarrierWindow[] drainers = NOBODY;
    private volatile BarrierWindow next;

    WindowRaiser(int stripes, Gate gate) {
        this.gate = gate;
        waiters = new EntryWaiters(stripes, this);
    }

    /**
     * Asks for a window to be raised.
     *
     * @param window not raised
     * @param from first byte of the array in it, 0 or more
     * @param to first byte after it, above {@code from}
     * @return true: raised; false: {@link #poll}
     */
    public boolean raise(BarrierWindow window, long from, long to) {
        return begin(window, from, to, false);
    }

    /**
     * Asks for a window to be raised ahead of those that wait for their turn and of I/O that waits. For who works in a raised
     * window.
     *
     * @return true: raised; false: {@link #poll}
     * @throws IllegalStateException if nothing is raised. That is looked at under the lock: the kernel's assertion looked
     *     without, and failed on a barrier that another had just lowered
     */
    public boolean forceRaise(BarrierWindow window, long from, long to) {
        return begin(window, from, to, true);
    }

    /**
     * Keeps all I/O out, at once, and waits until no more than {@code held} are inside: those that the caller itself holds,
     * or that wait for it. {@link #lower} ends it. Freezes may overlap one another, but only one of them may hold I/O: two that
     * do would wait for one another.
     *
     * @param held 0 or more; {@link #hold} changes it
     * @return true: frozen; false: {@link #poll}
     */
    public boolean freeze(BarrierWindow window, int held) {
        checkHeld(held);
        gate.lock();
        try {
            checkIdle(window);
            set(window, 0, Long.MAX_VALUE, true, held);
            window.state = BarrierWindow.State.DRAINING;
            shown.add(window);
            showDrainers();
            gate.show(shown);
            advance(window);
            return window.state == BarrierWindow.State.RAISED;
        } finally {
            gate.unlock();
        }
    }

    /** Changes how many a freeze does not wait for, as one more I/O turns out to wait for its owner; then polls. */
    public boolean hold(BarrierWindow freeze, int held) {
        checkHeld(held);
        gate.lock();
        try {
            if (!freeze.freeze) {
                throw new IllegalStateException("only a freeze leaves some inside: held=" + held);
            }
            freeze.held = held;
        } finally {
            gate.unlock();
        }
        return poll(freeze);
    }

    /**
     * Goes on with a window that was asked for.
     *
     * @return whether it is raised; if not, its owner will be woken
     */
    public boolean poll(BarrierWindow window) {
        gate.lock();
        try {
            checkAsked(window);
            advance(window);
            return window.state == BarrierWindow.State.RAISED;
        } finally {
            gate.unlock();
        }
    }

    /** Parks on the window's owner until it is raised. The owner's thread, if it may block. */
    public void await(BarrierWindow window) {
        while (!poll(window)) {
            window.owner.park(Long.MAX_VALUE);
        }
    }

    /** Lowers a window, or takes back that it was asked for; wakes who waits to enter. */
    public void lower(BarrierWindow window) {
        boolean wasShown;
        gate.lock();
        try {
            checkAsked(window);
            window.state = BarrierWindow.State.IDLE;
            wasShown = shown.remove(window);
            if (wasShown) {
                gate.show(shown);
            } else {
                queue.remove(window);
            }
            if (next == window) {
                next = null;
            }
            if (draining == window) {
                draining = null;
            }
            showDrainers();
            advance(window);
        } finally {
            gate.unlock();
        }
        if (wasShown) {
            waiters.wake();
        }
    }

    EntryWaiters waiters() {
        return waiters;
    }

    /** Wakes who waits for I/O to leave. Called after every change of a count that may be the last. */
    void left(boolean lastOfCount) {
        BarrierWindow[] seen = drainers; // R1
        if (seen.length != 0) {
            wake(seen, lastOfCount);
        }
    }

    /** Whether a freeze waits for I/O to leave. */
    boolean freezes() {
        for (BarrierWindow window : drainers) { // R1
            if (window.freeze) {
                return true;
            }
        }
        return false;
    }

    /** Wakes who waits for its turn, as somebody waits no more. */
    void wakeNext() {
        BarrierWindow seen = next; // R2
        if (seen != null) {
            seen.owner.wake();
        }
    }

    private static void wake(BarrierWindow[] drainers, boolean lastOfCount) {
        for (BarrierWindow window : drainers) {
            if (lastOfCount || window.freeze) {
                window.owner.wake();
            }
        }
    }

    private boolean begin(BarrierWindow window, long from, long to, boolean forced) {
        if (from < 0 || to <= from) {
            throw new IllegalArgumentException("window must not be empty: from=" + from + ", to=" + to);
        }
        gate.lock();
        try {
            checkIdle(window);
            if (forced && !anyRaised()) {
                throw new IllegalStateException(
                        "only who works in a raised window may force another: from=" + from + ", to=" + to);
            }
            set(window, from, to, false, 0);
            window.forced = forced;
            window.state = BarrierWindow.State.QUEUED;
            if (forced) {
                queue.addFirst(window);
            } else {
                queue.addLast(window);
            }
            advance(window);
            return window.state == BarrierWindow.State.RAISED;
        } finally {
            gate.unlock();
        }
    }

    private static void set(BarrierWindow window, long from, long to, boolean freeze, int held) {
        window.from = from;
        window.to = to;
        window.freeze = freeze;
        window.forced = false;
        window.held = held;
        window.step = 0;
    }

    private boolean anyRaised() {
        for (BarrierWindow window : shown) {
            if (window.state == BarrierWindow.State.RAISED) {
                return true;
            }
        }
        return false;
    }

    /** Does all that can be done now, for every window; wakes the owners of those that it raised. */
    private void advance(BarrierWindow caller) {
        for (BarrierWindow window : shown) {
            if (window.freeze && window.state == BarrierWindow.State.DRAINING && gate.hasDrained(window)) {
                finish(window, caller);
            }
        }
        while (draining == null ? mayBegin() : gate.hasDrained(draining)) {
            if (draining == null) {
                draining = queue.removeFirst(); // W2
                draining.state = BarrierWindow.State.DRAINING;
                next = null;
                shown.add(draining);
                showDrainers();
                gate.show(shown);
            } else {
                BarrierWindow done = draining;
                draining = null;
                finish(done, caller);
            }
        }
    }

    /** Whether the first in the queue has its turn. If I/O stands before it, the last of that will wake its owner. */
    private boolean mayBegin() {
        BarrierWindow first = queue.peekFirst();
        if (first == null || windowsShown() >= WINDOWS_MAX) {
            return false;
        }
        if (first.forced || !waiters.anybody()) {
            return true;
        }
        next = first;
        return !waiters.anybody(); // R2
    }

    private int windowsShown() {
        int count = 0;
        for (BarrierWindow window : shown) {
            count += window.freeze ? 0 : 1;
        }
        return count;
    }

    private void finish(BarrierWindow window, BarrierWindow caller) {
        window.state = BarrierWindow.State.RAISED;
        showDrainers();
        if (window != caller) {
            window.owner.wake();
        }
    }

    private void showDrainers() {
        List<BarrierWindow> found = new ArrayList<>();
        for (BarrierWindow window : shown) {
            if (window.state == BarrierWindow.State.DRAINING) {
                found.add(window);
            }
        }
        drainers = found.isEmpty() ? NOBODY : found.toArray(NOBODY); // W1, R1
    }

    private static void checkIdle(BarrierWindow window) {
        if (window.state != BarrierWindow.State.IDLE) {
            throw new IllegalStateException("window is in use: state=" + window.state);
        }
    }

    private void checkAsked(BarrierWindow window) {
        if (window.state == BarrierWindow.State.IDLE || !(shown.contains(window) || queue.contains(window))) {
            throw new IllegalStateException("window was not raised here: state=" + window.state);
        }
    }

    private static void checkHeld(int held) {
        if (held < 0) {
            throw new IllegalArgumentException("held must not be negative: held=" + held);
        }
    }
}
