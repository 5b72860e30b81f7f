package io.tenfold.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.EvaluationResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The house rules hold for the program, and each of them rejects its canary. */
class HouseRulesTest {
    private static final JavaClasses PROGRAM = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/io/tenfold/rules/"))
            .withImportOption(location -> !location.contains("/canary/"))
            .withImportOption(location -> !location.contains("/io/tenfold/testkit/"))
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.tenfold");

    private static final Map<String, Class<?>> CANARIES = Map.of(
            "levels", io.tenfold.base.canary.KnowsABlockWord.class,
            "native code", io.tenfold.block.canary.LinksNativeCode.class,
            "time", io.tenfold.block.canary.ReadsTheClock.class,
            "randomness", io.tenfold.block.canary.RollsDice.class,
            "threads", io.tenfold.raid.canary.StartsAThread.class,
            "processes", io.tenfold.raid.canary.StartsAProcess.class,
            "console", io.tenfold.raid.canary.PrintsALine.class,
            "names", io.tenfold.raid.canary.ChunkUtil.class);

    @Test
    void theProgramWasFound() {
        for (String module : List.of("base", "block", "lab")) {
            assertThat(PROGRAM.stream().filter(c -> c.getPackageName().startsWith("io.tenfold." + module)))
                    .as(module)
                    .hasSizeGreaterThan(5);
        }
    }

    @TestFactory
    List<DynamicTest> programKeepsEveryRule() {
        return HouseRules.all().entrySet().stream()
                .map(rule -> DynamicTest.dynamicTest(
                        rule.getKey(), () -> rule.getValue().check(PROGRAM)))
                .toList();
    }

    @TestFactory
    List<DynamicTest> everyRuleRejectsItsCanary() {
        return HouseRules.all().entrySet().stream()
                .map(rule -> DynamicTest.dynamicTest(rule.getKey(), () -> {
                    Class<?> canary = CANARIES.get(rule.getKey());
                    assertThat(canary)
                            .as("rule without a canary: %s", rule.getKey())
                            .isNotNull();
                    EvaluationResult result = rule.getValue().evaluate(new ClassFileImporter().importClasses(canary));
                    assertThat(result.hasViolation())
                            .as("rule %s lets %s pass", rule.getKey(), canary)
                            .isTrue();
                }))
                .toList();
    }

    @Test
    void noSourceFileIsLongerThan600Lines() throws Exception {
        assertThat(SourceRules.tooLong(Repository.root(), 600)).isEmpty();
    }

    @Test
    void tooLongASourceFileIsNoticed(@org.junit.jupiter.api.io.TempDir Path dir) throws Exception {
        Files.writeString(dir.resolve("Long.java"), "//\n".repeat(601));
        assertThat(SourceRules.tooLong(dir, 600)).hasSize(1);
    }

    @Test
    void eachModuleExportsOnePackageOfItsOwnNameAtMost() throws Exception {
        assertThat(SourceRules.wrongExports(Repository.root())).isEmpty();
    }

    @Test
    void secondExportedPackageIsNoticed(@org.junit.jupiter.api.io.TempDir Path dir) throws Exception {
        Path file = dir.resolve("x/src/main/java/module-info.java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "module io.tenfold.x {\n exports io.tenfold.x;\n exports io.tenfold.x.wire;\n}\n");
        assertThat(SourceRules.wrongExports(dir)).hasSize(1);
    }

    @Test
    void noTestIsSwitchedOff() throws Exception {
        assertThat(SourceRules.switchedOff(Repository.root())).isEmpty();
    }

    @Test
    void switchedOffTestIsNoticed(@org.junit.jupiter.api.io.TempDir Path dir) throws Exception {
        Files.writeString(dir.resolve("OffTest.java"), "@" + "Disabled class OffTest {}\n");
        assertThat(SourceRules.switchedOff(dir)).hasSize(1);
    }
}
