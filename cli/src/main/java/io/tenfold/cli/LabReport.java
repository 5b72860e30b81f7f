package io.tenfold.cli;

import io.tenfold.lab.Experiment;
import io.tenfold.lab.Experiment.Bar;
import io.tenfold.lab.Experiment.Design;
import io.tenfold.lab.Experiment.Sense;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What experiments found, as text for people or as JSON, and the exit code that goes with it. */
final class LabReport {
    private static final int WIDTH = 100;

    private LabReport() {}

    /** Prints all results, and answers 0 if all bars are met, else {@link ExitCode#BAR_MISSED}. */
    static int print(Console console, List<Experiment> results, boolean json) {
        if (json) {
            Json.print(
                    console.out(),
                    Json.object(
                            "experiments",
                            results.stream().map(LabReport::object).toList()));
        } else {
            printText(console.out(), results);
        }
        return results.stream().allMatch(Experiment::allMet) ? ExitCode.OK : ExitCode.BAR_MISSED;
    }

    private static Map<String, Object> object(Experiment experiment) {
        return Json.object(
                "id", experiment.id(),
                "name", experiment.name(),
                "load", experiment.load(),
                "unit", experiment.unit(),
                "posted", experiment.posted(),
                "limit", experiment.limit(),
                "designs", experiment.designs().stream().map(LabReport::object).toList(),
                "bars", experiment.bars().stream().map(LabReport::object).toList());
    }

    private static Map<String, Object> object(Design design) {
        return Json.object(
                "name", design.name(),
                "role", design.role().name().toLowerCase(Locale.ROOT),
                "value", design.value(),
                "min", design.min(),
                "max", design.max());
    }

    private static Map<String, Object> object(Bar bar) {
        return Json.object(
                "what",
                bar.what(),
                "value",
                bar.value(),
                bar.sense() == Sense.AT_LEAST ? "at_least" : "at_most",
                bar.bound(),
                "met",
                bar.met());
    }

    private static void printText(PrintStream out, List<Experiment> results) {
        String load = "";
        for (Experiment experiment : results) {
            out.println("experiment " + experiment.id() + ", " + experiment.name());
            if (!experiment.load().equals(load)) {
                load = experiment.load();
                wrapped("load: " + load).forEach(out::println);
            }
            out.println("  posted: " + experiment.posted());
            out.println();
            int longest = experiment.designs().stream()
                    .mapToInt(design -> design.name().length())
                    .max()
                    .orElse(0);
            String form = "  %-" + longest + "s  %-8s  %14s  [%s .. %s] %s%n";
            for (Design design : experiment.designs()) {
                out.printf(
                        Locale.ROOT,
                        form,
                        design.name(),
                        design.role().name().toLowerCase(Locale.ROOT),
                        number(design.value()),
                        number(design.min()),
                        number(design.max()),
                        experiment.unit());
            }
            if (experiment.limit() != null) {
                out.println("  limit: " + number(experiment.limit()));
            }
            out.println();
            for (Bar bar : experiment.bars()) {
                out.printf(
                        Locale.ROOT,
                        "  %-6s  %s: %.2f, asked is %s %s%n",
                        bar.met() ? "met" : "MISSED",
                        bar.what(),
                        bar.value(),
                        bar.sense() == Sense.AT_LEAST ? "at least" : "at most",
                        bar.bound());
            }
            if (!experiment.bars().isEmpty()) {
                out.println();
            }
        }
    }

    /** Three digits or more of a value that is not negative, with a blank between thousands. */
    private static String number(double value) {
        String text = String.format(Locale.ROOT, value < 100 ? "%.1f" : "%,.0f", value);
        return text.replace(',', ' ');
    }

    private static List<String> wrapped(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(" ");
        for (String word : text.split(" ", -1)) {
            if (line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line = new StringBuilder("   ");
            }
            line.append(' ').append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
