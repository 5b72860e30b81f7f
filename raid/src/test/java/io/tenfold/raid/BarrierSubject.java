package io.tenfold.raid;

import io.tenfold.base.Waiter;

/** A barrier under test, as it is; or with one thing broken, so that whoever tests it must notice. */
class BarrierSubject {
    final IoBarrier barrier;

    BarrierSubject(IoBarrier barrier) {
        this.barrier = barrier;
    }

    int tryEnter(int stripe, long offset, long length) {
        return barrier.tryEnter(stripe, offset, length);
    }

    int pass(int stripe, long offset, long length) {
        return barrier.pass(stripe, offset, length);
    }

    void leave(int stripe, int ticket) {
        barrier.leave(stripe, ticket);
    }

    void attach(int stripe, Waiter owner) {
        barrier.waiters().attach(stripe, owner);
    }

    void start(int stripe) {
        barrier.waiters().start(stripe);
    }

    void stop(int stripe) {
        barrier.waiters().stop(stripe);
    }

    BarrierWindow window(Waiter owner) {
        return new BarrierWindow(owner);
    }

    boolean raise(BarrierWindow window, long from, long to) {
        return barrier.windows().raise(window, from, to);
    }

    boolean forceRaise(BarrierWindow window, long from, long to) {
        return barrier.windows().forceRaise(window, from, to);
    }

    boolean freeze(BarrierWindow window, int held) {
        return barrier.windows().freeze(window, held);
    }

    boolean hold(BarrierWindow window, int held) {
        return barrier.windows().hold(window, held);
    }

    boolean poll(BarrierWindow window) {
        return barrier.windows().poll(window);
    }

    void lower(BarrierWindow window) {
        barrier.windows().lower(window);
    }

    /** What can be broken. */
    enum Fault {
        NONE,
        LETS_EVERYBODY_IN,
        COUNTS_WHO_FAILED_AS_WAITING,
        KEEPS_THE_COUNT_OF_WHO_FAILED,
        WAKES_NO_ENTRY,
        WAKES_NO_RAISER,
        WAKES_AT_EVERY_LEAVE,
        FREEZES_WITHOUT_WAITING,
        FORGETS_WHAT_A_FREEZE_HOLDS,
        OWN_WORK_IS_TURNED_AWAY,
        OVERTAKES_WAITING_ENTRIES,
        FORCES_WITHOUT_LOOKING,
        LEAKS_A_RAISE_TAKEN_BACK,
        RAISES_WITHOUT_WAITING,
    }

    /** A subject with a fault. */
    static BarrierSubject of(IoBarrier barrier, Fault fault) {
        Waiter deaf = new RecordedWaiter();
        return new BarrierSubject(barrier) {
            private BarrierWindow last;

            @Override
            int tryEnter(int stripe, long offset, long length) {
                int ticket = super.tryEnter(stripe, offset, length);
                if (ticket == IoBarrier.TURNED_AWAY) {
                    switch (fault) {
                        case LETS_EVERYBODY_IN -> ticket = super.pass(stripe, offset, length);
                        case KEEPS_THE_COUNT_OF_WHO_FAILED -> super.pass(stripe, offset, length);
                        case COUNTS_WHO_FAILED_AS_WAITING -> super.start(stripe);
                        default -> {}
                    }
                }
                return ticket;
            }

            @Override
            int pass(int stripe, long offset, long length) {
                return fault == Fault.OWN_WORK_IS_TURNED_AWAY
                        ? super.tryEnter(stripe, offset, length)
                        : super.pass(stripe, offset, length);
            }

            @Override
            void leave(int stripe, int ticket) {
                super.leave(stripe, ticket);
                if (fault == Fault.WAKES_AT_EVERY_LEAVE && last != null) {
                    last.owner.wake();
                }
            }

            @Override
            void attach(int stripe, Waiter owner) {
                super.attach(stripe, fault == Fault.WAKES_NO_ENTRY ? deaf : owner);
            }

            @Override
            BarrierWindow window(Waiter owner) {
                last = super.window(fault == Fault.WAKES_NO_RAISER ? deaf : owner);
                return last;
            }

            @Override
            boolean raise(BarrierWindow window, long from, long to) {
                if (fault == Fault.OVERTAKES_WAITING_ENTRIES) {
                    BarrierWindow freeze = super.window(deaf);
                    super.freeze(freeze, Integer.MAX_VALUE);
                    boolean raised = super.forceRaise(window, from, to);
                    super.lower(freeze);
                    return raised;
                }
                return super.raise(window, from, to) || fault == Fault.RAISES_WITHOUT_WAITING;
            }

            @Override
            boolean forceRaise(BarrierWindow window, long from, long to) {
                if (fault == Fault.FORCES_WITHOUT_LOOKING) {
                    BarrierWindow freeze = super.window(deaf);
                    super.freeze(freeze, Integer.MAX_VALUE);
                    boolean raised = super.forceRaise(window, from, to);
                    super.lower(freeze);
                    return raised;
                }
                return fault == Fault.RAISES_WITHOUT_WAITING
                        ? raise(window, from, to)
                        : super.forceRaise(window, from, to);
            }

            @Override
            boolean freeze(BarrierWindow window, int held) {
                return switch (fault) {
                    case FREEZES_WITHOUT_WAITING -> super.freeze(window, Integer.MAX_VALUE);
                    case FORGETS_WHAT_A_FREEZE_HOLDS -> super.freeze(window, 0);
                    default -> super.freeze(window, held);
                };
            }

            @Override
            void lower(BarrierWindow window) {
                if (fault == Fault.LEAKS_A_RAISE_TAKEN_BACK && window.state != BarrierWindow.State.RAISED) {
                    return;
                }
                super.lower(window);
            }
        };
    }
}
