package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
    private static final DataDirectory.Making NOT_DUE = () -> {
        throw new AssertionError("nothing is to be made");
    };

    @TempDir
    Path temp;

    private DataDirectory at(String name) throws CommandFailure {
        return DataDirectory.at(temp.resolve(name));
    }

    @Test
    void whatSomebodyElseFinishedMeanwhileIsLeftAlone() throws Exception {
        DataDirectory first = at("data");
        DataDirectory second = at("data");
        assertThat(first.create(() -> {
                    MemberFiles.create(first.member(0), 4096);
                    assertThat(second.members()).as("while it is made").isEmpty();
                    assertThatExceptionOfType(CommandFailure.class)
                            .isThrownBy(() -> second.create(NOT_DUE))
                            .withMessageContaining("in use");
                    assertThat(first.member(0)).exists();
                }))
                .isTrue();
        assertThat(second.create(NOT_DUE))
                .as("it looked before the first was done")
                .isFalse();
        assertThat(second.members()).containsExactly(first.member(0));
    }

    @Test
    void whatWasNeverFinishedIsTakenAwayAndMadeAnew() throws Exception {
        Path path = Files.createDirectory(temp.resolve("data"));
        DataDirectory data = at("data");
        Files.createFile(path.resolve(".creating"));
        Files.writeString(data.member(7), "half made");
        assertThat(data.members()).isEmpty();
        assertThat(data.create(() -> MemberFiles.create(data.member(0), 4096))).isTrue();
        assertThat(data.members()).containsExactly(data.member(0));
    }

    @Test
    void failureLeavesNoMemberAndNoDirectoryThatWasNotThere() throws Exception {
        DataDirectory deep = at("a/b/c");
        DataDirectory.Making failing = () -> {
            MemberFiles.create(deep.member(0), 4096);
            throw CommandFailure.failed("no more");
        };
        assertThatExceptionOfType(CommandFailure.class).isThrownBy(() -> deep.create(failing));
        assertThat(temp).isEmptyDirectory();
        Files.createDirectories(temp.resolve("a/b/c"));
        assertThatExceptionOfType(CommandFailure.class).isThrownBy(() -> deep.create(failing));
        assertThat(deep.members()).isEmpty();
        assertThat(temp.resolve("a/b/c/.creating")).doesNotExist();
    }
}
