package io.tenfold.rules;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the compiler cannot check: levels, and calls that only one module may make. */
final class HouseRules {
    /** Level 2: they use the contract and never one another. */
    static final List<String> SIDE_BY_SIDE = List.of("queue", "raid", "linux", "nbd", "trace", "bench", "sim");

    private HouseRules() {}

    /** Every rule that is about classes, by its name. */
    static Map<String, ArchRule> all() {
        Map<String, ArchRule> rules = new LinkedHashMap<>();
        rules.put("levels", levels());
        rules.put("native code", nativeCode());
        rules.put("time", time());
        rules.put("randomness", randomness());
        rules.put("threads", threads());
        rules.put("processes", processes());
        rules.put("console", console());
        rules.put("names", names());
        return rules;
    }

    private static ArchRule levels() {
        List<ArchRule> rules = new ArrayList<>();
        rules.add(uses("base", "io.tenfold.base.."));
        rules.add(uses("block", "io.tenfold.base..", "io.tenfold.block.."));
        rules.add(uses(
                "lab",
                "io.tenfold.base..",
                "io.tenfold.block..",
                "io.tenfold.queue..",
                "io.tenfold.raid..",
                "io.tenfold.sim..",
                "io.tenfold.lab.."));
        for (String module : SIDE_BY_SIDE) {
            rules.add(uses(module, "io.tenfold.base..", "io.tenfold.block..", "io.tenfold." + module + ".."));
        }
        return CompositeArchRule.of(rules);
    }

    private static ArchRule uses(String module, String... allowed) {
        return noClasses()
                .that()
                .resideInAPackage("io.tenfold." + module + "..")
                .should()
                .dependOnClassesThat(
                        are(resideInAPackage("io.tenfold..").and(DescribedPredicate.not(resideInAnyPackage(allowed)))))
                .allowEmptyShould(true)
                .because(module + " may use only " + List.of(allowed));
    }

    private static ArchRule nativeCode() {
        return noClasses()
                .that()
                .resideOutsideOfPackage("io.tenfold.linux..")
                .should()
                .accessTargetWhere(calls(
                        Set.of(
                                "java.lang.foreign.Linker.*",
                                "java.lang.foreign.SymbolLookup.*",
                                "java.lang.foreign.MemorySegment.reinterpret",
                                "java.lang.System.loadLibrary",
                                "java.lang.System.load",
                                "java.lang.Runtime.loadLibrary",
                                "java.lang.Runtime.load"),
                        "native code"))
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("sun.misc.Unsafe")
                .because("native code lives in io.tenfold.linux");
    }

    private static ArchRule time() {
        return noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.tenfold.base.SystemClock")
                .should()
                .accessTargetWhere(calls(
                        Set.of(
                                "java.lang.System.nanoTime",
                                "java.lang.System.currentTimeMillis",
                                "java.time.Instant.now",
                                "java.time.Clock.*",
                                "java.time.LocalDateTime.now",
                                "java.time.ZonedDateTime.now",
                                "java.util.Date.<init>",
                                "java.lang.Thread.sleep"),
                        "the machine's time"))
                .because("time comes from a Clock and waiting from a Waiter");
    }

    private static ArchRule randomness() {
        return noClasses()
                .should()
                .accessTargetWhere(calls(
                        Set.of(
                                "java.util.Random.*",
                                "java.util.SplittableRandom.*",
                                "java.util.concurrent.ThreadLocalRandom.*",
                                "java.lang.Math.random"),
                        "random numbers without a seed of ours"))
                .because("randomness comes from a Prng, so that a seed repeats a run (identities: SecureRandom, UUID)");
    }

    private static ArchRule threads() {
        return noClasses()
                .that()
                .resideOutsideOfPackages("io.tenfold.cli..", "io.tenfold.lab..")
                .should()
                .accessTargetWhere(calls(
                        Set.of(
                                "java.lang.Thread.<init>",
                                "java.lang.Thread.start",
                                "java.lang.Thread.ofPlatform",
                                "java.lang.Thread.ofVirtual",
                                "java.lang.Thread.startVirtualThread",
                                "java.util.concurrent.Executors.*",
                                "java.util.concurrent.ThreadPoolExecutor.*",
                                "java.util.concurrent.ForkJoinPool.*",
                                "java.util.concurrent.CompletableFuture.supplyAsync",
                                "java.util.concurrent.CompletableFuture.runAsync",
                                "java.util.Timer.*"),
                        "threads"))
                .because("whoever composes the stack starts its threads");
    }

    private static ArchRule processes() {
        return noClasses()
                .that()
                .resideOutsideOfPackages("io.tenfold.cli..", "io.tenfold.lab..")
                .should()
                .accessTargetWhere(
                        calls(Set.of("java.lang.ProcessBuilder.*", "java.lang.Runtime.exec"), "other processes"))
                .because("a library does its work itself");
    }

    private static ArchRule console() {
        return noClasses()
                .that()
                .resideOutsideOfPackages("io.tenfold.cli..", "io.tenfold.lab..")
                .should()
                .accessTargetWhere(calls(
                        Set.of("java.lang.System.out", "java.lang.System.err", "java.lang.System.exit"), "the console"))
                .because("a library does not talk to the console");
    }

    private static ArchRule names() {
        return noClasses()
                .should()
                .haveNameMatching(".*\\.(\\w*Utils?|\\w*Helpers?|\\w*Misc)(\\$.*)?")
                .orShould()
                .resideInAnyPackage("..util..", "..utils..", "..helpers..")
                .because("a class is named for what it is");
    }

    /** Accesses whose target's owner and name match one of {@code Class.member} or {@code Class.*}. */
    private static DescribedPredicate<JavaAccess<?>> calls(Set<String> members, String what) {
        return DescribedPredicate.describe(what, access -> {
            AccessTarget target = access.getTarget();
            JavaClass owner = target.getOwner();
            return members.contains(owner.getFullName() + "." + target.getName())
                    || members.contains(owner.getFullName() + ".*");
        });
    }
}
