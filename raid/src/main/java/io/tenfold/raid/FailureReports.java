package io.tenfold.raid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What channels tell the conductor about members that failed and about ranges that are bad or good again, and how they
 * learn that it has dealt with it. A channel reports and gets a ticket; it keeps its write back until that ticket is handled.
 */
final class FailureReports {
    /*
     * State. first[m]: the earliest report about member m that the conductor has not taken. ranges: those about ranges that
     *   it has not taken. tickets: how many reports were ever made. handled: up to which ticket the conductor has dealt with
     *   all.
     * Order. A reporter sets first[m] or adds to ranges, then draws its ticket (both volatile); the conductor reads tickets,
     *   then takes the slots and ranges. So a report whose ticket was drawn before the conductor's look is in a slot it looks at, or in one that it
     *   has taken before, and then an earlier look deals with it. What the conductor decided (the roster, what is stable)
     *   is written before `handled` and visible to whoever reads it there. Pinned by FailureReportsStress.
     */
    private static final VarHandle TICKETS;

    static {
        try {
            TICKETS = MethodHandles.lookup().findVarHandle(FailureReports.class, "tickets", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AtomicReferenceArray<MemberFailure> first;
    private final ConcurrentLinkedQueue<RangeReport> ranges = new ConcurrentLinkedQueue<>();

    @SuppressWarnings("unused") // By TICKETS.
    private volatile long tickets;

    private volatile long handled;

    FailureReports(int members) {
        first = new AtomicReferenceArray<>(members);
    }

    /**
     * Reports that a member failed. Any thread; the caller then wakes the conductor.
     *
     * @param member its index
     * @return the ticket of this report, above 0
     */
    long report(int member, MemberFailure failure) {
        first.compareAndSet(member, null, failure);
        return (long) TICKETS.getAndAdd(this, 1L) + 1;
    }

    /**
     * Reports what was found out about a range. Any thread, which holds that range of the array until it sees its ticket
     * handled, so that reports about one range do not meet; it then wakes the conductor.
     *
     * @return the ticket of this report, above 0
     */
    long report(RangeReport range) {
        ranges.add(range);
        return (long) TICKETS.getAndAdd(this, 1L) + 1;
    }

    /** The last ticket that was drawn. The conductor, before it takes the reports. */
    long drawn() {
        return tickets;
    }

    /** Takes the report about a member, or null. The conductor. */
    MemberFailure take(int member) {
        return first.get(member) == null ? null : first.getAndSet(member, null);
    }

    /** Takes the oldest report about a range, or null. The conductor. */
    RangeReport takeRange() {
        return ranges.poll();
    }

    /** Everything up to a ticket is dealt with. The conductor. */
    void handled(long ticket) {
        handled = ticket;
    }

    /** Up to which ticket all is dealt with. */
    long handled() {
        return handled;
    }
}
