package io.tenfold.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What was measured: for each load and design a figure from every round. Prints tables in Markdown. */
final class TagFigures {
    private final Map<String, List<Double>> figures = new TreeMap<>();

    void add(String load, String design, double value) {
        figures.computeIfAbsent(key(load, design), _ -> new ArrayList<>()).add(value);
    }

    boolean has(String load, String design) {
        return figures.containsKey(key(load, design));
    }

    /** One figure from each round. */
    List<Double> of(String load, String design) {
        return figures.get(key(load, design));
    }

    double median(String load, String design) {
        return median(of(load, design));
    }

    /** The median of the rounds' ratios. */
    double ratio(String load, String design, String other) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < of(load, design).size(); round++) {
            ratios.add(of(load, design).get(round) / of(load, other).get(round));
        }
        return median(ratios);
    }

    /** "median [least .. most]", or nothing. */
    String spread(String load, String design) {
        if (!has(load, design)) {
            return "";
        }
        List<Double> sorted = of(load, design).stream().sorted().toList();
        return String.format(Locale.ROOT, "%.4g [%.4g .. %.4g]", median(sorted), sorted.getFirst(), sorted.getLast());
    }

    /** A row for each design, a column for each load. */
    void print(String title, List<String> loads, List<String> designs) {
        System.out.printf("%n%s Median [least .. most] of the rounds.%n%n|", title);
        loads.forEach(load -> System.out.printf(" | %s", load));
        System.out.printf(" |%n|---%s|%n", "|---".repeat(loads.size()));
        for (String design : designs) {
            System.out.printf("| %s", design);
            loads.forEach(load -> System.out.printf(" | %s", spread(load, design)));
            System.out.printf(" |%n");
        }
    }

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return (sorted.get((sorted.size() - 1) / 2) + sorted.get(sorted.size() / 2)) / 2;
    }

    private static String key(String load, String design) {
        return load + "/" + design;
    }
}
