package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.ArraySet;
import io.tenfold.testkit.Corpus;
import io.tenfold.testkit.Sha256;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a real kernel left in the middle of a resync, a recovery or a replacement is finished here, and the kernel finds
 * nothing left to do and no copy that differs. What is killed or stopped here in the middle the kernel finishes.
 */
@Tag("long")
@Timeout(1200)
class ResyncKernelTest {
    @TempDir
    Path dir;

    /** Arrays of the corpus with something to do, the members that count when it is done, and what is said then. */
    enum Work {
        RESYNC("near2-4-resync", "0123", "making its copies agree", "copies agree: "),
        CRASH("near2-4-crash", "0123", "making its copies agree", "copies agree: "),
        RECOVERY("near2-4-recovery", "0123", "recovering slot 1", "slot 1 is recovered"),
        FAR_RECOVERY("far2-4-recovery", "0123", "recovering slot 3", "slot 3 is recovered"),
        REPLACEMENT("near2-4-replacement", "0423", "replacing slot 1", "slot 1 is replaced"),
        SPARE("near2-4-spare", "0423", "recovering slot 1", "slot 1 is recovered");

        final String set;
        final String members;
        final String begun;
        final String done;

        Work(String set, String members, String begun, String done) {
            this.set = set;
            this.members = members;
            this.begun = begun;
            this.done = done;
        }

        /** All that are there before it: of the one with a spare, all but the one whose place the spare takes. */
        boolean isThere(int member) {
            return this != SPARE || member != 1;
        }
    }

    private final Corpus corpus = Corpus.open();

    private List<Path> members(Work work) throws IOException {
        List<Path> all = corpus.unpack(corpus.set(work.set), dir);
        List<Path> there = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (work.isThere(i)) {
                there.add(all.get(i));
            }
        }
        return there;
    }

    private Tenfold serve(List<Path> members) throws IOException, InterruptedException {
        List<Object> words = new ArrayList<>(List.of("serve", "--run", "--listen", "unix:" + dir.resolve("s")));
        words.addAll(members);
        return Tenfold.start(dir.resolve("logs"), words.toArray());
    }

    private List<Path> counting(Work work) {
        return work.members
                .chars()
                .mapToObj(digit -> dir.resolve(work.set).resolve("m" + (char) digit + ".img"))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void whatTheKernelLeftIsFinishedAndTheKernelAgrees(Work work) throws Exception {
        MdCheck.require();
        ArraySet set = corpus.set(work.set);
        try (Tenfold server = serve(members(work))) {
            server.awaitOutput(work.done);
            assertThat(server.stop()).isZero();
        }
        assertThat(MdCheck.run(counting(work), "--size", set.arraySize(), "--sha256", set.arraySha256(), "--clean")
                        .succeeded()
                        .out())
                .contains("mismatch_cnt 0")
                .endsWith("md-check: good\n");
    }

    @ParameterizedTest
    @EnumSource
    void whatIsKilledHereTheKernelFinishes(Work work) throws Exception {
        MdCheck.require();
        ArraySet set = corpus.set(work.set);
        List<Path> members = members(work);
        try (Tenfold server = serve(members)) {
            server.awaitOutput(work.begun);
            server.kill();
        }
        assertThat(MdCheck.run(members, "--size", set.arraySize(), "--sha256", set.arraySha256(), "--run")
                        .succeeded()
                        .out())
                .contains("mismatch_cnt 0");
    }

    @ParameterizedTest
    @EnumSource
    void whatIsStoppedHereTheKernelFinishesAndWeReadItAgain(Work work) throws Exception {
        MdCheck.require();
        ArraySet set = corpus.set(work.set);
        List<Path> members = members(work);
        try (Tenfold server = serve(members)) {
            assertThat(server.stop()).isZero();
        }
        Path kept = dir.resolve("kept");
        MdCheck.run(members, "--size", set.arraySize(), "--sha256", set.arraySha256(), "--run", "--keep", kept)
                .succeeded();
        List<Object> words = new ArrayList<>(List.of("copy"));
        members.forEach(member -> words.add(kept.resolve(member.getFileName())));
        Path copy = dir.resolve("copy");
        words.addAll(List.of("--to", copy));
        Tenfold.run(words.toArray()).succeeded();
        assertThat(Sha256.of(copy)).isEqualTo(set.arraySha256());
    }
}
