package io.tenfold.raid;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The comparison of barriers, in rounds: in each round every design has its turn in a JVM of its own, so that what else the
 * machine does hits all alike. A figure is the median of the rounds; a ratio is the median of the rounds' ratios.
 *
 * <p>Started by {@code harness/barrier-comparison}; prints tables in Markdown. Its short runs tell designs apart that differ
 * by a factor; for a few percent, run JMH's own {@code Main}, and longer.
 */
public final class BarrierComparison {
    private static final int[] THREADS = {1, 2, 16};
    private static final String ALONE = "atomic add, a word for each thread";
    private static final String TOGETHER = "atomic add, one word";

    /** Rates (million a second) and bytes allocated an operation, by row and threads, one for each round. */
    private final Map<String, List<Double>> rates = new TreeMap<>();

    private final Map<String, List<Double>> bytes = new TreeMap<>();

    private BarrierComparison() {}

    /** Argument: how many rounds. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 1) {
            throw new IllegalArgumentException("usage: BarrierComparison ROUNDS: " + Arrays.toString(arguments));
        }
        int rounds = Integer.parseInt(arguments[0]);
        BarrierComparison comparison = new BarrierComparison();
        System.out.printf("java %s, %s%n", Runtime.version(), processor());
        for (int round = 0; round < rounds; round++) {
            System.out.printf("round %d of %d, load %s%n", round + 1, rounds, load());
            comparison.round();
            comparison.print(); // After every round: a run that is cut short has said something.
        }
        System.out.printf("done, load %s%n", load());
    }

    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).strip();
    }

    private static String processor() throws IOException {
        String name = Files.readString(Path.of("/proc/cpuinfo"))
                .lines()
                .filter(line -> line.startsWith("model name"))
                .findFirst()
                .orElse("unknown processor");
        return Runtime.getRuntime().availableProcessors() + " x " + name.replaceFirst(".*: ", "");
    }

    private void round() throws RunnerException {
        for (int threads : THREADS) {
            add(rates, key(ALONE, threads), rate(run("AtomicAddBenchmark.addAlone", threads, null)));
            add(rates, key(TOGETHER, threads), rate(run("AtomicAddBenchmark.addTogether", threads, null)));
            for (BarrierDesign design : BarrierDesign.values()) {
                RunResult result = run("BarrierBenchmark.pair", threads, design);
                add(rates, key(design.name(), threads), rate(result));
                Result<?> allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
                if (allocated != null) {
                    add(bytes, key(design.name(), threads), allocated.getScore());
                }
            }
        }
    }

    private static RunResult run(String benchmark, int threads, BarrierDesign design) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("\\." + benchmark.replace(".", "\\.") + "$")
                .threads(threads)
                .forks(1)
                .warmupIterations(1)
                .warmupTime(TimeValue.milliseconds(600))
                .measurementIterations(2)
                .measurementTime(TimeValue.milliseconds(400))
                .timeout(TimeValue.seconds(20))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .addProfiler(GCProfiler.class)
                .jvmArgs("-Xmx512m", "-XX:+UseSerialGC");
        if (design != null) {
            options.param("design", design.name());
        }
        return new Runner(options.build()).runSingle();
    }

    private static double rate(RunResult result) {
        return result.getPrimaryResult().getScore();
    }

    private void print() {
        print("Million a second, all threads together: median [least .. most].", rates);
        print("Bytes allocated an operation.", bytes);
        System.out.printf("%n| bar | asked | measured | |%n|---|---|---|---|%n");
        ratio(2, 2.28, BarrierDesign.SPINLOCK);
        ratio(16, 2.28, BarrierDesign.SPINLOCK);
        for (BarrierDesign rival : BarrierDesign.values()) {
            if (rival != BarrierDesign.WINDOWED) {
                ratio(2, 4, rival);
            }
        }
        atOnce();
        double nanos = 1e3 / median(rates.get(key("WINDOWED", 1)));
        row("WINDOWED, 1 thread, ns a pair", "under 20", nanos, nanos < 20);
    }

    private void print(String title, Map<String, List<Double>> figures) {
        System.out.printf("%n%s%n%n| | 1 thread | 2 threads | 16 threads |%n|---|---|---|---|%n", title);
        List<String> rows = new ArrayList<>();
        for (BarrierDesign design : BarrierDesign.values()) {
            rows.add(design.name());
        }
        rows.add(ALONE);
        rows.add(TOGETHER);
        for (String row : rows) {
            if (figures.containsKey(key(row, 1))) {
                System.out.printf("| %s", row);
                for (int threads : THREADS) {
                    System.out.printf(" | %s", spread(figures.get(key(row, threads))));
                }
                System.out.printf(" |%n");
            }
        }
    }

    private void ratio(int threads, double atLeast, BarrierDesign rival) {
        List<Double> own = rates.get(key("WINDOWED", threads));
        List<Double> other = rates.get(key(rival.name(), threads));
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < own.size(); round++) {
            ratios.add(own.get(round) / other.get(round));
        }
        double ratio = median(ratios);
        String byRound = ratios.stream()
                .map(value -> String.format(Locale.ROOT, "%.2f", value))
                .toList()
                .toString();
        String bar = "WINDOWED / " + rival + ", " + threads + " threads " + byRound;
        row(bar, "at least " + atLeast, ratio, ratio >= atLeast);
    }

    /** How far two threads that share nothing ran at once: where not, figures for more threads show no contention. */
    private void atOnce() {
        List<Double> one = rates.get(key(ALONE, 1));
        List<Double> two = rates.get(key(ALONE, 2));
        List<String> ratios = new ArrayList<>();
        for (int round = 0; round < one.size(); round++) {
            ratios.add(String.format(Locale.ROOT, "%.2f", two.get(round) / one.get(round)));
        }
        System.out.printf("| processors at work for two threads, by round | 2 | %s | |%n", String.join(", ", ratios));
    }

    private static void row(String bar, String asked, double value, boolean met) {
        System.out.printf(Locale.ROOT, "| %s | %s | %.2f | %s |%n", bar, asked, value, met ? "met" : "missed");
    }

    private static String spread(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return String.format(Locale.ROOT, "%.1f [%.1f .. %.1f]", median(values), sorted.getFirst(), sorted.getLast());
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return (sorted.get((sorted.size() - 1) / 2) + sorted.get(sorted.size() / 2)) / 2;
    }

    private static String key(String row, int threads) {
        return row + "/" + threads;
    }

    private static void add(Map<String, List<Double>> figures, String key, double value) {
        figures.computeIfAbsent(key, _ -> new ArrayList<>()).add(value);
    }
}
