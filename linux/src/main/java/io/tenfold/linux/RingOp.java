package io.tenfold.linux;

/**
 * One operation on a reactor's ring, used again and again: it is filled into an entry, and told the answer.
 *
 * <p>From {@link RingReactor#start} until {@link #answered} the kernel may touch whatever the entry names.
 *
 * <p>Threads: the reactor's.
 */
abstract class RingOp {
    /** Its place in the reactor's table, which goes through the kernel as user data. */
    final int id;

    /** Started and not answered. */
    boolean inFlight;

    /** No more to be started: its place is given away as soon as it is not in flight. */
    boolean retired;

    /** The next in {@link RingReactor}'s list of those that wait for an entry, or of those that have something to tell. */
    RingOp next;

    /** Whether it is in one of them. */
    boolean listed;

    /** What the kernel answered. */
    int result;

    RingOp(RingReactor reactor) {
        id = reactor.enlist(this);
    }

    /** Fills an entry for the kernel; see {@link SqeLayout#fill}. */
    abstract void fill(long sqe);

    /**
     * The kernel has answered: {@link #result} is 0 or more, or {@code -errno}. May come while a method of a channel or
     * listener runs, so it must not call anybody outside this package.
     */
    abstract void answered();

    /** Tells its owner, in the reactor's poll after {@link RingReactor#tell}; answers how many calls that were. */
    int deliver() {
        throw new AssertionError("has nothing to tell: " + this);
    }
}
