package io.tenfold.queue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
 * The comparison of tag designs, in rounds: in each round every design has its turn in a JVM of its own, so that what else
 * the machine does hits all alike. A figure is the median of the rounds; a ratio is the median of the rounds' ratios.
 *
 * <p>Started by {@code harness/tags-comparison}; prints tables in Markdown. Its short runs tell designs apart that differ
 * by a factor; for a few percent, run JMH's own {@code Main}, and longer.
 */
public final class TagComparison {
    private static final String IN_FLIGHT_64 = "12 threads, depth 64, more wanted";
    private static final String GROUP_64 = "12 threads, depth 64, groups of 8";
    private static final String PAIR_12_64 = "12 threads, depth 64";
    private static final String PAIR_2_64 = "2 threads, depth 64";
    private static final String PAIR_12_2048 = "12 threads, depth 2048";
    private static final String PAIR_1_2048 = "1 thread, depth 2048";

    private static final String IN_FLIGHT = TagsInFlightBenchmark.class.getSimpleName() + ".request";
    private static final String GROUP = TagsInFlightBenchmark.class.getSimpleName() + ".group";
    private static final String PAIR = TagsBenchmark.class.getSimpleName() + ".pair";

    private static final List<Case> CASES = List.of(
            new Case(IN_FLIGHT_64, IN_FLIGHT, 12, 64),
            new Case(GROUP_64, GROUP, 12, 64),
            new Case(PAIR_12_64, PAIR, 12, 64),
            new Case(PAIR_2_64, PAIR, 2, 64),
            new Case(PAIR_12_2048, PAIR, 12, 2048),
            new Case(PAIR_1_2048, PAIR, 1, 2048));

    private static final String C_TWIN = "C bitmap";
    private static final String ADD_ALONE = "atomic add, alone";
    private static final String ADD_TOGETHER = "atomic add, by two";
    private static final Pattern C_PAIRS = Pattern.compile("pairs=([0-9.]+)");

    /** One load. */
    private record Case(String name, String benchmark, int threads, int depth) {}

    /** Rates (million a second), bytes allocated an operation, waits: by case and design, one for each round. */
    private final Map<String, List<Double>> rates = new TreeMap<>();

    private final Map<String, List<Double>> bytes = new TreeMap<>();
    private final Map<String, List<long[]>> waits = new TreeMap<>();
    private final Path waitsFile = Files.createTempFile("tenfold", ".waits");
    private final String twin;

    private TagComparison(String twin) throws IOException {
        this.twin = twin;
    }

