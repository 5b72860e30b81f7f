package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.ArraySet;
import io.tenfold.testkit.Command;
import io.tenfold.testkit.ContentRule;
import io.tenfold.testkit.Corpus;
import io.tenfold.testkit.NbdClient;
import io.tenfold.testkit.Sha256;
import io.tenfold.testkit.Tool;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Arrays that mdadm and a real kernel made are read as that kernel reads them, and looking changes nothing. */
@Timeout(300)
class CorpusSystemTest {
    private static final Corpus CORPUS = Corpus.open();

    @TempDir
    Path dir;

    static List<ArraySet> served() {
        return CORPUS.sets().stream()
                .filter(set -> set.assembles() && !set.level().equals("raid0"))
                .toList();
    }

    static List<ArraySet> withFiles() {
        return served().stream().filter(set -> !set.files().isEmpty()).toList();
    }

    static List<ArraySet> withBadBlocksOrCrash() {
        return served().stream().filter(set -> !set.either().isEmpty()).toList();
    }

    @Test
    void allButTheRaid0SetAreServed() {
        assertThat(CORPUS.sets()).hasSize(served().size() + 1).hasSizeGreaterThan(40);
    }

    @ParameterizedTest
    @MethodSource("served")
    void copyGivesWhatTheKernelReadsAndLeavesTheMembersAlone(ArraySet set) throws IOException {
        List<Path> members = CORPUS.unpack(set, dir);
        Map<Path, String> before = Sha256.ofAll(members);
        Path copy = dir.resolve("copy");

        Command.Result result = Tenfold.run(copyOf(members, copy)).succeeded();

        assertThat(copy).hasSize(set.arraySize());
        assertThat(Sha256.of(copy)).isEqualTo(set.arraySha256());
        assertThat(result.all()).as("says the hash itself").contains(set.arraySha256());
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
        assertContent(set, copy);
    }

