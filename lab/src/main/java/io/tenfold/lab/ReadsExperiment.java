package io.tenfold.lab;

import io.tenfold.lab.Experiment.Bar;
import io.tenfold.lab.Experiment.Design;
import io.tenfold.lab.Experiment.Role;
import io.tenfold.lab.ReadsRun.Drive;
import io.tenfold.lab.ReadsRun.Load;
import io.tenfold.lab.ReadsRun.Outcome;
import io.tenfold.raid.Layout;
import io.tenfold.raid.ReadRule;
import io.tenfold.sim.SimFlashModel;
import io.tenfold.sim.SimHddModel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Experiment B: what do the members of an array give together when it is read? In a simulated machine, so that a seed gives
 * the same figures everywhere: {@link ReadsRun} says how it is made.
 */
public final class ReadsExperiment {
    /** How much is simulated. */
    record Effort(int seeds, int divisor) {
        static final Effort FULL = new Effort(5, 1);
    }

    private record Subject(String name, Role role, ReadRule rule) {}

    private static final Subject BALANCED = new Subject("balanced", Role.DEFAULT, ReadRule.BALANCED);

    private static final List<Subject> SUBJECTS = List.of(
            new Subject("rules of 2016", Role.BASELINE, ReadRule.NEAREST_HEAD),
            BALANCED,
            new Subject("first copy", Role.OTHER, ReadRule.FIRST_COPY));

    private static final int BLOCK = 4096;
    private static final int LONG = 128 << 10;

    private static final SimFlashModel NVME = SimFlashModel.nvme();
    private static final SimHddModel DISK = SimHddModel.sata7200().withSizeBytes(64L << 30);
    private static final int PAIR_UNITS = 4;
    private static final List<Drive> PAIR = pair(PAIR_UNITS);

    private static final Load DEEP = new Load(16, 256, BLOCK, false, 100_000);
    private static final Load ONE = new Load(1, 1, BLOCK, false, 20_000);
    private static final Load ONE_OF_32 = new Load(1, 32, BLOCK, false, 40_000);
    private static final Load THIRTY_TWO = new Load(32, 1, BLOCK, false, 40_000);
    private static final Load STREAM = new Load(1, 8, LONG, true, 20_000);
    private static final Load DISK_STREAM = new Load(1, 8, LONG, true, 2_000);
    private static final Load DISK_RANDOM = new Load(1, 32, BLOCK, false, 4_000);

    /** Figures of each rule: 3 of four drives, 3 of the pair, 2 streams on flash, 4 loads on disks; and 4 of one rule. */
    private static final int FIGURES = 12 * SUBJECTS.size() + 4;

    private static final String OF_ONE = "% of one drive";
    private static final String NOT_POSTED = "not posted";

    private final Effort effort;
    private final LabProgress progress;
    private int done;

    /** What one rule gives under one load. */
    @FunctionalInterface
    private interface Figure {
        double of(ReadRule rule, int seed);
    }

    private ReadsExperiment(Effort effort, LabProgress progress) {
        this.effort = effort;
        this.progress = progress;
    }

    /** Runs it, for about half a minute. */
    public static List<Experiment> run(LabProgress progress) {
        return run(progress, Effort.FULL);
    }

    static List<Experiment> run(LabProgress progress, Effort effort) {
        return new ReadsExperiment(effort, progress).results();
    }

    /** What came of the posting's load beside what was posted, as a drawing. */
    public static String drawing(List<Experiment> results) {
        BarChart chart = new BarChart("Random reads of 4 KiB on four drives, near 2", "%", 400);
        chart.heading("this library, simulated drives: % of one");
        for (Design design : results.getFirst().designs()) {
            chart.bar(BarChart.Kind.OURS, design.name(), design.value(), design.min(), design.max());
        }
        chart.heading("posted in 2016, real drives, of which locking is a part");
        chart.bar(BarChart.Kind.THEIRS, "before", 234, 234, 234);
        chart.bar(BarChart.Kind.THEIRS, "after", 347, 347, 347);
        return chart.svg();
    }

