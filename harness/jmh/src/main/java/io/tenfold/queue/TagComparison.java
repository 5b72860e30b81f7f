package io.tenfold.queue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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
    private static final List<String> DESIGNS =
            Stream.of(TagDesign.values()).map(Enum::name).toList();
    private static final List<String> GATES =
            Stream.of(TagWait.values()).map(Enum::name).toList();

    private static final String C_TWIN = "C";
    private static final String C_CHECKED = "C, checked";
    private static final Pattern C_PAIRS = Pattern.compile("pairs=([0-9.]+) checked=([0-9.]+)");

    /** A table of loads. */
    private enum Part {
        /** An acquire and a release, nothing else; no more wanted than there is. */
        PAIRS("TagsBenchmark.pair", 0, DESIGNS),
        /** The same, and a microsecond of work between the two. */
        HELD("TagsBenchmark.pair", 500, DESIGNS),
        /** Half as many tags wanted again as there are. */
        WANTED("TagsInFlightBenchmark.request", -1, DESIGNS),
        /** Groups of tags, waited for, held for a microsecond. */
        WAITS_SHORT("TagsWaitBenchmark.shortHold", -1, GATES),
        /** Groups of tags, waited for, held by a device for a millisecond. */
        WAITS_LONG("TagsWaitBenchmark.longHold", -1, GATES);

        final String benchmark;
        final int hold;
        final List<String> designs;

        Part(String benchmark, int hold, List<String> designs) {
            this.benchmark = benchmark;
            this.hold = hold;
            this.designs = designs;
        }

        boolean waits() {
            return this == WAITS_SHORT || this == WAITS_LONG;
        }

        List<Load> loads() {
            List<Load> loads = new ArrayList<>();
            for (int depth : new int[] {64, 2048}) {
                for (int threads : new int[] {1, 2, 4, 12}) {
                    boolean few = waits() && depth > 64 && threads < 12; // To keep a run bearable.
                    if (!few && (threads > 1 || this == PAIRS || this == HELD)) {
                        loads.add(new Load(threads, depth));
                    }
                }
            }
            return loads;
        }
    }

    private record Load(int threads, int depth) {
        static List<Load> parse(String text) {
            List<Load> loads = new ArrayList<>();
            for (String load : text.split(",")) {
                String[] numbers = load.split("x", 2);
                loads.add(new Load(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1])));
            }
            return loads;
        }

        @Override
        public String toString() {
            return threads + (threads == 1 ? " thread, depth " : " threads, depth ") + depth;
        }
    }

    private final Part part;
    private final String twin;
    private final List<Load> chosen;
    private final List<String> loads;
    private final TagFigures rates = new TagFigures();
    private final TagFigures bytes = new TagFigures();
    private final TagFigures limits = new TagFigures();

    /** Count, median and longest of the waits, their parts and what is held: in microseconds but for the count. */
    private final TagFigures waits = new TagFigures();

    private final Path waitsFile = Files.createTempFile("tenfold", ".waits");

    private TagComparison(Part part, List<Load> chosen, String twin) throws IOException {
        this.part = part;
        this.twin = twin;
        this.chosen = chosen;
        loads = chosen.stream().map(Load::toString).toList();
    }

    /**
     * Arguments: how many rounds, the C twin's program, or "-" if there is none, and the parts to run, or none for all; a part
     * may name its loads, as in "pairs:2x64,12x64", threads by depth.
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 2) {
            throw new IllegalArgumentException(
                    "usage: TagComparison ROUNDS TWIN [PART...]: " + Arrays.toString(arguments));
        }
        int rounds = Integer.parseInt(arguments[0]);
        List<TagComparison> comparisons = new ArrayList<>();
        for (int i = 2; i < arguments.length; i++) {
            String[] fields = arguments[i].split(":", 2);
            Part part = Part.valueOf(fields[0].toUpperCase(Locale.ROOT).replace('-', '_'));
            List<Load> loads = fields.length == 1 ? part.loads() : Load.parse(fields[1]);
            comparisons.add(new TagComparison(part, loads, arguments[1]));
        }
        if (comparisons.isEmpty()) {
            for (Part part : Part.values()) {
                comparisons.add(new TagComparison(part, part.loads(), arguments[1]));
            }
        }
        System.out.printf("java %s, %s%n", Runtime.version(), processor());
        for (TagComparison comparison : comparisons) {
            comparison.run(rounds);
        }
        System.out.printf("%ndone, load %s%n", load());
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

    private void run(int rounds) throws Exception {
        try {
            for (int round = 0; round < rounds; round++) {
                System.out.printf("%n%s: round %d of %d, load %s%n", part, round + 1, rounds, load());
                round();
            }
            print();
        } finally {
            Files.deleteIfExists(waitsFile);
        }
    }

    private void round() throws Exception {
        if (part == Part.PAIRS) {
            for (int threads : new int[] {1, 2}) {
                String load = threads + (threads == 1 ? " thread" : " threads");
                limits.add(load, "atomic add, each its own", rate(run("AtomicAddBenchmark.addAlone", threads)));
                limits.add(load, "atomic add, all the same", rate(run("AtomicAddBenchmark.addTogether", threads)));
            }
        }
        for (Load load : chosen) {
            for (String design : part.designs) {
                measure(load, design);
            }
            if (part == Part.PAIRS && !twin.equals("-")) {
                runTwin(load);
            }
        }
    }

    private void measure(Load load, String design) throws Exception {
        ChainedOptionsBuilder options = options(part.benchmark, load.threads)
                .param("design", design)
                .param("depth", String.valueOf(load.depth))
                .addProfiler(GCProfiler.class);
        if (part.hold >= 0) {
            options.param("hold", String.valueOf(part.hold));
        }
        RunResult result = run(options);
        rates.add(load.toString(), design, rate(result));
        Result<?> allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
        if (allocated != null) {
            bytes.add(load.toString(), design, allocated.getScore());
        }
        if (part.waits()) {
            List<String> lines = Files.readAllLines(waitsFile);
            for (int i = 0; i < WAIT_PARTS.size(); i++) {
                String[] fields = lines.get(i).split(" ");
                String name = design + WAIT_PARTS.get(i);
                waits.add(load.toString(), name + "count", Double.parseDouble(fields[0]));
                waits.add(load.toString(), name + "median", Double.parseDouble(fields[1]) / 1e3);
                waits.add(load.toString(), name + "longest", Double.parseDouble(fields[2]) / 1e3);
            }
        }
    }

    private static final List<String> WAIT_PARTS = List.of(" ", " queued ", " woken ", " held ");

    private ChainedOptionsBuilder options(String benchmark, int threads) {
        return new OptionsBuilder()
                .include("\\." + benchmark.replace(".", "\\.") + "$")
                .threads(threads)
                .forks(1)
                .warmupIterations(1)
                .warmupTime(TimeValue.milliseconds(part.waits() ? 800 : 500))
                .measurementIterations(part.waits() ? 1 : 2)
                .measurementTime(TimeValue.milliseconds(part.waits() ? 1000 : 250))
                .timeout(TimeValue.seconds(20))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .jvmArgs(
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-D" + TagsWaitBenchmark.WAITS_FILE + "=" + waitsFile);
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

    private void runTwin(Load load) throws Exception {
        Process process = new ProcessBuilder(twin, "" + load.threads, "" + load.depth, "0.4")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher pairs = C_PAIRS.matcher(output);
        if (process.waitFor() != 0 || !pairs.find()) {
            throw new IllegalStateException("the C twin failed: twin=" + twin + ", output=" + output);
        }
        rates.add(load.toString(), C_TWIN, Double.parseDouble(pairs.group(1)));
        rates.add(load.toString(), C_CHECKED, Double.parseDouble(pairs.group(2)));
    }

    private void print() {
        List<String> rows = new ArrayList<>(part.designs);
        if (part == Part.PAIRS) {
            rows.addAll(List.of(C_TWIN, C_CHECKED));
        }
        rates.print("Million operations a second, all threads together.", loads, rows);
        bytes.print("Bytes allocated an operation.", loads, part.designs);
        if (part == Part.PAIRS) {
            limits.print(
                    "The machine's limit, million a second, all threads together.",
                    List.of("1 thread", "2 threads"),
                    List.of("atomic add, each its own", "atomic add, all the same"));
        }
        if (part.waits()) {
            loads.forEach(this::printWaits);
        }
        System.out.printf("%n| bar | asked | measured | |%n|---|---|---|---|%n");
        printBars();
    }

    private void printWaits(String load) {
        System.out.printf("%nWaits, %s, in microseconds: medians of the rounds.%n%n", load);
        System.out.print(
                "| | waits | median | longest | longest / median | queued: median, longest | woken: median, longest ");
        System.out.printf("| held: median, longest |%n|---|---|---|---|---|---|---|---|%n");
        for (String design : part.designs) {
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.0f | %.1f | %.0f | %.1f",
                    design,
                    waits.median(load, design + " count"),
                    waits.median(load, design + " median"),
                    waits.median(load, design + " longest"),
                    waits.ratio(load, design + " longest", design + " median"));
            for (String name : WAIT_PARTS.subList(1, WAIT_PARTS.size())) {
                boolean known = waits.median(load, design + name + "count") > 0;
                double median = waits.median(load, design + name + "median");
                double longest = waits.median(load, design + name + "longest");
                System.out.print(known ? String.format(Locale.ROOT, " | %.1f, %.0f", median, longest) : " | ");
            }
            System.out.printf(" |%n");
        }
    }

    private void printBars() {
        switch (part) {
            case PAIRS -> {
                Load two = new Load(2, 64);
                if (chosen.contains(two)) {
                    ratioBar(two.toString(), "SEMAPHORE", 10);
                    if (!twin.equals("-")) {
                        ratioBar(two.toString(), C_TWIN, 0.85);
                        ratioBar(two.toString(), C_CHECKED, 0.85);
                    }
                }
                rivals(new Load(12, 64), 1.84);
                for (int threads : new int[] {1, 2, 4, 12}) {
                    rivals(new Load(threads, 2048), 1);
                }
                Load one = new Load(1, 2048);
                if (chosen.contains(one)) {
                    double nanos = 1e3 / rates.median(one.toString(), "BITMAP");
                    row("BITMAP, 1 thread, depth 2048, ns a pair", "at most 20", nanos, nanos <= 20);
                }
            }
            case WANTED -> {
                rivals(new Load(12, 64), 1.84);
                rivals(new Load(12, 2048), 1);
            }
            case WAITS_SHORT, WAITS_LONG -> {
                for (String load : loads) {
                    double tail = waits.ratio(load, "BITMAP longest", "BITMAP median");
                    row("BITMAP, longest / median wait, " + load, "at most 20", tail, tail <= 20);
                }
            }
            case HELD -> {
                for (Load load : chosen) {
                    rivals(load, 1);
                }
            }
        }
    }

    private void rivals(Load load, double purged) {
        if (!chosen.contains(load)) {
            return;
        }
        for (String rival : DESIGNS) {
            if (!rival.equals("BITMAP")) {
                ratioBar(load.toString(), rival, rival.equals("PURGED") ? purged : 1);
            }
        }
    }

    private void ratioBar(String load, String rival, double atLeast) {
        double ratio = rates.ratio(load, "BITMAP", rival);
        row("BITMAP / " + rival + ", " + load, "at least " + atLeast, ratio, ratio >= atLeast);
    }

    private static void row(String bar, String asked, double value, boolean met) {
        System.out.printf(Locale.ROOT, "| %s | %s | %.2f | %s |%n", bar, asked, value, met ? "met" : "missed");
    }
}
