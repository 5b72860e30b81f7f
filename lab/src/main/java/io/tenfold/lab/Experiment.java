package io.tenfold.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What one experiment found.
 *
 * @param id which of the postings it repeats: A barrier, B reads, C split, D tags
 * @param name what is measured, as a word or two
 * @param load what was done, the same for all designs, and what that does not show
 * @param unit of all values
 * @param posted what the posting says
 * @param limit the best that could be, or null if there is no such figure
 * @param designs what was measured
 * @param bars what was promised
 */
public record Experiment(
        String id,
        String name,
        String load,
        String unit,
        String posted,
        Double limit,
        List<Design> designs,
        List<Bar> bars) {
    private static final double NOISE_MAX = 0.10;

    public Experiment {
        designs = List.copyOf(designs);
        bars = List.copyOf(bars);
    }

    /** Whether everything promised is there. */
    public boolean allMet() {
        return bars.stream().allMatch(Bar::met);
    }

    /** What a design is here for. */
    public enum Role {
        /** What the posting replaces. */
        BASELINE,
        /** What the posting proposes, or a step of it. */
        POSTED,
        /** What is used if nobody asks for anything else. */
        DEFAULT,
        /** Shown beside. */
        OTHER
    }

    /**
     * One design under the load.
     *
     * @param value the median of several runs
     * @param min the least of them
     * @param max the most of them
     */
    public record Design(String name, Role role, double value, double min, double max) {
        /** The median and the ends of what was measured. */
        public static Design of(String name, Role role, List<Double> measured) {
            List<Double> sorted = measured.stream().sorted().toList();
            return new Design(name, role, median(sorted), sorted.getFirst(), sorted.getLast());
        }
    }

    /**
     * A figure that was promised.
     *
     * @param what the figure
     * @param value what it is
     * @param sense on which side of the bound it must be; on it is enough
     */
    public record Bar(String what, double value, Sense sense, double bound) {
        /** A figure that must not be lower. */
        public static Bar atLeast(double bound, String what, double value) {
            return new Bar(what, value, Sense.AT_LEAST, bound);
        }

        /** A figure that must not be higher. */
        public static Bar atMost(double bound, String what, double value) {
            return new Bar(what, value, Sense.AT_MOST, bound);
        }

        /**
         * A figure that must be as good as another, within the noise of the run itself: at least 1.0 less the median distance
         * of the rounds' ratios from their median, at most a tenth.
         *
         * @param ratios ours over the other, by round
         */
        static Bar noWorse(String what, List<Double> ratios) {
            double ratio = median(ratios);
            double noise = Math.min(
                    NOISE_MAX,
                    median(ratios.stream().map(each -> Math.abs(each - ratio)).toList()));
            return atLeast(
                    Math.round((1 - noise) * 1e3) / 1e3,
                    String.format(Locale.ROOT, "%s (1.0 less this run's noise, %.1f %%)", what, noise * 100),
                    ratio);
        }

        /** Whether it is so. */
        public boolean met() {
            return sense == Sense.AT_LEAST ? value >= bound : value <= bound;
        }
    }

    /** On which side of its bound a figure must be. */
    public enum Sense {
        AT_LEAST,
        AT_MOST
    }

    /**
     * Figures over those of others, by round.
     *
     * @param others of each of them as many as of ours; the highest in a round counts
     */
    static List<Double> ratios(List<Double> ours, List<List<Double>> others) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < ours.size(); round++) {
            double best = 0;
            for (List<Double> other : others) {
                best = Math.max(best, other.get(round));
            }
            ratios.add(ours.get(round) / best);
        }
        return ratios;
    }

    /** The middle of some values, at least one; of two middles their mean. */
    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return (sorted.get((sorted.size() - 1) / 2) + sorted.get(sorted.size() / 2)) / 2;
    }
}