    private List<Experiment> results() {
        progress.at(0, FIGURES * effort.seeds);
        List<Drive> four = Collections.nCopies(4, Drive.of(NVME));
        List<Design> together = designs("", (rule, seed) -> ofOne(Layout.near(2), four, rule, DEEP, seed));
        List<Design> even = new ArrayList<>(
                designs(", 16 jobs of 256", (rule, seed) -> most(array(Layout.near(2), four, rule, DEEP, seed))));
        even.addAll(designs(", 1 job of 1", (rule, seed) -> most(array(Layout.near(2), four, rule, ONE, seed))));
        return List.of(
                experiment(
                        "reads",
                        "16 jobs with 256 random reads of 4 KiB in flight each, near 2 on four drives of 32 units of 60 us and an"
                                + " exponential 20 us more, 2.8 GB/s",
                        OF_ONE,
                        "234 before, 347 after (2016, four NVMe drives; the gain is that of a lock, which here costs nothing)",
                        400.0,
                        together,
                        List.of(Bar.atLeast(395, "balanced, 16 jobs of 256", value(together, BALANCED.name)))),
                experiment(
                        "reads: even spread",
                        "the same drives; counted are the reads of the member that gets most, of which an even share is 25",
                        "% of all reads",
                        NOT_POSTED,
                        25.0,
                        even,
                        List.of(
                                Bar.atMost(26, "balanced, 16 jobs of 256", value(even, "balanced, 16 jobs of 256")),
                                Bar.atMost(26, "balanced, 1 job of 1", value(even, "balanced, 1 job of 1")))),
                pairAtDepthOne(),
                pairDeep(),
                flashStream(),
                disks());
    }

    private Experiment pairAtDepthOne() {
        List<Design> designs = designs(
                "", (rule, seed) -> array(Layout.near(2), PAIR, rule, ONE, seed).share(1));
        return experiment(
                "reads: mixed pair, one at a time",
                "random reads of 4 KiB, one in flight, near 2 on a drive of 500 us and one of 100 us, the slow one first; counted are"
                        + " the reads of the quick one",
                "% of reads",
                NOT_POSTED,
                100.0,
                designs,
                List.of(Bar.atLeast(80, "balanced", value(designs, BALANCED.name))));
    }

    private Experiment pairDeep() {
        List<Design> designs = new ArrayList<>();
        designs.addAll(designs(", 1 job of 32", (rule, seed) -> ofSum(PAIR, rule, ONE_OF_32, seed)));
        designs.addAll(designs(", 32 jobs of 1", (rule, seed) -> ofSum(PAIR, rule, THIRTY_TWO, seed)));
        for (int units : List.of(8, 16)) {
            List<Drive> wide = pair(units);
            for (Load load : List.of(ONE_OF_32, THIRTY_TWO)) {
                String name = load.equals(THIRTY_TWO) ? ", 32 jobs of 1, " : ", 1 job of 32, ";
                designs.addAll(designs(
                        List.of(BALANCED), name + units + " units", (rule, seed) -> ofSum(wide, rule, load, seed)));
            }
        }
        return experiment(
                "reads: mixed pair, 32 in flight",
                "the same pair, " + PAIR_UNITS
                        + " reads at a time in each if not said otherwise; the sum is what each gives alone under this load",
                "% of the sum of both",
                NOT_POSTED,
                100.0,
                designs,
                List.of(
                        Bar.atLeast(95, "balanced, 1 job of 32", value(designs, "balanced, 1 job of 32")),
                        Bar.atLeast(95, "balanced, 32 jobs of 1", value(designs, "balanced, 32 jobs of 1"))));
    }

    /** A slow drive and one that is five times as quick. */
    private static List<Drive> pair(int units) {
        return List.of(
                Drive.of(NVME.withUnits(units, 400_000, 500_000)), Drive.of(NVME.withUnits(units, 80_000, 100_000)));
    }

    private double ofSum(List<Drive> pair, ReadRule rule, Load load, int seed) {
        double sum = alone(pair.getFirst(), load, seed) + alone(pair.getLast(), load, seed);
        return 100 * array(Layout.near(2), pair, rule, load, seed).perSecond() / sum;
    }

