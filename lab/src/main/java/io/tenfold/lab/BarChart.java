package io.tenfold.lab;

import java.util.ArrayList;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;

/** A drawing of values beside one another: a bar each, with a line from the least to the most that was measured. */
public final class BarChart {
    private static final int WIDTH = 950;
    private static final int LABELS = 390;
    private static final int VALUES = 160;
    private static final int ROW = 24;
    private static final int TOP = 58;

    private final String title;
    private final String unit;
    private final double limit;
    private final List<Row> rows = new ArrayList<>();

    /** What is drawn in one row; without a kind it is a heading. */
    private record Row(String label, Kind kind, double value, double min, double max) {}

    /** Whose figure it is. */
    public enum Kind {
        /** Measured here. */
        OURS("#2563a8"),
        /** From a posting, or measured on a kernel. */
        THEIRS("#9a9a9a");

        private final String colour;

        Kind(String colour) {
            this.colour = colour;
        }
    }

    /**
     * An empty drawing.
     *
     * @param unit of all values
     * @param limit where the scale ends, above 0
     */
    public BarChart(String title, String unit, double limit) {
        this.title = title;
        this.unit = unit;
        this.limit = limit;
    }

    /** Adds a heading. */
    public BarChart heading(String text) {
        rows.add(new Row(text, null, 0, 0, 0));
        return this;
    }

    /** Adds a bar. */
    public BarChart bar(Kind kind, String label, double value, double min, double max) {
        rows.add(new Row(label, kind, value, min, max));
        return this;
    }

    /** The drawing, as a file that stands by itself. */
    public String svg() {
        Formatter svg = new Formatter(Locale.ROOT);
        int height = TOP + rows.size() * ROW + 20;
        svg.format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"13\">\n",
                WIDTH, height, WIDTH, height);
        svg.format("<title>%s</title>\n", escaped(title));
        svg.format("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
        svg.format("<text x=\"12\" y=\"24\" font-size=\"16\">%s</text>\n", escaped(title));
        for (int step = 0; step <= 5; step++) {
            double at = limit * step / 5;
            svg.format(
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#dddddd\"/>\n",
                    x(at), TOP - 6, x(at), height - 16);
            String number = at == Math.rint(at) ? "%.0f" : "%.1f";
            svg.format(
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#666666\">%s</text>\n",
                    x(at), TOP - 10, String.format(Locale.ROOT, number, at) + (step == 5 ? " " + escaped(unit) : ""));
        }
        for (int i = 0; i < rows.size(); i++) {
            row(svg, rows.get(i), TOP + i * ROW);
        }
        svg.format("</svg>\n");
        return svg.toString();
    }

    private void row(Formatter svg, Row row, int y) {
        if (row.kind == null) {
            svg.format("<text x=\"12\" y=\"%d\" font-weight=\"bold\">%s</text>\n", y + 16, escaped(row.label));
            return;
        }
        svg.format("<text x=\"24\" y=\"%d\">%s</text>\n", y + 16, escaped(row.label));
        svg.format(
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
                LABELS, y + 4, x(row.value) - LABELS, ROW - 8, row.kind.colour);
        String text = String.format(Locale.ROOT, "%.1f", row.value);
        if (row.min < row.max) {
            svg.format(
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"black\"/>\n",
                    x(row.min), y + ROW / 2, x(row.max), y + ROW / 2);
            text = String.format(Locale.ROOT, "%.1f (%.1f to %.1f)", row.value, row.min, row.max);
        }
        svg.format("<text x=\"%.1f\" y=\"%d\">%s</text>\n", x(Math.max(row.value, row.max)) + 6, y + 16, text);
    }

    private double x(double value) {
        return LABELS + value / limit * (WIDTH - LABELS - VALUES);
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
