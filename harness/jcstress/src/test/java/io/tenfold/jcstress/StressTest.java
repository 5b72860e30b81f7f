package io.tenfold.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs jcstress over all classes whose names end in {@code Stress}, which must pass, and over the weakened twins, whose
 * names end in {@code Weakened}, which must fail. A module adds such classes to this project, in its own package.
 */
class StressTest {
    private static final boolean LONG =
            System.getProperty("jcstress.mode", "quick").equals("long");
    private static final List<String> QUICK = List.of(
            "-f",
            "1",
            "-fsm",
            "1",
            "-iters",
            "5",
            "-time",
            "100",
            "-sc",
            "false",
            "-af",
            "NONE",
            "-jvmArgs",
            "-XX:+UseSerialGC");
    private static final List<String> THOROUGH = List.of("-m", "default");
    private static final int RUN_MINUTES_MAX = LONG ? 120 : 10;

    /** A fault shows by chance: a twin that passed is asked again this often. */
    private static final int ATTEMPTS = 10;

    private static final Pattern TESTS = Pattern.compile("public static class (\\w+)");
    private static final Pattern FAILED = Pattern.compile("\\[FAILED] (\\S+)");
    private static final Pattern RESULTS = Pattern.compile(
            "\\(Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs, (\\d+) hard errs\\)");

    @TempDir
    Path folder;

    @Test
    void statedOrdersHold() throws Exception {
        Run run = run("Stress\\.", LONG ? THOROUGH : QUICK);
        assertThat(run.failed).as(run.output).isEmpty();
        assertThat(run.exit).as(run.output).isZero();
        assertThat(run.passed)
                .as(run.output)
                .isGreaterThanOrEqualTo(tests("Stress.java").size());
    }

    @Test
    void everyWeakenedTwinFails() throws Exception {
        Set<String> missing = tests("Weakened.java");
        assertThat(missing).isNotEmpty();
        for (int attempt = 0; attempt < ATTEMPTS && !missing.isEmpty(); attempt++) {
            String again = missing.stream().map(Pattern::quote).collect(Collectors.joining("|", "^(", ")$"));
            missing.removeAll(run(again, QUICK).failed);
        }
        assertThat(missing).as("weakened twins that nothing was found in").isEmpty();
    }

    /** The full names of the tests in files that end so. */
    private static Set<String> tests(String ending) throws IOException {
        Path root = Path.of("src/main/java");
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(f -> f.toString().endsWith(ending)).toList()) {
                String owner =
                        root.relativize(file).toString().replace(".java", "").replace('/', '.');
                Matcher test = TESTS.matcher(Files.readString(file));
                while (test.find()) {
                    names.add(owner + "." + test.group(1));
                }
            }
        }
        return names;
    }

    private Run run(String tests, List<String> options) throws IOException, InterruptedException {
        Path log = folder.resolve("jcstress.log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "org.openjdk.jcstress.Main",
                "-t",
                tests,
                "-r",
                folder.resolve("results").toString()));
        command.addAll(options);
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (!process.waitFor(RUN_MINUTES_MAX, TimeUnit.MINUTES)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        return new Run(process.exitValue(), Files.readString(log));
    }

    private static final class Run {
        final int exit;
        final String output;
        final Set<String> failed = new TreeSet<>();
        final int passed;

        Run(int exit, String output) {
            this.exit = exit;
            this.output = output;
            Matcher line = FAILED.matcher(output);
            while (line.find()) {
                failed.add(line.group(1));
            }
            int count = 0;
            Matcher results = RESULTS.matcher(output);
            while (results.find()) {
                count = Integer.parseInt(results.group(2));
            }
            passed = count;
        }
    }
}
