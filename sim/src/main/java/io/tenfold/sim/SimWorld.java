package io.tenfold.sim;

import io.tenfold.base.Clock;
import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Virtual time and all that happens in it: a queue of events, and shards whose turns are drawn by seed. The same seed
 * and the same code give the same run, to the last nanosecond.
 *
 * <p>Two kinds of shard: a {@linkplain #loop loop} is an event loop whose turns the world calls; its {@code park} notes
 * how long it wants to sleep, and ends the turn. A {@linkplain #caller caller's} shard is for blocking code outside of
 * the loops (a test, an assembly): its {@code park} lets the world go on until it is woken.
 *
 * <p>Threads: one.
 */
public final class SimWorld {
    /** 2026-01-01T00:00Z, when every world begins. */
    private static final long EPOCH_MICROS = 1_767_225_600_000_000L;

    private static final long TURN_NANOS_MIN = 200;
    private static final int TURN_NANOS_SPREAD = 2_000;

    private final long seed;
    private final Prng prng;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<SimShard> loops = new ArrayList<>();
    private final List<SimShard> ready = new ArrayList<>();
    private final Clock clock = new VirtualClock();
    private long now;
    private long fingerprint;
    private boolean inTurn;
    private Consumer<String> watcher;

    /** One turn of an event loop: does what there is to do, and parks the shard if there was nothing. */
    @FunctionalInterface
    public interface Loop {
        void turn(Shard shard);
    }

    private record Event(long at, long order, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    /** A world in which nothing has happened yet. */
    public SimWorld(long seed) {
        this.seed = seed;
        prng = new Prng(seed);
    }

    /** The seed from which this world comes, for messages. */
    public long seed() {
        return seed;
    }

    /** The world's clock. */
    public Clock clock() {
        return clock;
    }

    /** The world's randomness: whoever draws from it is part of what the seed determines. */
    public Prng random() {
        return prng;
    }

    /** A shard for blocking code that runs outside of all loops. */
    public Shard caller(int index) {
        return new SimShard(index, null);
    }

    /** A shard whose turns the world calls from now on. */
    public Shard loop(int index, Loop loop) {
        SimShard shard = new SimShard(index, loop);
        loops.add(shard);
        return shard;
    }

    /** Lets something happen later; events of the same moment come in an order drawn by seed. */
    public void after(long nanos, Runnable what) {
        events.add(new Event(now + nanos, prng.nextLong(), what));
    }

    /** Puts what happened into the {@link #fingerprint}, and tells the watcher if there is one. */
    public void note(String what, Object who, long a, long b, long c) {
        mix(what.hashCode());
        mix(a);
        mix(b);
        mix(c);
        if (watcher != null) {
            watcher.accept(now + " " + who + " " + what + " " + a + " " + b + " " + c);
        }
    }

    /** Two runs with equal fingerprints have had equal histories. */
    public long fingerprint() {
        return fingerprint;
    }

    /** Hands each line of the history to a watcher from now on; for looking at a run that failed. */
    public void watch(Consumer<String> lines) {
        watcher = lines;
    }

    /**
     * Lets the next thing happen: an event that is due, or a turn of a loop; if there is neither, time goes on to the
     * next of them.
     *
     * @return false if nothing will ever happen again
     */
    public boolean step() {
        Event next = events.peek();
        if (next != null && next.at <= now) {
            happen(events.poll());
            return true;
        }
        ready.clear();
        long wakeAt = Long.MAX_VALUE;
        for (SimShard shard : loops) {
            if (shard.isReady()) {
                ready.add(shard);
            }
            wakeAt = Math.min(wakeAt, shard.sleepsUntil);
        }
        if (!ready.isEmpty()) {
            turn(ready.get(prng.below(ready.size())));
            return true;
        }
        wakeAt = next == null ? wakeAt : Math.min(wakeAt, next.at);
        if (wakeAt == Long.MAX_VALUE) {
            return false;
        }
        now = wakeAt;
        return true;
    }

    /** Lets time go on for a while. */
    public void runFor(long nanos) {
        long until = now + nanos;
        runUntil(() -> now >= until, nanos);
    }

    /**
     * Lets time go on until a condition holds.
     *
     * @return whether it came to hold within {@code nanosMax}
     */
    public boolean runUntil(BooleanSupplier condition, long nanosMax) {
        long deadline = nanosMax == Long.MAX_VALUE ? Long.MAX_VALUE : now + nanosMax;
        while (!condition.getAsBoolean()) {
            if (now >= deadline) {
                return false;
            }
            if (!step()) {
                if (deadline == Long.MAX_VALUE) {
                    return false;
                }
                now = deadline;
            }
        }
        return true;
    }

    private void happen(Event event) {
        event.what.run();
    }

    private void turn(SimShard shard) {
        now += TURN_NANOS_MIN + prng.below(TURN_NANOS_SPREAD);
        mix(shard.index);
        mix(now);
        shard.woken = false;
        shard.sleepsUntil = 0;
        inTurn = true;
        try {
            shard.loop.turn(shard);
        } finally {
            inTurn = false;
        }
    }

    private void mix(long value) {
        fingerprint = (fingerprint ^ value) * 0x9E3779B97F4A7C15L;
        fingerprint ^= fingerprint >>> 32;
    }

    private final class VirtualClock implements Clock {
        @Override
        public long nanos() {
            return now;
        }

        @Override
        public long epochMicros() {
            return EPOCH_MICROS + now / 1_000;
        }
    }

    private final class SimShard implements Shard {
        private final int index;
        private final Loop loop;
        private boolean woken;

        /** 0: not asleep. */
        private long sleepsUntil;

        SimShard(int index, Loop loop) {
            this.index = index;
            this.loop = loop;
        }

        boolean isReady() {
            return woken || sleepsUntil <= now;
        }

        @Override
        public int index() {
            return index;
        }

        @Override
        public Clock clock() {
            return clock;
        }

        @Override
        public void park(long nanosMax) {
            if (loop != null) {
                assert inTurn : "a loop's shard parks in its own turn only: shard=" + index;
                sleepsUntil = nanosMax >= Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanosMax;
                return;
            }
            assert !inTurn : "blocking code in a loop's turn: shard=" + index;
            if (!runUntil(() -> woken, nanosMax) && nanosMax == Long.MAX_VALUE) {
                throw new AssertionError("parked for ever: nothing is left that could wake shard=" + index + ", seed="
                        + seed + ", nanos=" + now);
            }
            woken = false;
        }

        @Override
        public void wake() {
            woken = true;
        }

        @Override
        public String toString() {
            return "shard " + index;
        }
    }
}
