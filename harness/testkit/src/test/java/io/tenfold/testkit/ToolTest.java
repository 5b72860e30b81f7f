package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class ToolTest {
    @Test
    void whatIsMissingSkipsTheTestAndFailsItInCi() {
        Class<? extends Throwable> expected = Tool.isCi() ? AssertionError.class : TestAbortedException.class;
        assertThatExceptionOfType(expected)
                .isThrownBy(() -> Tool.require(false, "needs a thing: apt-get install thing"))
                .withMessageEndingWith("needs a thing: apt-get install thing");
        assertThatNoException().isThrownBy(() -> Tool.require(true, "needs nothing"));
    }

    @Test
    void everyToolNamesItsPackage() {
        for (Tool tool : Tool.values()) {
            try {
                assertThat(tool.path()).isExecutable();
            } catch (TestAbortedException | AssertionError e) {
                assertThat(e).hasMessageContaining("apt-get install ");
            }
        }
    }
}