    /** The manifest's seeds, apart from its hash: where copies may differ, any of the seeds is right. */
    private static void assertContent(ArraySet set, Path copy) throws IOException {
        byte[] all = Files.readAllBytes(copy);
        for (ArraySet.Range range : set.content()) {
            ContentRule rule = new ContentRule(range.seed());
            for (long at = range.start(); at < range.start() + range.length(); at += 512) {
                MemorySegment sector = MemorySegment.ofArray(all).asSlice(at, 512);
                long sectorStart = at;
                boolean right = rule.firstDifference(sector, at) < 0
                        || set.either().stream()
                                .filter(either ->
                                        sectorStart >= either.start() && sectorStart < either.start() + either.length())
                                .flatMap(either -> either.seeds().stream())
                                .anyMatch(seed -> new ContentRule(seed).firstDifference(sector, sectorStart) < 0);
                assertThat(right).as("set=%s, offset=%d", set, at).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("withBadBlocksOrCrash")
    void copiesThatDifferAreReadAlikeOnEveryRun(ArraySet set) throws IOException {
        List<Path> members = CORPUS.unpack(set, dir);
        for (int run = 0; run < 3; run++) {
            Path copy = dir.resolve("copy" + run);
            Tenfold.run(copyOf(members.reversed(), copy)).succeeded();
            assertThat(Sha256.of(copy)).isEqualTo(set.kernel().sha256());
        }
    }

    @ParameterizedTest
    @MethodSource("withFiles")
    void filesOnTheArrayAreAllThere(ArraySet set) throws IOException {
        Tool.require(Tool.DEBUGFS, Tool.E2FSCK);
        List<Path> members = CORPUS.unpack(set, dir);
        Path copy = dir.resolve("copy");
        Tenfold.run(copyOf(members, copy)).succeeded();
        Tool.E2FSCK.run("-fn", copy);
        for (ArraySet.HeldFile file : set.files()) {
            Path extracted = dir.resolve("extracted");
            Tool.DEBUGFS.run("-R", "dump /" + file.path() + " " + extracted, copy);
            assertThat(extracted).as(file.path()).hasSize(file.size());
            assertThat(Sha256.of(extracted)).as(file.path()).isEqualTo(file.sha256());
        }
    }

    @ParameterizedTest
    @MethodSource("served")
    void readOnlyServingGivesTheSameAndLeavesTheMembersAlone(ArraySet set) throws Exception {
        List<Path> members = CORPUS.unpack(set, dir);
        Map<Path, String> before = Sha256.ofAll(members);
        List<Object> words = new ArrayList<>(List.of("serve", "--read-only", "--listen", "unix:" + dir.resolve("s")));
        words.addAll(members);

        try (Tenfold server = Tenfold.start(dir, words.toArray())) {
            try (NbdClient client = server.connect()) {
                assertThat(client.size()).isEqualTo(set.arraySize());
                Path copy = dir.resolve("copy");
                try (var out = Files.newOutputStream(copy)) {
                    for (long at = 0; at < client.size(); at += 1 << 20) {
                        out.write(client.read(at, (int) Math.min(1 << 20, client.size() - at)));
                    }
                }
                assertThat(Sha256.of(copy)).isEqualTo(set.arraySha256());
                assertThat(errorOf(() -> client.write(0, new byte[4096], 0))).isEqualTo(NbdClient.EPERM);
            }
            assertThat(server.stop()).isZero();
        }
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }

    @Test
    void copyToStandardOutputIsTheContentAlone() throws IOException {
        ArraySet set = CORPUS.set("far2-3");
        List<Path> members = CORPUS.unpack(set, dir);
        Path out = dir.resolve("out");
        Command.Result result =
                Tenfold.command(copyWords(members, "-")).to(out).run().succeeded();
        assertThat(Sha256.of(out)).isEqualTo(set.arraySha256());
        assertThat(result.err()).contains(set.arraySha256());
    }

    @Test
    void raid0IsRefusedByName() throws IOException {
        ArraySet set = CORPUS.set("raid0-2");
        List<Path> members = CORPUS.unpack(set, dir);
        Map<Path, String> before = Sha256.ofAll(members);
        Path copy = dir.resolve("copy");
        Refusal.check(Tenfold.run(copyOf(members, copy)), "raid0");
        assertThat(copy).doesNotExist();
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }

    /** Both ranges of m1's bad-block log have no other copy once m0, its mirror, is away. */
    @Test
    void rangeThatNoCopyCanGiveIsReportedAndTheRestIsCopied() throws Exception {
        ArraySet set = CORPUS.set("near2-4-badblocks");
        List<Path> members = CORPUS.unpack(set, dir);
        Path copy = dir.resolve("copy");
        record Lost(long offset, int length) {}
        List<Lost> lost = List.of(new Lost(1_048_576, 8192), new Lost(5_115_904, 4096));

        Command.Result result = Tenfold.run(copyOf(members.subList(1, 4), copy)).failed();

        byte[] found = Files.readAllBytes(copy);
        byte[] wanted = new ContentRule(set.seed()).bytes(0, (int) set.arraySize());
        assertThat(found).hasSameSizeAs(wanted);
        for (Lost range : lost) {
            assertThat(result.all()).contains("offset=" + range.offset()).contains("length=" + range.length());
            int from = (int) range.offset();
            Arrays.fill(found, from, from + range.length(), (byte) 0);
            Arrays.fill(wanted, from, from + range.length(), (byte) 0);
        }
        assertThat(Arrays.mismatch(found, wanted)).isEqualTo(-1);

        try (Tenfold server = Tenfold.start(
                        dir,
                        "serve",
                        "--read-only",
                        "--listen",
                        "unix:" + dir.resolve("s"),
                        members.get(1),
                        members.get(2),
                        members.get(3));
                NbdClient client = server.connect()) {
            for (Lost range : lost) {
                assertThat(errorOf(() -> client.read(range.offset(), 512))).isEqualTo(NbdClient.EIO);
                assertThat(errorOf(() -> client.read(range.offset() + range.length() - 512, 512)))
                        .isEqualTo(NbdClient.EIO);
                assertThat(client.read(range.offset() - 512, 512))
                        .isEqualTo(new ContentRule(set.seed()).bytes(range.offset() - 512, 512));
                assertThat(client.read(range.offset() + range.length(), 512))
                        .isEqualTo(new ContentRule(set.seed()).bytes(range.offset() + range.length(), 512));
            }
        }
    }

    private static int errorOf(ThrowingRunnable request) throws IOException {
        try {
            request.run();
            return 0;
        } catch (NbdClient.NbdError e) {
            return e.code();
        }
    }

    private interface ThrowingRunnable {
        void run() throws IOException;
    }

    private static Object[] copyOf(List<Path> members, Path target) {
        return copyWords(members, target.toString());
    }

    private static Object[] copyWords(List<Path> members, String target) {
        List<Object> words = new ArrayList<>(List.of("copy"));
        words.addAll(members);
        words.addAll(List.of("--to", target));
        return words.toArray();
    }
}
