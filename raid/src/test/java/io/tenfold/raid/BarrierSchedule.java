package io.tenfold.raid;

import io.tenfold.base.Prng;
import io.tenfold.base.Waiter;
import java.util.ArrayList;
import java.util.List;

/**
 * A seeded schedule of resync, a freezer and loops that do I/O, in one thread: at every step somebody who is awake does one
 * thing. Checked throughout: no I/O inside a raised window; nobody sleeps for ever; nobody is overtaken against the rule; every
 * window is raised, however much I/O comes.
 *
 * <p>What goes on within one call is Lincheck's part.
 */
final class BarrierSchedule {
    private static final long REGION = 64L << 20;
    private static final int STEPS_MAX = 200_000;

    private final Prng prng;
    private final String name;
    private final BarrierSubject barrier;
    private final List<Loop> loops = new ArrayList<>();
    private final List<Raiser> raisers = new ArrayList<>();
    private long trace;

    /** How often I/O had to wait, and windows had to. */
    int entriesWaited;

    int raisesWaited;

    BarrierSchedule(long seed, BarrierDesign design, BarrierSubject.Fault fault) {
        prng = new Prng(seed);
        name = design + ", fault=" + fault + ", seed=" + seed;
        int stripes = 1 + prng.below(4);
        barrier = BarrierSubject.of(design.create(stripes), fault);
        for (int stripe = 0; stripe < stripes; stripe++) {
            loops.add(new Loop(stripe));
        }
        int count = 1 + prng.below(3);
        for (int i = 0; i < count; i++) {
            raisers.add(new Raiser(i == 1 && prng.oneIn(2))); // Of two who hold I/O each would wait for the other.
        }
    }

    /** Runs until all windows were raised and lowered and all I/O is done. A number that tells schedules apart. */
    long run() {
        for (int step = 0; step < STEPS_MAX; step++) {
            boolean more = raisers.stream().anyMatch(raiser -> raiser.left > 0 || raiser.state != Raiser.IDLE);
            List<Actor> awake = new ArrayList<>();
            loops.stream().filter(loop -> loop.canStep(more)).forEach(awake::add);
            raisers.stream().filter(Raiser::canStep).forEach(awake::add);
            if (awake.isEmpty()) {
                check(!more && loops.stream().allMatch(Loop::isDone), "sleeps for ever");
                return trace;
            }
            int chosen = prng.below(awake.size());
            boolean waits = loops.stream().anyMatch(loop -> loop.announced > 0);
            awake.get(chosen).step();
            trace = trace * 31 + chosen;
            raisers.forEach(raiser -> raiser.checkTurn(waits));
        }
        throw new AssertionError("starves: steps=" + STEPS_MAX + ", " + name);
    }

    private void check(boolean right, String symptom) {
        if (!right) {
            throw new AssertionError(symptom + ": " + name);
        }
    }

    /** Somebody with a loop of its own, which sleeps when it has nothing to do. */
    private interface Actor {
        void step();
    }

    private static final class Bell implements Waiter {
        private boolean rung;

        @Override
        public void park(long nanosMax) {
            throw new AssertionError("nobody parks here");
        }

        @Override
        public void wake() {
            rung = true;
        }
    }

    /** A request: where it lies, its ticket once it is inside, and whether a freezer holds it. */
    private static final class Io {
        final long offset;
        final long length;
        int ticket = IoBarrier.TURNED_AWAY;
        boolean own;
        boolean held;

        Io(long offset, long length) {
            this.offset = offset;
            this.length = length;
        }

        boolean overlaps(long from, long to) {
            return offset < to && offset + length > from;
        }
    }

    /** An event loop: starts requests without end while windows come, keeps those that are turned away, completes others. */
    private final class Loop implements Actor {
        final int stripe;
        final Bell bell = new Bell();
        final List<Io> inside = new ArrayList<>();
        final List<Io> parked = new ArrayList<>();
        int announced;

        /** Parked requests before this one have been tried since the last wake. */
        int tried;

        Io failed;
        boolean failedIsAnnounced;
        boolean more;

        Loop(int stripe) {
            this.stripe = stripe;
            barrier.attach(stripe, bell);
        }

        boolean canStep(boolean windowsCome) {
            more = windowsCome;
            return (windowsCome && inside.size() + parked.size() < 6)
                    || failed != null
                    || tried < parked.size()
                    || bell.rung
                    || completable() != null;
        }

        boolean isDone() {
            return parked.isEmpty() && inside.isEmpty() && failed == null;
        }

        private Io completable() {
            for (Io io : inside) {
                if (!io.held) {
                    return io;
                }
            }
            return null;
        }

        @Override
        public void step() {
            if (failed != null) {
                announceOrTryAgain();
            } else if (tried < parked.size()) {
                retry();
            } else if (bell.rung && prng.oneIn(2)) {
                bell.rung = false;
                tried = 0;
            } else if (completable() != null && prng.oneIn(2)) {
                Io io = completable();
                inside.remove(io);
                barrier.leave(stripe, io.ticket);
            } else if (more && inside.size() + parked.size() < 6) {
                submit();
            }
        }

        private void submit() {
            Io io = new Io(
                    prng.below(4) * REGION + prng.below(4) * 4096L,
                    prng.oneIn(8) ? REGION : 4096L * (1 + prng.below(3)));
            if (prng.oneIn(10)) {
                io.own = true;
                io.ticket = barrier.pass(stripe, io.offset, io.length);
                inside.add(io);
            } else if (!enters(io) && !prng.oneIn(4)) { // One in four is told to try again, and does not.
                failed = io;
            }
        }

