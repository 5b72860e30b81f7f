package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.Command;

/** What every error has to look like to a user. */
final class Refusal {
    private Refusal() {}

    /**
     * Checks that the program failed in the house's form: a first line {@code tenfold: what is wrong}, perhaps details
     * and hints, never a stack trace.
     *
     * @param words parts of the text that must be in it, in any order
     */
    static void check(Command.Result result, String... words) {
        result.failed();
        assertThat(result.all())
                .as("no stack trace and no class names")
                .doesNotContain("\tat ", "Exception", "java.", "io.tenfold.", "internal error");
        String[] lines = result.err().split("\n");
        assertThat(lines).as("%s", result).anyMatch(line -> line.startsWith("tenfold: "));
        assertThat(lines.length).as("short enough to be read:\n%s", result).isLessThanOrEqualTo(12);
        for (String word : words) {
            assertThat(result.err()).as("%s", result).containsIgnoringCase(word);
        }
    }
}
