package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.lab.Experiment;
import io.tenfold.lab.Experiment.Bar;
import io.tenfold.lab.Experiment.Design;
import io.tenfold.lab.Experiment.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/** What the experiments' commands print and with what they exit; the experiments themselves are tested where they are. */
class LabCommandTest {
    private final CapturedConsole captured = new CapturedConsole();

    @Test
    void jsonHasTheShapeThatIsPromisedAndNothingElseIsOnStandardOutput() throws Exception {
        assertThat(tags(experiment(1.9), "--json")).isEqualTo(ExitCode.OK);
        assertThat(captured.err()).startsWith("tenfold: lab tags   0 %, 0 of 2 runs");
        Map<?, ?> top = parse(captured.out());
        assertThat(top.keySet()).hasToString("[experiments]");
        List<?> experiments = (List<?>) top.get("experiments");
        assertThat(experiments).hasSize(1);
        Map<?, ?> experiment = (Map<?, ?>) experiments.getFirst();
        assertThat(experiment.keySet()).hasToString("[id, name, load, unit, posted, limit, designs, bars]");
        assertThat(experiment.get("id")).isEqualTo("D");
        assertThat(experiment.get("limit")).isNull();
        List<?> designs = (List<?>) experiment.get("designs");
        assertThat(((Map<?, ?>) designs.getFirst()).keySet()).hasToString("[name, role, value, min, max]");
        assertThat(fields(designs, "role")).containsExactly("baseline", "default");
        List<?> bars = (List<?>) experiment.get("bars");
        assertThat(((Map<?, ?>) bars.getFirst()).keySet()).hasToString("[what, value, at_least, met]");
        assertThat(((Map<?, ?>) bars.getLast()).keySet()).hasToString("[what, value, at_most, met]");
        assertThat(fields(bars, "at_least")).containsExactly(1.84, null);
        assertThat(fields(bars, "met")).containsExactly(true, true);
    }

    @Test
    void parserIsStrict() {
        assertThat(catchParse("{\"a\":1,\"a\":2}")).contains("uplicate");
        assertThat(catchParse("{\"a\":1} x")).isNotEmpty();
    }

    @Test
    void missedFigureIsExitStatusThreeInBothForms() throws Exception {
        assertThat(tags(experiment(1.83), "--json")).isEqualTo(3);
        Map<?, ?> experiment = (Map<?, ?>) ((List<?>) parse(captured.out()).get("experiments")).getFirst();
        assertThat(fields((List<?>) experiment.get("bars"), "met")).containsExactly(false, true);
        CapturedConsole other = new CapturedConsole();
        assertThat(run(other, experiment(1.83))).isEqualTo(3);
        assertThat(other.out()).contains("MISSED  fast / slow: 1.83, asked is at least 1.84");
    }

    /** The canary of the barrier's figures: a default that is no faster than what it replaces. */
    @Test
    void barrierMissesItsFiguresToo() throws Exception {
        assertThat(barrier(experiment(1.83))).isEqualTo(ExitCode.BAR_MISSED);
        assertThat(captured.err()).startsWith("tenfold: lab barrier   0 %, 0 of 2 runs");
        Map<?, ?> experiment = (Map<?, ?>) ((List<?>) parse(captured.out()).get("experiments")).getFirst();
        assertThat(fields((List<?>) experiment.get("bars"), "met")).containsExactly(false, true);
        assertThat(barrier(experiment(1.84))).isEqualTo(ExitCode.OK);
    }

    @Test
    void textShowsDesignsWithTheirSpread() {
        assertThat(tags(experiment(1.9))).isEqualTo(ExitCode.OK);
        assertThat(captured.out()).isEqualToNormalizingNewlines("""
                experiment D, tags
                  load: much
                  posted: 800k

                  slow  baseline             800  [700 .. 900] IOPS
                  fast  default            1 500  [1 400 .. 1 600] IOPS

                  met     fast / slow: 1.90, asked is at least 1.84
                  met     share: 20.00, asked is at most 30.0

                """);
    }

