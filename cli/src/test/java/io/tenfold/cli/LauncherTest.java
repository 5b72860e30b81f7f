package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher script in a small tree of its own, with a JDK and a Maven that only say what they were asked for. */
@Timeout(60)
class LauncherTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    /** Answers --version of no one: it prints its arguments, or as the trainer leaves a cache. */
    private static final String JAVA = """
            #!/bin/sh
            for argument; do
                case $argument in -XX:AOTCacheOutput=*) echo cache >"${argument#*=}" && exit 0 ;; esac
            done
            for argument; do echo "<$argument>"; done
            exit 7
            """;

    private static final String MAVEN = """
            #!/bin/sh
            here=$(dirname "$0")
            echo "$@" >>"$here/maven.calls"
            [ ! -e "$here/slow" ] || sleep 1
            if [ -e "$here/broken" ]; then
                echo '[ERROR] Foo.java:[1,2] no such thing'
                exit 1
            fi
            for argument; do
                case $argument in -Dprogram.directory=*) out=${argument#*=} ;; esac
            done
            echo '[INFO] Downloaded from central: https://example.org/a.jar (1 kB)'
            echo '[INFO] Building tenfold-base 1                          [1/2]'
            mkdir -p "$out/jars" "$out/tenfold-base/classes"
            cp "$here/base/src/main/java/A.java" "$out/jars/a.jar"
            """;

    @TempDir
    Path temp;

    private Path tree;

    @BeforeEach
    void makeTree() throws IOException {
        tree = temp.resolve("a clone with spaces");
        Files.createDirectories(tree.resolve(".mvn"));
        Files.copy(ROOT.resolve("tenfold"), tree.resolve("tenfold"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.copy(ROOT.resolve(".mvn/jdk.sh"), tree.resolve(".mvn/jdk.sh"));
        Files.createDirectories(tree.resolve("base/src/main/java"));
        source("A.java", "first");
        script(tree.resolve("mvnw"), MAVEN);
        Path jdk = temp.resolve("jdk");
        Files.createDirectories(jdk.resolve("bin"));
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
        script(jdk.resolve("bin/java"), JAVA);
        script(jdk.resolve("bin/javac"), "#!/bin/sh\n");
    }

    @Test
    void firstStartBuildsAndSaysWhatItDoesOnStandardError() throws Exception {
        Ran ran = run("examine", "a b", "--json");
        assertThat(ran.exitCode).isEqualTo(7);
        assertThat(ran.err)
                .containsExactly(
                        "tenfold: first start, building",
                        "tenfold: fetching libraries (1 files)",
                        "tenfold: compiling base (1 of 2)",
                        "tenfold: preparing fast starts",
                        "tenfold: built in 0 s");
        assertThat(ran.out)
                .endsWith("<--module>", "<io.tenfold.cli/io.tenfold.cli.Main>", "<examine>", "<a b>", "<--json>");
        assertThat(ran.out).contains("<--enable-native-access=io.tenfold.linux>");
        assertThat(ran.out).anyMatch(line -> line.matches("<-XX:AOTCache=.*/start.aot>"));
    }

    @Test
    void secondStartIsQuietAndBuildsNothing() throws Exception {
        run("--version");
        assertThat(run("--version").err).isEmpty();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void serversAndExperimentsKeepTheOptimisingCompilerAndShortCommandsDoNot() throws Exception {
        for (String server : List.of("up", "serve", "lab")) {
            assertThat(run("--some-option", server, "examine").out).doesNotContain("<-XX:TieredStopAtLevel=1>");
        }
        assertThat(run("examine", "up").out).contains("<-XX:TieredStopAtLevel=1>");
        assertThat(run().out).contains("<-XX:TieredStopAtLevel=1>");
    }

    @Test
    void changedAddedAndDeletedSourcesAreBuilt() throws Exception {
        run();
        age();
        source("A.java", "second");
        assertThat(run().err).first().isEqualTo("tenfold: sources have changed, building");
        assertThat(builds()).isEqualTo(2);
        age();
        source("B.java", "added");
        run();
        assertThat(builds()).isEqualTo(3);
        age();
        Files.delete(tree.resolve("base/src/main/java/B.java"));
        run();
        assertThat(builds()).isEqualTo(4);
        run();
        assertThat(builds()).isEqualTo(4);
    }

    @Test
    void changesOfTestsAndOutputsAreNotBuilt() throws Exception {
        run();
        age();
        for (String elsewhere :
                List.of("base/src/test/java", "base/target/src/main/java", "docs/src/main/java", ".x")) {
            Files.createDirectories(tree.resolve(elsewhere));
            Files.writeString(tree.resolve(elsewhere).resolve("A.java"), "other");
        }
        run();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void itWorksFromElsewhereAndThroughSymbolicLinks() throws Exception {
        Path first = Files.createSymbolicLink(temp.resolve("first"), Path.of("a clone with spaces/tenfold"));
        Path second = Files.createSymbolicLink(temp.resolve("second"), first);
        Ran ran = start(Path.of("/"), List.of(second.toString())).waitFor();
        assertThat(ran.exitCode).isEqualTo(7);
        String within = "<" + tree.toRealPath() + "/.tenfold/build.";
        assertThat(ran.out).anyMatch(line -> line.startsWith(within));
    }

    @Test
    void failedBuildIsSaidInOneLineWithItsLogAndLeavesNothingBehind() throws Exception {
        Files.createFile(tree.resolve("broken"));
        Ran ran = run();
        assertThat(ran.exitCode).isEqualTo(1);
        assertThat(ran.out).isEmpty();
        assertThat(ran.err)
                .containsExactly(
                        "tenfold: first start, building",
                        "tenfold: build failed: log=" + tree.toRealPath() + "/.tenfold/build.log",
                        "  detail: Foo.java:[1,2] no such thing");
        assertThat(names()).containsExactly("build.log");
        Files.delete(tree.resolve("broken"));
        assertThat(run().exitCode).isEqualTo(7);
    }

    @Test
    void startsAtOnceBuildOnceAndAllRun() throws Exception {
        Files.createFile(tree.resolve("slow"));
        List<Running> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(start(tree, List.of("./tenfold", "--version")));
        }
        for (Running running : all) {
            Ran ran = running.waitFor();
            assertThat(ran.exitCode).as("err=%s", ran.err).isEqualTo(7);
        }
        assertThat(builds()).isEqualTo(1);
        assertThat(names()).doesNotContain("lock");
    }

    @Test
    void lockOfADeadBuilderIsBroken() throws Exception {
        Files.createDirectories(tree.resolve(".tenfold"));
        Process dead = new ProcessBuilder("true").start();
        dead.waitFor();
        Files.createSymbolicLink(tree.resolve(".tenfold/lock"), Path.of(Long.toString(dead.pid())));
        assertThat(run().exitCode).isEqualTo(7);
        assertThat(names()).doesNotContain("lock");
    }

    @Test
    void buildThatAServerRunsFromStaysAndOthersGo() throws Exception {
        run("up");
        Path served;
        try (Stream<Path> builds = Files.list(tree.resolve(".tenfold"))) {
            served = builds.filter(path -> path.getFileName().toString().startsWith("build."))
                    .filter(Files::isDirectory)
                    .findFirst()
                    .orElseThrow();
        }
        Files.createFile(served.resolve("used." + ProcessHandle.current().pid()));
        for (int i = 0; i < 4; i++) {
            age();
            source("A.java", "change " + i);
            run();
        }
        assertThat(served).exists();
        assertThat(names().stream().filter(name -> name.matches("build\\.[^.]{6}")))
                .hasSize(3);
    }

    private void source(String name, String text) throws IOException {
        Files.writeString(tree.resolve("base/src/main/java").resolve(name), text);
    }

    /** Makes all that is there older than what will be written next, whatever the file system's resolution. */
    private void age() throws IOException {
        FileTime past = FileTime.from(Instant.now().minusSeconds(100));
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : (Iterable<Path>) all.filter(path -> !Files.isSymbolicLink(path))::iterator) {
                Files.setLastModifiedTime(path, past);
            }
        }
    }

    private long builds() throws IOException {
        return Files.readAllLines(tree.resolve("maven.calls")).size();
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(tree.resolve(".tenfold"))) {
            return files.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private Ran run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("./tenfold"));
        command.addAll(List.of(arguments));
        return start(tree, command).waitFor();
    }

    private Running start(Path directory, List<String> command) throws IOException {
        Path out = Files.createTempFile(temp, "out", "");
        Path err = Files.createTempFile(temp, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().put("JAVA_HOME", temp.resolve("jdk").toString());
        builder.redirectOutput(out.toFile()).redirectError(err.toFile());
        return new Running(builder.start(), out, err);
    }

    private static void script(Path path, String text) throws IOException {
        Files.writeString(path, text);
        assertThat(path.toFile().setExecutable(true)).isTrue();
    }

    private record Running(Process process, Path out, Path err) {
        Ran waitFor() throws Exception {
            assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
            return new Ran(process.exitValue(), Files.readAllLines(out), Files.readAllLines(err));
        }
    }

    private record Ran(int exitCode, List<String> out, List<String> err) {}
}
