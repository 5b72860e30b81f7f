package io.tenfold.lab;

import io.tenfold.lab.Experiment.Bar;
import io.tenfold.lab.Experiment.Design;
import io.tenfold.lab.Experiment.Role;
import io.tenfold.queue.TagDesign;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Experiment D: designs of tags behind the whole queue, on a null device, where twelve submitters want six times as many tags
 * as there are, and where there are plenty. The posting does not say how many its submitters wanted; that it saw a fifth of the
 * rate with few tags says that they were short of them most of the time.
 *
 * <p>Each design runs in a JVM of its own. The runs go in rounds, each design once in a round and each round beginning with
 * another, so that what else the machine does hits all alike; a ratio is the median of the rounds' ratios.
 */
public final class TagsExperiment {
    /** How often and how long. The compiler shares the processors with all submitters, and so needs its time to warm up. */
    record Effort(int rounds, long warmUpMillis, long measureMillis) {
        static final Effort FULL = new Effort(3, 2_000, 700);
    }

    private static final int THREADS = 12;
    private static final int WINDOW = 32;
    private static final int SCARCE = 64;
    private static final int PLENTY = 2048;
    private static final List<Integer> DEPTHS = List.of(SCARCE, PLENTY);
    private static final TagDesign OURS = TagDesign.BITMAP;

    private static final String LOAD = String.format(
            Locale.ROOT,
            "%d threads on %d processors, each with %d reads of 4 KiB in flight or wanted, none next to another, on one"
                    + " queue with a hardware queue a thread over a null device, under the default rules of waiting; a"
                    + " thread completes up to %d of its reads at a time and sends them again, and sleeps when none of"
                    + " them has a tag. One JVM for each run. Does not show: what a real device, or more processors,"
                    + " make of it",
            THREADS,
            Runtime.getRuntime().availableProcessors(),
            WINDOW,
            TagsLoad.BATCH);
    private static final String POSTED =
            "800k -> 1470k IOPS at depth 64, 4470k -> 4340k at depth 2048" + " (2013, two sockets, 12 submitters)";

    private final Effort effort;
    private final Map<Integer, Map<TagDesign, List<TagsLoad.Outcome>>> outcomes = new LinkedHashMap<>();
    private final List<Double> addsAlone = new ArrayList<>();
    private final List<Double> addsTogether = new ArrayList<>();

    private TagsExperiment(Effort effort) {
        this.effort = effort;
        for (int depth : DEPTHS) {
            Map<TagDesign, List<TagsLoad.Outcome>> byDesign = new LinkedHashMap<>();
            for (TagDesign design : TagDesign.values()) {
                byDesign.put(design, new ArrayList<>());
            }
            outcomes.put(depth, byDesign);
        }
    }

    /**
     * Runs it, for about two minutes.
     *
     * @throws IOException if a run failed
     */
    public static List<Experiment> run(LabProgress progress) throws IOException {
        return run(progress, Effort.FULL);
    }

    static List<Experiment> run(LabProgress progress, Effort effort) throws IOException {
        TagsExperiment experiment = new TagsExperiment(effort);
        experiment.measure(progress);
        return experiment.results();
    }

    private void measure(LabProgress progress) throws IOException {
        TagDesign[] designs = TagDesign.values();
        int of = effort.rounds * (designs.length * DEPTHS.size() + 2);
        int done = 0;
        for (int round = 0; round < effort.rounds; round++) {
            progress.at(done, of);
            addsAlone.add(adds(1));
            progress.at(++done, of);
            addsTogether.add(adds(2));
            progress.at(++done, of);
            for (int depth : DEPTHS) {
                for (int i = 0; i < designs.length; i++) {
                    TagDesign design = designs[(i + round) % designs.length];
                    outcomes.get(depth).get(design).add(load(design, depth));
                    progress.at(++done, of);
                }
            }
        }
    }

    private TagsLoad.Outcome load(TagDesign design, int depth) throws IOException {
        String line = ChildJvm.run(
                TagsRun.class,
                design.name(),
                String.valueOf(depth),
                String.valueOf(THREADS),
                String.valueOf(WINDOW),
                String.valueOf(effort.warmUpMillis),
                String.valueOf(effort.measureMillis));
        return TagsLoad.Outcome.parse(line);
    }

    private double adds(int threads) throws IOException {
        long millis = Math.max(1, effort.measureMillis / 3);
        return AtomicAdds.inChild(threads, 1, millis, millis);
    }

    private List<Experiment> results() {
        List<Design> rates = new ArrayList<>();
        for (int depth : DEPTHS) {
            outcomes.get(depth)
                    .forEach((design, runs) -> rates.add(
                            Design.of(name(design) + ", depth " + depth, role(design), rates(depth, design))));
        }
        List<Bar> bars = new ArrayList<>();
        bars.add(Bar.atLeast(
                1.84, "bitmap (default) / purged, depth 64", Experiment.median(ratios(SCARCE, TagDesign.PURGED))));
        bars.add(Bar.atLeast(
                1.0, "bitmap (default) / locked, depth 64", Experiment.median(ratios(SCARCE, TagDesign.LOCKED))));
        bars.add(Bar.atLeast(
                1.0, "bitmap (default) / semaphore, depth 64", Experiment.median(ratios(SCARCE, TagDesign.SEMAPHORE))));
        bars.add(Bar.noWorse(
                "bitmap (default) / best of the others, depth 2048",
                ratios(
                        PLENTY,
                        Arrays.stream(TagDesign.values())
                                .filter(design -> design != OURS)
                                .toArray(TagDesign[]::new))));
        return List.of(
                experiment("tags", "IOPS", POSTED, rates, bars),
                waits("tags: longest wait, depth 64", "us", run -> run.waitMaxNanos() / 1e3),
                waits("tags: median wait, depth 64", "us", run -> run.waitMedianNanos() / 1e3),
                waits("tags: waits, depth 64", "a second", run -> run.waits() * 1e9 / run.nanos()),
                experiment(
                        "tags: atomic additions",
                        "a second",
                        "the machine's limit: each request needs two or more",
                        List.of(
                                Design.of("by one thread", Role.OTHER, addsAlone),
                                Design.of("by two threads, on one word", Role.OTHER, addsTogether)),
                        List.of()));
    }

    private static Experiment experiment(
            String name, String unit, String posted, List<Design> designs, List<Bar> bars) {
        return new Experiment("D", name, LOAD, unit, posted, null, designs, bars);
    }

    private Experiment waits(String name, String unit, java.util.function.ToDoubleFunction<TagsLoad.Outcome> what) {
        List<Design> designs = new ArrayList<>();
        outcomes.get(SCARCE)
                .forEach((design, runs) -> designs.add(Design.of(
                        name(design),
                        role(design),
                        runs.stream().mapToDouble(what).boxed().toList())));
        return experiment(name, unit, "not posted", designs, List.of());
    }

    private List<Double> ratios(int depth, TagDesign... others) {
        return Experiment.ratios(
                rates(depth, OURS),
                Arrays.stream(others).map(other -> rates(depth, other)).toList());
    }

    private List<Double> rates(int depth, TagDesign design) {
        return outcomes.get(depth).get(design).stream()
                .map(TagsLoad.Outcome::perSecond)
                .toList();
    }

    private static String name(TagDesign design) {
        return design.name().toLowerCase(Locale.ROOT);
    }

    private static Role role(TagDesign design) {
        return switch (design) {
            case BITMAP -> Role.DEFAULT;
            case STEALING -> Role.POSTED;
            case PURGED -> Role.BASELINE;
            case LOCKED, SEMAPHORE -> Role.OTHER;
        };
    }
}