    @Test
    void failedRunIsOneLine() {
        int exitCode = new CommandLine(new LabTagsCommand(captured.console, _ -> {
                    throw new IOException("a run failed: exitCode=1, said=nothing");
                }))
                .setExecutionExceptionHandler((e, _, _) -> Failures.report(captured.console, e))
                .execute();
        assertThat(exitCode).isEqualTo(ExitCode.FAILED);
        assertThat(captured.err()).isEqualToNormalizingNewlines("tenfold: a run failed: exitCode=1, said=nothing\n");
        assertThat(captured.out()).isEmpty();
    }

    @Test
    void wrongUsageIsExitStatusTwo() {
        assertThat(captured.run("lab")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.err()).startsWith("tenfold: experiment is missing");
        assertThat(captured.run("lab", "nonsense")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.run("lab", "tags", "--fast")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.run("lab", "barrier", "--threads", "4")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.run("lab", "split", "one")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.run("lab", "reads", "--fast")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.out()).isEmpty();
    }

    @Test
    void drawingIsWrittenWhereItIsAskedFor(@TempDir Path dir) throws IOException {
        Path file = dir.resolve("c.svg");
        int exitCode = new CommandLine(new LabSplitCommand(captured.console, _ -> List.of(experiment(1.9))))
                .execute("--svg", file.toString());
        assertThat(exitCode).isZero();
        assertThat(Files.readString(file)).startsWith("<svg").contains(">fast<");
        exitCode = new CommandLine(new LabReadsCommand(captured.console, _ -> List.of(experiment(1.83))))
                .execute("--svg", file.toString());
        assertThat(exitCode).isEqualTo(3);
        assertThat(Files.readString(file)).startsWith("<svg").contains(">fast<", "posted in 2016");
        exitCode = new CommandLine(new LabBarrierCommand(captured.console, source(experiment(1.9))))
                .execute("--svg", file.toString());
        assertThat(exitCode).isZero();
        assertThat(Files.readString(file)).startsWith("<svg").contains("Prediction");
    }

    private int barrier(Experiment result) {
        return new CommandLine(new LabBarrierCommand(captured.console, source(result))).execute("--json");
    }

    private int tags(Experiment result, String... args) {
        return run(captured, result, args);
    }

    private static int run(CapturedConsole console, Experiment result, String... args) {
        return new CommandLine(new LabTagsCommand(console.console, source(result))).execute(args);
    }

    private static LabRun source(Experiment result) {
        return progress -> {
            progress.at(0, 2);
            progress.at(2, 2);
            return List.of(result);
        };
    }

    private static Experiment experiment(double ratio) {
        return new Experiment(
                "D",
                "tags",
                "much",
                "IOPS",
                "800k",
                null,
                List.of(
                        Design.of("slow", Role.BASELINE, List.of(700.0, 900.0, 800.0)),
                        Design.of("fast", Role.DEFAULT, List.of(1400.0, 1600.0, 1500.0))),
                List.of(Bar.atLeast(1.84, "fast / slow", ratio), Bar.atMost(30, "share", 20)));
    }

    private static List<Object> fields(List<?> objects, String name) {
        List<Object> values = new ArrayList<>();
        for (Object object : objects) {
            values.add(((Map<?, ?>) object).get(name));
        }
        return values;
    }

    private static String catchParse(String text) {
        try {
            parse(text);
            return "";
        } catch (RuntimeException e) {
            return e.getMessage();
        }
    }

    /** Objects as maps in their order, arrays as lists; refuses names given twice and anything behind the value. */
    private static Map<?, ?> parse(String text) {
        JsonFactory factory = JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build();
        try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), text)) {
            parser.nextToken();
            Object value = value(parser);
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("more than one value: at=" + parser.currentLocation());
            }
            return (Map<?, ?>) value;
        }
    }

    private static Object value(JsonParser parser) {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, Object> object = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    object.put(name, value(parser));
                }
                yield object;
            }
            case START_ARRAY -> {
                List<Object> array = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    array.add(value(parser));
                }
                yield array;
            }
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new IllegalArgumentException("no value: token=" + parser.currentToken());
        };
    }
}
