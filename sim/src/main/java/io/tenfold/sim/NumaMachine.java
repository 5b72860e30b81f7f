package io.tenfold.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * A machine of several nodes whose cores each go through a list of steps again and again, in virtual time: a model of what
 * sharing cache lines costs. Lines and locks serve who comes first; requests for the same moment come in an order drawn by
 * seed. Real hardware prefers cores that are near, and hides some of the waiting: neither is in the model, nor is the
 * width of the links between nodes.
 *
 * <p>Threads: one.
 */
public final class NumaMachine {
    private final NumaModel model;
    private final SimWorld world;
    private final List<Core> cores = new ArrayList<>();
    private long rounds;

    /** A machine on which nothing runs. */
    public NumaMachine(NumaModel model, long seed) {
        this.model = model;
        world = new SimWorld(seed);
    }

    /** A line that nobody has used. */
    public NumaLine line() {
        return new NumaLine(model);
    }

    /** A lock that nobody has, in a line. */
    public NumaLock lock(NumaLine line) {
        return new NumaLock(line);
    }

    /**
     * Lets the next core go through some steps from now on, again and again.
     *
     * @param steps must take time
     * @throws IllegalStateException if there are no more cores
     */
    public void start(List<NumaStep> steps) {
        if (cores.size() == model.cores()) {
            throw new IllegalStateException("all cores are in use: cores=" + model.cores());
        }
        Core core = new Core(cores.size(), List.copyOf(steps));
        cores.add(core);
        world.after(0, core::step);
    }

    /**
     * How often a second cores come to the end of their steps, all of them together.
     *
     * @param warmUpRounds how many rounds of all cores go before those that count
     * @param measureRounds how many count, above 0
     */
    public double roundsPerSecond(long warmUpRounds, long measureRounds) {
        runTo(rounds + warmUpRounds);
        long before = rounds;
        long start = world.clock().nanos();
        runTo(before + measureRounds);
        return (rounds - before) * 1e9 / (world.clock().nanos() - start);
    }

    private void runTo(long end) {
        while (rounds < end) {
            if (!world.step()) {
                throw new IllegalStateException("all cores wait for ever: rounds=" + rounds + ", seed=" + world.seed());
            }
        }
    }

    private final class Core {
        private final int index;
        private final List<NumaStep> steps;
        private int next;

        Core(int index, List<NumaStep> steps) {
            this.index = index;
            this.steps = steps;
        }

        void step() {
            long now = world.clock().nanos();
            switch (steps.get(next)) {
                case NumaStep.Read(NumaLine line) -> done(line.read(index, now));
                case NumaStep.Change(NumaLine line) -> done(line.change(index, now));
                case NumaStep.Work(long nanos) ->
                    done(now + nanos / 2 + world.random().below(nanos + 1));
                case NumaStep.Take(NumaLock lock) -> take(lock, now);
                case NumaStep.Give(NumaLock lock) -> give(lock, now);
            }
        }

        /** At some moment the step will be done, and the next begins. */
        private void done(long at) {
            world.after(at - world.clock().nanos(), this::finish);
        }

        private void finish() {
            next++;
            if (next == steps.size()) {
                next = 0;
                rounds++;
            }
            step();
        }

        /** The line comes here in any case: to take the lock, or to join the queue. */
        private void take(NumaLock lock, long now) {
            long there = lock.line.change(index, now);
            if (lock.holder == -1) {
                lock.holder = index;
                done(there);
            } else {
                lock.queue.addLast(index);
            }
        }

        /** The next holder is told, which moves the line to it. */
        private void give(NumaLock lock, long now) {
            if (lock.holder != index) {
                throw new IllegalStateException("only who has a lock gives it: core=" + index + ", has=" + lock.holder);
            }
            long there = lock.line.change(index, now);
            world.after(there - now, () -> {
                passOn(lock);
                finish();
            });
        }

        private void passOn(NumaLock lock) {
            lock.holder = -1;
            if (!lock.queue.isEmpty()) {
                Core core = cores.get(lock.queue.removeFirst());
                lock.holder = core.index;
                long there = lock.line.change(core.index, world.clock().nanos());
                core.done(there + model.handOverNanos());
            }
        }
    }
}
