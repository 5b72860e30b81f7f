package io.tenfold.queue;

import io.tenfold.base.Clock;
import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A device that takes about a millisecond for a group of tags, any number of groups at a time, and completes them on one thread of
 * its own: it gives the tags back there and wakes their submitter. It needs little of a processor.
 */
final class TagDevice implements AutoCloseable {
    /** A group takes this long, give or take a quarter, and what the machine takes to wake the device. */
    static final long SERVICE_NANOS = 1_000_000;

    private static final VarHandle DUE = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int STRIDE = 16;
    private static final long NOTHING = 0;

    private final Clock clock = Clock.system();
    private final TagGate gate;
    private final int shard;
    private final TagGate.Caller[] callers;

    /** When the caller's group is done, NOTHING if it has none; volatile: hands its tags over and back. */
    private final long[] due;

    private final Prng prng = new Prng(1);
    private final Thread thread;
    private volatile Shard self;
    private volatile boolean closed;

    /** Its thread uses the shard after those of the callers. */
    TagDevice(TagGate gate, int callers) {
        this.gate = gate;
        shard = callers;
        this.callers = new TagGate.Caller[callers];
        due = new long[(callers + 2) * STRIDE];
        thread = new Thread(this::run, "device");
        thread.setDaemon(true);
        thread.start();
    }

    /** Holds the caller's tags until they are given back. */
    void serve(TagGate.Caller caller) {
        callers[caller.shard] = caller;
        int cell = cell(caller.shard);
        DUE.setVolatile(due, cell, clock.nanos() | 1); // Never NOTHING.
        Shard device = self;
        if (device != null) { // Else it has not looked yet.
            device.wake();
        }
        while ((long) DUE.getVolatile(due, cell) != NOTHING) {
            caller.park(Long.MAX_VALUE);
        }
    }

    private void run() {
        Shard me = Shard.ofCaller(shard, clock);
        gate.attach(shard, me);
        self = me;
        long[] until = new long[callers.length];
        while (!closed) {
            long now = clock.nanos();
            long next = Long.MAX_VALUE;
            for (int i = 0; i < callers.length; i++) {
                long since = (long) DUE.getVolatile(due, cell(i));
                if (since == NOTHING) {
                    continue;
                }
                if (until[i] == NOTHING) {
                    until[i] = since + SERVICE_NANOS * 3 / 4 + prng.below((int) SERVICE_NANOS / 2);
                }
                if (until[i] <= now) {
                    until[i] = NOTHING;
                    gate.release(shard, callers[i].tags);
                    DUE.setVolatile(due, cell(i), NOTHING);
                    callers[i].wakeForOther();
                } else {
                    next = Math.min(next, until[i] - now);
                }
            }
            me.park(next);
        }
    }

    private static int cell(int caller) {
        return (caller + 1) * STRIDE;
    }

    @Override
    public void close() throws InterruptedException {
        closed = true;
        Shard device = self;
        if (device != null) {
            device.wake();
        }
        thread.join();
    }
}
