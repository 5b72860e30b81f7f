package io.tenfold.lab;

import io.tenfold.lab.Experiment.Bar;
import io.tenfold.lab.Experiment.Design;
import io.tenfold.lab.Experiment.Role;
import io.tenfold.lab.SplitRun.Pace;
import io.tenfold.lab.SplitRun.Queue;
import io.tenfold.queue.DeviceQueue;
import io.tenfold.queue.QueueOptions;
import io.tenfold.queue.Schedule;
import io.tenfold.queue.SingleQueue;
import io.tenfold.queue.WakePolicy;
import io.tenfold.queue.WriteCache;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Experiment C: do the pieces of a large request reach a disk next to one another when many submitters want tags? In a
 * simulated machine, so that a seed gives the same figures everywhere: {@link SplitRun} says how it is made.
 */
public final class SplitExperiment {
    /** How much is simulated. */
    record Effort(List<Integer> submitters, int seeds, long requests) {
        static final Effort FULL = new Effort(List.of(64, 256), 5, 3_000);
    }

    private record Subject(String name, Role role, Queue queue) {}

    private static final String ORIGINAL = "original rules";
    private static final String BY_NEED = "wake by need";
    private static final String NO_PREEMPTION = "no pre-emption";

    private static final QueueOptions OPTIONS = QueueOptions.DEFAULT
            .withDepth(SplitRun.TAGS)
            .withDeviceDepth(SplitRun.DEVICE_DEPTH)
            .withWriteCache(WriteCache.WRITE_THROUGH);

    private static final List<Subject> SUBJECTS = List.of(
            subject(
                    ORIGINAL,
                    Role.BASELINE,
                    OPTIONS.withWakePolicy(WakePolicy.ORIGINAL).withWholeRequests(false)),
            subject(BY_NEED, Role.POSTED, OPTIONS.withWakePolicy(WakePolicy.BY_NEED)),
            subject(NO_PREEMPTION, Role.POSTED, OPTIONS.withWakePolicy(WakePolicy.NO_PREEMPTION)),
            subject("default", Role.DEFAULT, OPTIONS),
            subject("strict order", Role.OTHER, OPTIONS.withWakePolicy(WakePolicy.STRICT)),
            subject("original wake-ups, cut as a whole", Role.OTHER, OPTIONS.withWakePolicy(WakePolicy.ORIGINAL)),
            subject(
                    "wake by need, tag by tag",
                    Role.OTHER,
                    OPTIONS.withWakePolicy(WakePolicy.BY_NEED).withWholeRequests(false)),
            subject(
                    "original rules, sorted",
                    Role.OTHER,
                    OPTIONS.withWakePolicy(WakePolicy.ORIGINAL)
                            .withWholeRequests(false)
                            .withSchedule(Schedule.DEADLINE)),
            subject("default, sorted", Role.OTHER, OPTIONS.withSchedule(Schedule.DEADLINE)),
            new Subject(
                    "single queue",
                    Role.OTHER,
                    (disk, shards) -> new SingleQueue(disk, SplitRun.TAGS, SplitRun.DEVICE_DEPTH, 0)));

    /** How many of the subjects, from the first, are looked at in machines of another pace. */
    private static final int PACED = 3;

    private static final List<Pace> PACES =
            List.of(new Pace(5_000, 20_000, 3_000), new Pace(5_000, 100_000, 3_000), new Pace(5_000, 50_000, 10_000));

    /** A request makes four pieces, of which three can follow the one before; where the first lies is chance. */
    private static final double LIMIT = 75;

    private static final String SHARE = "% of dispatches sequential";
    private static final String POSTED =
            "21 before, 40 woken by need, 69 without pre-emption (2022, 256 submitters); Linux 6.1"
                    + " in a virtual machine, 64 and 256 submitters: 38 to 49 with scheduler none, 50 to 53 with mq-deadline";

    private final Effort effort;
    private final Map<Subject, Map<Integer, List<SplitRun.Outcome>>> outcomes = new LinkedHashMap<>();
    private final List<Design> paced = new ArrayList<>();

    private SplitExperiment(Effort effort) {
        this.effort = effort;
    }

    private static Subject subject(String name, Role role, QueueOptions options) {
        return new Subject(name, role, (disk, shards) -> new DeviceQueue(disk, options, shards));
    }

    /** Runs it, for about a minute. */
    public static List<Experiment> run(LabProgress progress) {
        return run(progress, Effort.FULL);
    }

    static List<Experiment> run(LabProgress progress, Effort effort) {
        SplitExperiment experiment = new SplitExperiment(effort);
        experiment.measure(progress);
        return experiment.results();
    }

    /** What came of it beside what was posted and what a kernel of 2023 does, as a drawing. */
    public static String drawing(List<Experiment> results) {
        BarChart chart = new BarChart("Requests handed to the disk right after their neighbour", "%", LIMIT);
        chart.heading("this library, simulated disk");
        for (Design design : results.getFirst().designs()) {
            chart.bar(BarChart.Kind.OURS, design.name(), design.value(), design.min(), design.max());
        }
        chart.heading("posted in 2022, 256 submitters");
        chart.bar(BarChart.Kind.THEIRS, "before", 21, 21, 21);
        chart.bar(BarChart.Kind.THEIRS, "wake by need", 40, 40, 40);
        chart.bar(BarChart.Kind.THEIRS, "no pre-emption", 69, 69, 69);
        chart.heading("Linux 6.1 in a virtual machine, 64 and 256");
        chart.bar(BarChart.Kind.THEIRS, "scheduler none", 43.5, 38, 49);
        chart.bar(BarChart.Kind.THEIRS, "scheduler mq-deadline", 51.5, 50, 53);
        return chart.svg();
    }

