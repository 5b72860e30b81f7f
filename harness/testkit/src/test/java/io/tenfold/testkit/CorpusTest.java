package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CorpusTest {
    private static final Corpus CORPUS = Corpus.open();

    @TempDir
    Path dir;

    static List<ArraySet> sets() {
        return CORPUS.sets();
    }

    @Test
    void holdsEverySetThatThereIsAnArchiveFor() throws IOException {
        try (Stream<Path> archives = Files.list(Repository.root().resolve("harness/corpus/sets"))) {
            assertThat(archives.map(archive -> archive.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(CORPUS.sets().stream()
                            .map(set -> set.archive().replace("sets/", ""))
                            .toList());
        }
    }

    @ParameterizedTest
    @MethodSource("sets")
    void unpackedMembersAreThoseOfTheManifest(ArraySet set) throws IOException {
        List<Path> members = CORPUS.unpack(set, dir);
        assertThat(members).hasSameSizeAs(set.members());
        for (int i = 0; i < members.size(); i++) {
            assertThat(members.get(i)).hasSize(set.members().get(i).size());
            assertThat(Sha256.of(members.get(i)))
                    .as("%s", members.get(i))
                    .isEqualTo(set.members().get(i).sha256());
        }
    }

    /** The rule and the manifest agree: the array's hash follows from the seeds alone. */
    @ParameterizedTest
    @MethodSource("sets")
    void contentRuleGivesTheHashOfTheManifest(ArraySet set) throws IOException {
        if (!set.content().isEmpty() && set.either().isEmpty()) {
            long at = 0;
            InputStream all = InputStream.nullInputStream();
            for (ArraySet.Range range : set.content()) {
                assertThat(range.start()).as("ranges follow one another").isEqualTo(at);
                all = new SequenceInputStream(all, new ContentRule(range.seed()).stream(range.start(), range.length()));
                at += range.length();
            }
            assertThat(at).isEqualTo(set.arraySize());
            assertThat(Sha256.of(all)).isEqualTo(set.arraySha256());
        }
    }

    @ParameterizedTest
    @MethodSource("sets")
    void everySetHasTheKernelsWords(ArraySet set) throws IOException {
        assertThat(CORPUS.text(set, "examine")).contains("Raid Level");
        assertThat(CORPUS.text(set, "detail")).isNotEmpty();
        assertThat(CORPUS.text(set, "kernel")).isNotEmpty();
    }

    @Test
    void unknownSetIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CORPUS.set("near9-9"))
                .withMessage("no such set in the corpus: name=near9-9");
    }
}
