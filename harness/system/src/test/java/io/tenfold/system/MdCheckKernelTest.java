package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.ArraySet;
import io.tenfold.testkit.Command;
import io.tenfold.testkit.Corpus;
import io.tenfold.testkit.Sha256;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The judge is judged: it takes what the kernel itself made, and reports each kind of damage. */
@Tag("long")
@Timeout(1200)
class MdCheckKernelTest {
    private static final long DATA_OFFSET = 1 << 20;

    @TempDir
    Path dir;

    private final Corpus corpus = Corpus.open();
    private final ArraySet set = corpus.set("near2-4");
    private List<Path> members;

    @BeforeEach
    void unpack() throws IOException {
        members = corpus.unpack(set, dir);
    }

    @Test
    void takesWhatTheKernelMadeAndLeavesItAsItIs() throws IOException {
        Map<Path, String> before = Sha256.ofAll(members);
        Command.Result result = MdCheck.run(members, "--seed", set.seed(), "--size", set.arraySize(), "--clean");
        assertThat(result.succeeded().out()).endsWith("md-check: good\n");
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }

    @Test
    void oneChangedByteInASecondCopyIsAMismatch() throws IOException {
        flip(members.get(1), DATA_OFFSET + 100_000);
        assertThat(MdCheck.run(members, "--seed", set.seed()).exited(1).out()).contains("mismatch_cnt is 128");
    }

    @Test
    void wrongContentInAllCopiesIsFoundWhereItIs() throws IOException {
        flip(members.get(0), DATA_OFFSET + 65_536);
        flip(members.get(1), DATA_OFFSET + 65_536);
        assertThat(MdCheck.run(members, "--seed", set.seed()).exited(1).out())
                .contains("the content differs from the rule first at byte 131072");
    }

    @Test
    void missingMemberIsNotTakenForAWholeArray() {
        assertThat(MdCheck.run(members.subList(0, 3), "--seed", set.seed())
                        .exited(1)
                        .out())
                .contains("md-check: the array did not assemble");
    }

    private static void flip(Path file, long offset) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(offset);
            int old = bytes.read();
            bytes.seek(offset);
            bytes.write(old ^ 1);
        }
    }
}