    private void measure(LabProgress progress) {
        int of = (SUBJECTS.size() * effort.submitters.size() + PACED * PACES.size()) * effort.seeds;
        int done = 0;
        progress.at(0, of);
        for (Subject subject : SUBJECTS) {
            Map<Integer, List<SplitRun.Outcome>> bySubmitters = new LinkedHashMap<>();
            outcomes.put(subject, bySubmitters);
            for (int submitters : effort.submitters) {
                bySubmitters.put(submitters, runs(subject, submitters, Pace.USUAL));
                done += effort.seeds;
                progress.at(done, of);
            }
        }
        for (Pace pace : PACES) {
            for (Subject subject : SUBJECTS.subList(0, PACED)) {
                paced.add(Design.of(
                        subject.name + ", " + text(pace),
                        subject.role,
                        shares(runs(subject, effort.submitters.getFirst(), pace))));
                done += effort.seeds;
                progress.at(done, of);
            }
        }
    }

    private List<SplitRun.Outcome> runs(Subject subject, int submitters, Pace pace) {
        List<SplitRun.Outcome> runs = new ArrayList<>();
        for (int seed = 1; seed <= effort.seeds; seed++) {
            runs.add(SplitRun.run(subject.queue, submitters, seed, effort.requests, pace));
        }
        return runs;
    }

    private static List<Double> shares(List<SplitRun.Outcome> runs) {
        return runs.stream().map(SplitRun.Outcome::sequentialPercent).toList();
    }

    private static String text(Pace pace) {
        return String.format(
                Locale.ROOT,
                "woken in %d to %d us, %d us a turn",
                pace.wakeNanosMin() / 1_000,
                pace.wakeNanosMax() / 1_000,
                pace.stepNanos() / 1_000);
    }

    private List<Experiment> results() {
        List<Design> shares = new ArrayList<>();
        List<Design> rates = new ArrayList<>();
        outcomes.forEach((subject, bySubmitters) -> bySubmitters.forEach((submitters, runs) -> {
            String name = subject.name + ", " + submitters + " submitters";
            shares.add(Design.of(name, subject.role, shares(runs)));
            rates.add(Design.of(
                    name,
                    subject.role,
                    runs.stream().map(run -> run.bytesPerSecond() / (1 << 20)).toList()));
        }));
        List<Bar> bars = new ArrayList<>();
        for (int submitters : effort.submitters) {
            String behind = ", " + submitters + " submitters";
            bars.add(Bar.atMost(30, ORIGINAL + behind, share(ORIGINAL, submitters)));
            bars.add(Bar.atLeast(40, BY_NEED + behind, share(BY_NEED, submitters)));
            bars.add(Bar.atLeast(74, NO_PREEMPTION + behind, share(NO_PREEMPTION, submitters)));
        }
        return List.of(
                experiment("split", SHARE, POSTED, LIMIT, shares, bars),
                experiment("split: throughput", "MiB/s", "not posted in this form", null, rates, List.of()),
                experiment(
                        "split: the same in machines of another pace, " + effort.submitters.getFirst() + " submitters",
                        SHARE,
                        "not posted",
                        LIMIT,
                        paced,
                        List.of()));
    }

    private Experiment experiment(
            String name, String unit, String posted, Double limit, List<Design> designs, List<Bar> bars) {
        return new Experiment("C", name, load(), unit, posted, limit, designs, bars);
    }

    private double share(String name, int submitters) {
        for (Map.Entry<Subject, Map<Integer, List<SplitRun.Outcome>>> entry : outcomes.entrySet()) {
            if (entry.getKey().name.equals(name)) {
                return Experiment.median(shares(entry.getValue().get(submitters)));
            }
        }
        throw new AssertionError("no such subject: name=" + name);
    }

    private String load() {
        return String.format(
                Locale.ROOT,
                "the same for all: submitters with %d random writes of 512 KiB in flight each, every one in its own %d MiB,"
                        + " on a simulated 7200 rpm disk without a cache that takes 128 KiB at a time and %d requests;"
                        + " %d tags. A woken thread runs after %d to %d us and is busy for %d us a turn, in which it hands"
                        + " over one piece, or all of a request that is cut as a whole; nobody waits for a processor. %d"
                        + " seeds of %d requests each. Does not show: a disk with its write cache on, or submitters that"
                        + " share processors",
                SplitRun.IN_FLIGHT,
                SplitRun.REGION_BYTES >> 20,
                SplitRun.DEVICE_DEPTH,
                SplitRun.TAGS,
                Pace.USUAL.wakeNanosMin() / 1_000,
                Pace.USUAL.wakeNanosMax() / 1_000,
                Pace.USUAL.stepNanos() / 1_000,
                effort.seeds,
                effort.requests);
    }
}