    private Experiment flashStream() {
        List<Drive> sata = Collections.nCopies(2, Drive.of(SimFlashModel.sata()));
        List<Drive> nvme = Collections.nCopies(2, Drive.of(NVME));
        List<Design> designs = new ArrayList<>(
                designs(", 520 MB/s each", (rule, seed) -> ofOne(Layout.near(2), sata, rule, STREAM, seed)));
        designs.addAll(designs(", 2.8 GB/s each", (rule, seed) -> ofOne(Layout.near(2), nvme, rule, STREAM, seed)));
        return experiment(
                "reads: one stream, two flash drives",
                "one reader from the start on, 128 KiB at a time, 8 in flight (1 MiB of read-ahead), near 2",
                OF_ONE,
                NOT_POSTED,
                200.0,
                designs,
                List.of(
                        Bar.atLeast(180, "balanced, 520 MB/s each", value(designs, "balanced, 520 MB/s each")),
                        Bar.atLeast(180, "balanced, 2.8 GB/s each", value(designs, "balanced, 2.8 GB/s each"))));
    }

    private Experiment disks() {
        List<Drive> two = Collections.nCopies(2, Drive.of(DISK));
        List<Design> designs = new ArrayList<>();
        for (Layout layout : List.of(Layout.near(2), Layout.far(2))) {
            designs.addAll(designs(
                    ", " + layout + ", one stream", (rule, seed) -> ofOne(layout, two, rule, DISK_STREAM, seed)));
            designs.addAll(designs(
                    ", " + layout + ", 32 at random", (rule, seed) -> ofOne(layout, two, rule, DISK_RANDOM, seed)));
        }
        return experiment(
                "reads: two spinning disks",
                "the stream as above; and random reads of 4 KiB, 32 in flight. Disks of 7200 rpm and 64 GiB",
                OF_ONE,
                NOT_POSTED,
                null,
                designs,
                List.of(Bar.atLeast(
                        99, "balanced, near=2, one stream", value(designs, "balanced, near=2, one stream"))));
    }

    private List<Design> designs(String load, Figure figure) {
        return designs(SUBJECTS, load, figure);
    }

    private List<Design> designs(List<Subject> subjects, String load, Figure figure) {
        List<Design> designs = new ArrayList<>();
        for (Subject subject : subjects) {
            List<Double> values = new ArrayList<>();
            for (int seed = 1; seed <= effort.seeds; seed++) {
                values.add(figure.of(subject.rule, seed));
                progress.at(++done, FIGURES * effort.seeds);
            }
            designs.add(Design.of(subject.name + load, subject.role, values));
        }
        return designs;
    }

    private double ofOne(Layout layout, List<Drive> drives, ReadRule rule, Load load, int seed) {
        double one = alone(drives.getFirst(), load, seed);
        return 100 * array(layout, drives, rule, load, seed).perSecond() / one;
    }

    private Outcome array(Layout layout, List<Drive> drives, ReadRule rule, Load load, int seed) {
        return ReadsRun.array(layout, drives, rule, scaled(load), seed);
    }

    private double alone(Drive drive, Load load, int seed) {
        return ReadsRun.alone(drive, scaled(load), seed).perSecond();
    }

    private Load scaled(Load load) {
        return new Load(load.jobs(), load.depth(), load.length(), load.sequential(), load.reads() / effort.divisor);
    }

    /** The part of the member that was asked most. */
    private static double most(Outcome outcome) {
        double most = 0;
        for (int member = 0; member < outcome.byMember().size(); member++) {
            most = Math.max(most, outcome.share(member));
        }
        return most;
    }

    private static double value(List<Design> designs, String name) {
        for (Design design : designs) {
            if (design.name().equals(name)) {
                return design.value();
            }
        }
        throw new AssertionError("no such design: name=" + name);
    }

    private Experiment experiment(
            String name, String load, String unit, String posted, Double limit, List<Design> designs, List<Bar> bars) {
        String all = "simulated, " + effort.seeds + " seeds: " + load
                + ". Processors cost nothing here, so this shows how reads are spread and not what the spreading costs";
        return new Experiment("B", name, all, unit, posted, limit, designs, bars);
    }
}