    /** Arguments: how many rounds, and the C twin's program, or "-" if there is none. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2) {
            throw new IllegalArgumentException("usage: TagComparison ROUNDS TWIN: " + Arrays.toString(arguments));
        }
        int rounds = Integer.parseInt(arguments[0]);
        TagComparison comparison = new TagComparison(arguments[1]);
        System.out.printf("java %s, %s%n", Runtime.version(), processor());
        try {
            for (int round = 0; round < rounds; round++) {
                System.out.printf("round %d of %d, load %s%n", round + 1, rounds, load());
                comparison.round();
                comparison.print(); // After every round: a run that is cut short has said something.
            }
        } finally {
            Files.deleteIfExists(comparison.waitsFile);
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

    private void round() throws Exception {
        add(rates, ADD_ALONE, rate(run("AtomicAddBenchmark.addAlone", 1)));
        add(rates, ADD_TOGETHER, rate(run("AtomicAddBenchmark.addTogether", 2)));
        for (Case load : CASES) {
            for (TagDesign design : TagDesign.values()) {
                measure(load, design);
            }
            if (load.benchmark.equals(PAIR) && !twin.equals("-")) {
                add(rates, key(load.name, C_TWIN), runTwin(load));
            }
        }
    }

    private void measure(Case load, TagDesign design) throws Exception {
        ChainedOptionsBuilder options = options(load.benchmark, load.threads)
                .param("design", design.name())
                .param("depth", String.valueOf(load.depth))
                .addProfiler(GCProfiler.class);
        boolean pair = load.benchmark.equals(PAIR);
        if (pair) {
            options.param("hold", "0");
        }
        RunResult result = run(options);
        String key = key(load.name, design.name());
        add(rates, key, rate(result));
        Result<?> allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
        if (allocated != null) {
            add(bytes, key, allocated.getScore());
        }
        if (!pair) {
            String[] fields = Files.readString(waitsFile).split(" ");
            long[] wait = Arrays.stream(fields).mapToLong(Long::parseLong).toArray();
            waits.computeIfAbsent(key, _ -> new ArrayList<>()).add(wait);
        }
    }

    private ChainedOptionsBuilder options(String benchmark, int threads) {
        return new OptionsBuilder()
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
                .jvmArgs("-Xmx512m", "-XX:+UseSerialGC", "-D" + TagsInFlightBenchmark.WAITS_FILE + "=" + waitsFile);
    }

    private RunResult run(String benchmark, int threads) throws RunnerException {
        return run(options(benchmark, threads));
    }

    private static RunResult run(ChainedOptionsBuilder options) throws RunnerException {
        return new Runner(options.build()).runSingle();
    }

    private static double rate(RunResult result) {
        return result.getPrimaryResult().getScore();
    }

    private double runTwin(Case load) throws Exception {
        Process process = new ProcessBuilder(twin, "" + load.threads, "" + load.depth, "0.5")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher pairs = C_PAIRS.matcher(output);
        if (process.waitFor() != 0 || !pairs.find()) {
            throw new IllegalStateException("the C twin failed: twin=" + twin + ", output=" + output);
        }
        return Double.parseDouble(pairs.group(1));
    }

    private void print() {
        print("Million operations a second, all threads together: median [least .. most].", rates);
        System.out.printf(
                "%nLimits: %s %s, %s %s.%n",
                ADD_ALONE, spread(rates, ADD_ALONE), ADD_TOGETHER, spread(rates, ADD_TOGETHER));
        print("Bytes allocated an operation.", bytes);
        printWaits(IN_FLIGHT_64);
        printWaits(GROUP_64);
        System.out.printf("%n| bar | asked | measured | |%n|---|---|---|---|%n");
        bar(IN_FLIGHT_64, "PURGED", 1.84);
        bar(IN_FLIGHT_64, "LOCKED", 1.0);
        bar(IN_FLIGHT_64, "SEMAPHORE", 1.0);
        bar(PAIR_12_64, "PURGED", 1.84);
        bar(PAIR_12_64, "LOCKED", 1.0);
        bar(PAIR_12_64, "SEMAPHORE", 1.0);
        bar(PAIR_2_64, "SEMAPHORE", 10.0);
        if (!twin.equals("-")) {
            bar(PAIR_2_64, C_TWIN, 0.85);
        }
        for (String rival : List.of("STEALING", "PURGED", "LOCKED", "SEMAPHORE")) {
            bar(PAIR_12_2048, rival, 1.0);
        }
        double nanos = 1e3 / median(rates.get(key(PAIR_1_2048, "BITMAP")));
        row("BITMAP, " + PAIR_1_2048 + ", ns a pair", "at most 20", nanos, nanos <= 20);
        for (String load : List.of(IN_FLIGHT_64, GROUP_64)) {
            double tail = tail(load, TagDesign.BITMAP);
            row("BITMAP, longest / median wait, " + load, "at most 20", tail, tail <= 20);
        }
    }

    private void printWaits(String load) {
        System.out.printf("%nWaits, %s: medians of the rounds.%n%n", load);
        System.out.printf("| | waits | median us | longest us | longest / median |%n|---|---|---|---|---|%n");
        for (TagDesign design : TagDesign.values()) {
            List<long[]> rounds = waits.get(key(load, design.name()));
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.0f | %.1f | %.0f | %.0f |%n",
                    design,
                    median(rounds.stream().map(wait -> (double) wait[0]).toList()),
                    median(rounds.stream().map(wait -> wait[1] / 1e3).toList()),
                    median(rounds.stream().map(wait -> wait[2] / 1e3).toList()),
                    tail(load, design));
        }
    }

    private double tail(String load, TagDesign design) {
        List<long[]> rounds = waits.get(key(load, design.name()));
        return median(rounds.stream().map(TagComparison::tail).toList());
    }

    private static double tail(long[] wait) {
        return wait[1] == 0 ? Double.NaN : (double) wait[2] / wait[1];
    }

    private void print(String title, Map<String, List<Double>> figures) {
        System.out.printf("%n%s%n%n|", title);
        CASES.forEach(load -> System.out.printf(" | %s", load.name));
        System.out.printf(" |%n|---%s|%n", "|---".repeat(CASES.size()));
        List<String> designs = new ArrayList<>();
        for (TagDesign design : TagDesign.values()) {
            designs.add(design.name());
        }
        designs.add(C_TWIN);
        for (String design : designs) {
            System.out.printf("| %s", design);
            CASES.forEach(load -> System.out.printf(" | %s", spread(figures, key(load.name, design))));
            System.out.printf(" |%n");
        }
    }

    private void bar(String load, String rival, double atLeast) {
        List<Double> own = rates.get(key(load, "BITMAP"));
        List<Double> other = rates.get(key(load, rival));
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < own.size(); round++) {
            ratios.add(own.get(round) / other.get(round));
        }
        double ratio = median(ratios);
        row("BITMAP / " + rival + ", " + load, "at least " + atLeast, ratio, ratio >= atLeast);
    }

    private static void row(String bar, String asked, double value, boolean met) {
        System.out.printf(Locale.ROOT, "| %s | %s | %.2f | %s |%n", bar, asked, value, met ? "met" : "missed");
    }

    private static String spread(Map<String, List<Double>> figures, String key) {
        List<Double> values = figures.get(key);
        if (values == null) {
            return "";
        }
        List<Double> sorted = values.stream().sorted().toList();
        return String.format(Locale.ROOT, "%.1f [%.1f .. %.1f]", median(values), sorted.getFirst(), sorted.getLast());
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return (sorted.get((sorted.size() - 1) / 2) + sorted.get(sorted.size() / 2)) / 2;
    }

    private static String key(String load, String design) {
        return load + "/" + design;
    }

    private static void add(Map<String, List<Double>> figures, String key, double value) {
        figures.computeIfAbsent(key, _ -> new ArrayList<>()).add(value);
    }
}
