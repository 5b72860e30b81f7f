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
 * Experiment D: designs of tags behind the whole queue, on a null device, under three loads. The posting's case is that of few
 * tags which are enough, if those that hide in others' caches are found. Beside it: few tags of which six times as many are
 * wanted, so that nearly every request waits its turn, and plenty of tags.
 *
 * <p>Each design runs in a JVM of its own. The runs go in rounds, each design once in a round and each round beginning with
 * another, so that what else the machine does hits all alike; a ratio is the median of the rounds' ratios.
 */
public final class TagsExperiment {
    /** How often and how long. */
    record Effort(int rounds, long warmUpMillis, long measureMillis) {
        static final Effort FULL = new Effort(5, 1_000, 500);
    }

    /**
     * How many tags there are, and how many each submitter wants.
     *
     * @param name as results call it
     */
    record Load(String name, int depth, int window) {}

    private static final int THREADS = 12;
    private static final Load FEW = new Load("depth 64", 64, 5);
    private static final Load SCARCE = new Load("depth 64, 384 wanted", 64, 32);
    private static final Load PLENTY = new Load("depth 2048", 2048, 32);
    private static final List<Load> LOADS = List.of(FEW, SCARCE, PLENTY);
    private static final TagDesign OURS = TagDesign.BITMAP;

    private static final String LOAD = String.format(
            Locale.ROOT,
            "%d threads on %d processors, none of their reads of 4 KiB next to another, on one queue with a hardware queue a"
                    + " thread over a null device, under the default rules of waiting; a thread completes up to %d of its"
                    + " reads at a time and sends them again, and sleeps when none of them has a tag. Each thread wants %d"
                    + " tags at depth 64, 60 in all; %d where 384 are wanted; %d at depth 2048. One JVM for each run."
                    + " Does not show: what a real device, or more processors, make of it",
            THREADS,
            Runtime.getRuntime().availableProcessors(),
            TagsLoad.BATCH,
            FEW.window,
            SCARCE.window,
            PLENTY.window);
    private static final String POSTED =
            "800k -> 1470k IOPS at depth 64, 4470k -> 4340k at depth 2048" + " (2013, two sockets, 12 submitters)";

    private final Effort effort;
    private final Map<Load, Map<TagDesign, List<TagsLoad.Outcome>>> outcomes = new LinkedHashMap<>();
    private final List<Double> addsAlone = new ArrayList<>();
    private final List<Double> addsTogether = new ArrayList<>();

    private TagsExperiment(Effort effort) {
        this.effort = effort;
        for (Load load : LOADS) {
            Map<TagDesign, List<TagsLoad.Outcome>> byDesign = new LinkedHashMap<>();
            for (TagDesign design : TagDesign.values()) {
                byDesign.put(design, new ArrayList<>());
            }
            outcomes.put(load, byDesign);
        }
    }

    /**
     * Runs it, for less than three minutes.
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
        int of = effort.rounds * (designs.length * LOADS.size() + 2);
        int done = 0;
        for (int round = 0; round < effort.rounds; round++) {
            progress.at(done, of);
            addsAlone.add(adds(1));
            progress.at(++done, of);
            addsTogether.add(adds(2));
            progress.at(++done, of);
            for (Load load : LOADS) {
                for (int i = 0; i < designs.length; i++) {
                    TagDesign design = designs[(i + round) % designs.length];
                    outcomes.get(load).get(design).add(run(design, load));
                    progress.at(++done, of);
                }
            }
        }
    }

    private TagsLoad.Outcome run(TagDesign design, Load load) throws IOException {
        String line = ChildJvm.run(
                TagsRun.class,
                design.name(),
                String.valueOf(load.depth),
                String.valueOf(THREADS),
                String.valueOf(load.window),
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
        for (Load load : LOADS) {
            outcomes.get(load)
                    .forEach((design, runs) ->
                            rates.add(Design.of(name(design) + ", " + load.name, role(design), rates(load, design))));
        }
        List<Bar> bars = new ArrayList<>();
        bars.add(Bar.atLeast(
                1.84, "bitmap (default) / purged, depth 64", Experiment.median(ratios(FEW, TagDesign.PURGED))));
        bars.add(Bar.atLeast(
                1.0, "bitmap (default) / locked, depth 64", Experiment.median(ratios(FEW, TagDesign.LOCKED))));
        bars.add(Bar.atLeast(
                1.0, "bitmap (default) / semaphore, depth 64", Experiment.median(ratios(FEW, TagDesign.SEMAPHORE))));
        bars.add(Bar.noWorse(
                "bitmap (default) / best of the others, depth 2048",
                ratios(
                        PLENTY,
                        Arrays.stream(TagDesign.values())
                                .filter(design -> design != OURS)
                                .toArray(TagDesign[]::new))));
        return List.of(
                experiment("tags", "IOPS", POSTED, rates, bars),
                waits("tags: longest wait, " + SCARCE.name, "us", run -> run.waitMaxNanos() / 1e3),
                waits("tags: median wait, " + SCARCE.name, "us", run -> run.waitMedianNanos() / 1e3),
                waits("tags: waits, " + SCARCE.name, "a second", run -> run.waits() * 1e9 / run.nanos()),
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

    private List<Double> ratios(Load load, TagDesign... others) {
        return Experiment.ratios(
                rates(load, OURS),
                Arrays.stream(others).map(other -> rates(load, other)).toList());
    }

    private List<Double> rates(Load load, TagDesign design) {
        return outcomes.get(load).get(design).stream()
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
