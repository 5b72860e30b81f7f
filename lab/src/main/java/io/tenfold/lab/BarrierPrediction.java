package io.tenfold.lab;

import io.tenfold.raid.BarrierDesign;
import io.tenfold.sim.NumaLine;
import io.tenfold.sim.NumaLock;
import io.tenfold.sim.NumaMachine;
import io.tenfold.sim.NumaModel;
import io.tenfold.sim.NumaStep;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;

/**
 * What the designs of the barrier would make of a machine with four nodes and 64 cores, by a model of its cache lines: each
 * core goes through requests of 4 KiB, and what a request does to lines that cores share is written down for each design.
 *
 * <p>Two figures that nobody has published are set so that the posting's come out: what a request costs besides the barrier, by
 * the sequence lock's 6.6 GiB/s; then what handing over a lock costs, by the 2.9 GiB/s of what it replaced, which was
 * {@link BarrierDesign#ATOMIC_PENDING}. All else is a prediction.
 */
final class BarrierPrediction {
    /** Of the posting: jobs, and GiB/s before and after. */
    static final int POSTED_CORES = 16;

    static final double POSTED_BEFORE = 2.9;
    static final double POSTED_AFTER = 6.6;

    private static final double GIB_PER_REQUEST = 4096.0 / (1 << 30);
    private static final long SEED = 2022;
    private static final long NANOS_MAX = 100_000;

    private final NumaModel model;
    private final long requestNanos;

    /**
     * A machine and its load.
     *
     * @param requestNanos what a request costs besides the barrier, on the average
     */
    BarrierPrediction(NumaModel model, long requestNanos) {
        this.model = model;
        this.requestNanos = requestNanos;
    }

    /**
     * Finds the two figures for a machine.
     *
     * @throws IllegalArgumentException if the posting's figures cannot come out, as lines alone cost more
     */
    static BarrierPrediction calibrated(NumaModel machine) {
        NumaModel model = machine.withHandOverNanos(0);
        long request = first(nanos ->
                new BarrierPrediction(model, nanos).atPosting(BarrierDesign.SEQUENCE_LOCK, SEED) <= POSTED_AFTER);
        LongFunction<BarrierPrediction> withHandOver =
                nanos -> new BarrierPrediction(model.withHandOverNanos(nanos), request);
        BarrierPrediction found = withHandOver.apply(first(
                nanos -> withHandOver.apply(nanos).atPosting(BarrierDesign.ATOMIC_PENDING, SEED) <= POSTED_BEFORE));
        if (found.requestNanos == 0 || found.model.handOverNanos() == 0) {
            throw new IllegalArgumentException(
                    "on this machine lines alone cost more than was posted: model=" + machine);
        }
        return found;
    }

    private static long first(LongPredicate holds) {
        long below = -1;
        long at = NANOS_MAX;
        while (at - below > 1) {
            long middle = (below + at) / 2;
            if (holds.test(middle)) {
                at = middle;
            } else {
                below = middle;
            }
        }
        return at;
    }

    NumaModel model() {
        return model;
    }

    long requestNanos() {
        return requestNanos;
    }

    private double atPosting(BarrierDesign design, long seed) {
        return gibPerSecond(design, POSTED_CORES, seed);
    }

    /** What so many cores read by 4 KiB, all together, if nothing but they and the lines between them is a limit. */
    double gibPerSecond(BarrierDesign design, int cores, long seed) {
        NumaMachine machine = new NumaMachine(model, seed);
        Lines lines = new Lines(machine);
        for (int core = 0; core < cores; core++) {
            machine.start(lines.request(design, requestNanos, machine.line()));
        }
        return machine.roundsPerSecond(50L * cores, 5_000) * GIB_PER_REQUEST;
    }

    /** The lines that cores share. As in the kernel the lock, the counts and what is raised lie in one. */
    private static final class Lines {
        private final NumaLine state;
        private final NumaLock lock;
        private final NumaLine waiters;
        private final NumaLock waitersLock;

        Lines(NumaMachine machine) {
            state = machine.line();
            lock = machine.lock(state);
            waiters = machine.line();
            waitersLock = machine.lock(waiters);
        }

        /**
         * What a request does: half of its work, entering, the other half, leaving.
         *
         * @param own the line of the core's own counts
         */
        List<NumaStep> request(BarrierDesign design, long nanos, NumaLine own) {
            List<NumaStep> steps = new ArrayList<>();
            steps.add(new NumaStep.Work(nanos / 2));
            steps.addAll(enter(design, own));
            steps.add(new NumaStep.Work(nanos - nanos / 2));
            steps.addAll(leave(design, own));
            return steps;
        }

        private List<NumaStep> enter(BarrierDesign design, NumaLine own) {
            return switch (design) {
                case WINDOWED -> List.of(new NumaStep.Read(state), new NumaStep.Change(own), new NumaStep.Read(state));
                case SPINLOCK, ATOMIC_PENDING ->
                    List.of(new NumaStep.Take(lock), new NumaStep.Change(state), new NumaStep.Give(lock));
                case SEQUENCE_LOCK ->
                    List.of(new NumaStep.Read(state), new NumaStep.Change(state), new NumaStep.Read(state));
            };
        }

        private List<NumaStep> leave(BarrierDesign design, NumaLine own) {
            return switch (design) {
                case WINDOWED -> List.of(new NumaStep.Change(own), new NumaStep.Read(waiters));
                case SPINLOCK ->
                    List.of(
                            new NumaStep.Take(lock),
                            new NumaStep.Change(state),
                            new NumaStep.Give(lock),
                            new NumaStep.Take(waitersLock),
                            new NumaStep.Read(waiters),
                            new NumaStep.Give(waitersLock));
                case ATOMIC_PENDING -> List.of(new NumaStep.Change(state));
                case SEQUENCE_LOCK -> List.of(new NumaStep.Change(state), new NumaStep.Read(waiters));
            };
        }
    }
}
