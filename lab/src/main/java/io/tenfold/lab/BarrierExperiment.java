package io.tenfold.lab;

import io.tenfold.lab.Experiment.Bar;
import io.tenfold.lab.Experiment.Design;
import io.tenfold.lab.Experiment.Role;
import io.tenfold.raid.BarrierDesign;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Experiment A: the designs of the I/O barrier, each request entering and leaving while nothing is raised.
 *
 * <p>Each figure comes from a JVM of its own. The runs go in rounds, each design once in a round for each number of threads
 * and each round beginning with another design, so that what else the machine does hits all alike; a ratio is the median of
 * the rounds' ratios. What is not to be measured here, many cores on several nodes, is predicted: {@link BarrierPrediction}.
 */
public final class BarrierExperiment {
    /** How often and how long. */
    record Effort(int rounds, long warmUpMillis, long measureMillis) {
        static final Effort FULL = new Effort(5, 500, 400);
    }

    /** Where the figures come from. */
    interface Source {
        /** Atomic additions a second, by so many threads on so many words. */
        double adds(int threads, int words) throws IOException;

        /** Pairs of entering and leaving a second, by so many threads. */
        double alone(BarrierDesign design, int threads) throws IOException;
    }

    private record Children(Effort effort) implements Source {
        @Override
        public double adds(int threads, int words) throws IOException {
            return AtomicAdds.inChild(threads, words, effort.warmUpMillis, effort.measureMillis);
        }

        @Override
        public double alone(BarrierDesign design, int threads) throws IOException {
            String line = ChildJvm.run(
                    BarrierRun.class,
                    design.name(),
                    String.valueOf(threads),
                    String.valueOf(effort.warmUpMillis),
                    String.valueOf(effort.measureMillis));
            return Double.parseDouble(line.strip());
        }
    }

    private static final BarrierDesign OURS = BarrierDesign.WINDOWED;
    private static final int[] THREADS = {1, 2, 16};

    private static final String LOAD = String.format(
            Locale.ROOT,
            "the barrier alone on %d processors: a request of 4 KiB enters and leaves at once, each thread on a stripe of its"
                    + " own, all over 1 TiB, while nothing is raised. One JVM for each figure. Does not show: what an array"
                    + " gains, whose requests do more than this; what a window costs; more processors, or several nodes",
            Runtime.getRuntime().availableProcessors());
    private static final String POSTED =
            "2.28 times the random reads of an array, 2.9 -> 6.6 GiB/s (2022, four nodes, 16 jobs); the barrier alone was not"
                    + " posted";

    private final Source source;
    private final int rounds;
    private final Map<String, List<Double>> pairs = new HashMap<>();
    private final List<Double> addsByOne = new ArrayList<>();
    private final List<Double> addsApart = new ArrayList<>();
    private final List<Double> addsTogether = new ArrayList<>();

    private BarrierExperiment(Source source, int rounds) {
        this.source = source;
        this.rounds = rounds;
    }

    /**
     * Runs it, for about a minute and a half.
     *
     * @throws IOException if a run failed
     */
    public static List<Experiment> run(LabProgress progress) throws IOException {
        return run(progress, Effort.FULL);
    }

    static List<Experiment> run(LabProgress progress, Effort effort) throws IOException {
        return run(progress, new Children(effort), effort.rounds);
    }

    static List<Experiment> run(LabProgress progress, Source source, int rounds) throws IOException {
        BarrierExperiment experiment = new BarrierExperiment(source, rounds);
        experiment.measure(progress);
        List<Experiment> results = new ArrayList<>(experiment.results());
        results.addAll(BarrierCurve.experiments());
        return results;
    }

    /** What the designs would make of a machine with four nodes and 64 cores: a prediction, drawn. The same everywhere. */
    public static String drawing() {
        return BarrierCurve.drawing();
    }

    private void measure(LabProgress progress) throws IOException {
        BarrierDesign[] designs = BarrierDesign.values();
        int of = rounds * (designs.length * THREADS.length + 3);
        int done = 0;
        progress.at(done, of);
        for (int round = 0; round < rounds; round++) {
            addsByOne.add(source.adds(1, 1));
            progress.at(++done, of);
            addsApart.add(source.adds(2, 2));
            progress.at(++done, of);
            addsTogether.add(source.adds(2, 1));
            progress.at(++done, of);
            for (int threads : THREADS) {
                for (int i = 0; i < designs.length; i++) {
                    BarrierDesign design = designs[(i + round) % designs.length];
                    pairs.computeIfAbsent(name(design, threads), _ -> new ArrayList<>())
                            .add(source.alone(design, threads));
                    progress.at(++done, of);
                }
            }
        }
    }

    private List<Experiment> results() {
        List<Design> rates = new ArrayList<>();
        for (int threads : THREADS) {
            for (BarrierDesign design : BarrierDesign.values()) {
                String name = name(design, threads);
                rates.add(Design.of(name, role(design), pairs.get(name)));
            }
        }
        List<Bar> bars = List.of(
                Bar.atLeast(2.28, "windowed (default) / spinlock, 2 threads", ratio(2, BarrierDesign.SPINLOCK)),
                Bar.atLeast(2.28, "windowed (default) / spinlock, 16 threads", ratio(16, BarrierDesign.SPINLOCK)),
                Bar.atLeast(4, "windowed (default) / best of the others, 2 threads", ratio(2, others())),
                Bar.atMost(20, "windowed (default), 1 thread, ns a pair", 1e9 / Experiment.median(rates(OURS, 1))));
        return List.of(
                experiment("barrier", "pairs/s", POSTED, rates, bars),
                experiment(
                        "barrier: atomic additions",
                        "a second",
                        "the machine's limit: a pair is two or more",
                        List.of(
                                Design.of("by one thread", Role.OTHER, addsByOne),
                                Design.of("by two threads, each on a word of its own", Role.OTHER, addsApart),
                                Design.of("by two threads, on one word", Role.OTHER, addsTogether)),
                        List.of()),
                experiment(
                        "barrier: processors at work for two threads, by those additions",
                        "processors",
                        "where this is near 1 there was nobody to contend with, and the ratios say little",
                        List.of(Design.of(
                                "two threads apart / one thread",
                                Role.OTHER,
                                Experiment.ratios(addsApart, List.of(addsByOne)))),
                        List.of()));
    }

    private static Experiment experiment(
            String name, String unit, String posted, List<Design> designs, List<Bar> bars) {
        return new Experiment("A", name, LOAD, unit, posted, null, designs, bars);
    }

    private double ratio(int threads, BarrierDesign... others) {
        return Experiment.median(Experiment.ratios(
                rates(OURS, threads),
                Arrays.stream(others).map(other -> rates(other, threads)).toList()));
    }

    private List<Double> rates(BarrierDesign design, int threads) {
        return pairs.get(name(design, threads));
    }

    private static BarrierDesign[] others() {
        return Arrays.stream(BarrierDesign.values())
                .filter(design -> design != OURS)
                .toArray(BarrierDesign[]::new);
    }

    private static String name(BarrierDesign design, int threads) {
        return name(design) + (threads == 1 ? ", 1 thread" : ", " + threads + " threads");
    }

    static String name(BarrierDesign design) {
        return design.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    static Role role(BarrierDesign design) {
        return switch (design) {
            case WINDOWED -> Role.DEFAULT;
            case SPINLOCK -> Role.BASELINE;
            case ATOMIC_PENDING, SEQUENCE_LOCK -> Role.POSTED;
        };
    }
}
