package io.tenfold.lab;

import java.util.ArrayList;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;

/** A drawing of curves over numbers that double; both scales are logarithmic, and a grid line is twice the one before. */
final class CurveChart {
    private static final int LEFT = 60;
    private static final int TOP = 60;
    private static final int RIGHT = 190;
    private static final int BOTTOM = 50;
    private static final int STEP_X = 110;
    private static final int STEP_Y = 60;
    private static final List<String> COLOURS = List.of("#2563a8", "#b3261e", "#c77700", "#2e7d32");

    private final String title;
    private final String across;
    private final String unit;
    private final List<Integer> places;
    private final double least;
    private final int doublings;
    private final List<String> drawn = new ArrayList<>();
    private int curves;

    /**
     * An empty drawing.
     *
     * @param across what the places are
     * @param unit of all values
     * @param places of the values, each twice the one before
     * @param least where the scale of values begins, above 0; lower values are drawn there
     * @param doublings how often that is doubled to where it ends
     */
    CurveChart(String title, String across, String unit, List<Integer> places, double least, int doublings) {
        this.title = title;
        this.across = across;
        this.unit = unit;
        this.places = places;
        this.least = least;
        this.doublings = doublings;
    }

    /** Adds a curve, one value for each place. */
    CurveChart curve(String label, List<Double> values) {
        String colour = COLOURS.get(curves++ % COLOURS.size());
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < values.size(); i++) {
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(i), y(values.get(i))));
        }
        drawn.add(String.format(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>",
                points.toString().strip(), colour));
        drawn.add(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s, %.1f</text>",
                x(values.size() - 1) + 8,
                y(values.getLast()) + 4,
                colour,
                BarChart.escaped(label),
                values.getLast()));
        return this;
    }

    /** Adds a point that somebody else has measured. */
    CurveChart point(String label, int place, double value) {
        double x = x(places.indexOf(place));
        drawn.add(String.format(
                Locale.ROOT, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"none\" stroke=\"black\"/>", x, y(value)));
        drawn.add(String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\">%s</text>", x + 9, y(value) + 18, BarChart.escaped(label)));
        return this;
    }

    /** The drawing, as a file that stands by itself. */
    String svg() {
        Formatter svg = new Formatter(Locale.ROOT);
        double right = x(places.size() - 1);
        double bottom = y(least);
        double width = right + RIGHT;
        double height = bottom + BOTTOM;
        svg.format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\""
                        + " font-family=\"sans-serif\" font-size=\"13\">\n",
                width, height, width, height);
        svg.format("<title>%s</title>\n", BarChart.escaped(title));
        svg.format("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
        svg.format("<text x=\"12\" y=\"24\" font-size=\"16\">%s</text>\n", BarChart.escaped(title));
        svg.format("<text x=\"12\" y=\"%d\" fill=\"#666666\">%s</text>\n", TOP - 14, BarChart.escaped(unit));
        for (int step = 0; step <= doublings; step++) {
            double value = least * (1L << step);
            svg.format(
                    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n",
                    LEFT, y(value), right, y(value));
            svg.format(
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#666666\">%s</text>\n",
                    LEFT - 8, y(value) + 4, value == Math.rint(value) ? String.valueOf((long) value) : value);
        }
        for (int i = 0; i < places.size(); i++) {
            svg.format(
                    "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"#666666\">%d</text>\n",
                    x(i), bottom + 20, places.get(i));
        }
        svg.format(
                "<text x=\"%d\" y=\"%.1f\" fill=\"#666666\">%s</text>\n", LEFT, bottom + 40, BarChart.escaped(across));
        drawn.forEach(one -> svg.format("%s\n", one));
        svg.format("</svg>\n");
        return svg.toString();
    }

    private static double x(int index) {
        return LEFT + index * STEP_X;
    }

    private double y(double value) {
        return TOP + (doublings - Math.log(Math.max(value, least) / least) / Math.log(2)) * STEP_Y;
    }
}