        private boolean enters(Io io) {
            io.ticket = barrier.tryEnter(stripe, io.offset, io.length);
            if (io.ticket == IoBarrier.TURNED_AWAY) {
                return false;
            }
            for (Raiser raiser : raisers) {
                check(!raiser.keepsOut(io), "overlap");
            }
            inside.add(io);
            return true;
        }

        /** First announces what failed; in the next step tries it again, and keeps it. */
        private void announceOrTryAgain() {
            Io io = failed;
            if (!failedIsAnnounced) {
                barrier.start(stripe);
                announced++;
                entriesWaited++;
                failedIsAnnounced = true;
                return;
            }
            failedIsAnnounced = false;
            failed = null;
            if (enters(io)) {
                stopWaiting();
            } else {
                parked.add(io);
                tried = parked.size();
            }
        }

        private void retry() {
            Io io = parked.get(tried);
            if (enters(io)) {
                parked.remove(io);
                stopWaiting();
            } else {
                tried++;
            }
        }

        private void stopWaiting() {
            barrier.stop(stripe);
            announced--;
        }
    }

    /** Resync, which raises window after window, at times nested ones; or one that freezes the array. */
    private final class Raiser implements Actor {
        static final int IDLE = 0;
        static final int ASKED = 1;
        static final int RAISED = 2;

        final boolean freezes;
        final Bell bell = new Bell();
        final Bell nestedBell = new Bell();
        final BarrierWindow window = barrier.window(bell);
        final BarrierWindow nested = barrier.window(nestedBell);
        int left = 2 + prng.below(4);
        int state = IDLE;
        boolean nestedAsked;
        boolean nestedRaised;
        BarrierWindow.State before = BarrierWindow.State.IDLE;

        Raiser(boolean freezes) {
            this.freezes = freezes;
        }

        boolean keepsOut(Io io) {
            return (state == RAISED && io.overlaps(window.from, window.to))
                    || (nestedRaised && io.overlaps(nested.from, nested.to));
        }

        /** A window that is not forced begins only while nobody waits to enter. */
        void checkTurn(boolean entriesWaited) {
            if (before != window.state) {
                boolean wasOutside = before == BarrierWindow.State.IDLE || before == BarrierWindow.State.QUEUED;
                boolean isShown =
                        window.state == BarrierWindow.State.DRAINING || window.state == BarrierWindow.State.RAISED;
                check(freezes || !(wasOutside && isShown && entriesWaited), "overtakes");
                before = window.state;
            }
        }

        boolean canStep() {
            return state == IDLE ? left > 0 : state == RAISED || bell.rung;
        }

        @Override
        public void step() {
            if (state == IDLE) {
                ask();
            } else if (state == ASKED) {
                bell.rung = false;
                if (prng.oneIn(20)) {
                    end(); // Given up on the way: nothing may stay raised.
                } else if (barrier.poll(window)) {
                    raised();
                }
            } else if (nestedAsked && !nestedRaised) {
                goOnWithNested();
            } else if (!nestedAsked && !freezes && prng.oneIn(4)) {
                nestedAsked = true;
                long from = prng.below(4) * REGION;
                nestedRaised = barrier.forceRaise(nested, from, from + 8192);
                checkNested();
            } else if (prng.oneIn(3)) {
                end();
            }
        }

        private void ask() {
            left--;
            long from = prng.below(4) * REGION;
            boolean now = freezes ? freeze() : barrier.raise(window, from, from + 4096L * (1 + prng.below(4)));
            state = ASKED;
            if (now) {
                raised();
            } else {
                raisesWaited++;
            }
        }

        /** Some of those inside wait for the freezer, as a failed read does; they complete when it is done. */
        private boolean freeze() {
            int held = 0;
            for (Loop loop : loops) {
                for (Io io : loop.inside) {
                    if (!io.held && prng.oneIn(3)) {
                        io.held = true;
                        held++;
                        mine.add(io);
                    }
                }
            }
            return barrier.freeze(window, held);
        }

        private final List<Io> mine = new ArrayList<>();

        private void raised() {
            state = RAISED;
            int others = 0;
            for (Loop loop : loops) {
                for (Io io : loop.inside) {
                    if (freezes) {
                        others += mine.contains(io) || io.own ? 0 : 1;
                    } else {
                        check(io.own || !io.overlaps(window.from, window.to), "overlap");
                    }
                }
            }
            check(others == 0, "overlap");
        }

        private void goOnWithNested() {
            nestedBell.rung = false;
            nestedRaised = barrier.poll(nested);
            checkNested();
            if (!nestedRaised && prng.oneIn(8)) {
                barrier.lower(nested);
                nestedAsked = false;
            }
        }

        private void checkNested() {
            if (nestedRaised) {
                for (Loop loop : loops) {
                    for (Io io : loop.inside) {
                        check(io.own || !io.overlaps(nested.from, nested.to), "overlap");
                    }
                }
            }
        }

        private void end() {
            if (nestedAsked) {
                barrier.lower(nested);
                nestedAsked = false;
                nestedRaised = false;
            }
            barrier.lower(window);
            state = IDLE;
            bell.rung = false;
            mine.forEach(io -> io.held = false);
            mine.clear();
        }
    }
}
