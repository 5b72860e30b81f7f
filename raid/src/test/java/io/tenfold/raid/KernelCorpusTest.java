package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.raid.md.Superblock1;
import io.tenfold.testkit.ArraySet;
import io.tenfold.testkit.Corpus;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What mdadm and the kernel made of every set of the corpus is what the plan says. */
class KernelCorpusTest {
    private static final Corpus CORPUS = Corpus.open();

    @TempDir
    Path directory;

    static Stream<ArraySet> sets() {
        return CORPUS.sets().stream();
    }

    @ParameterizedTest
    @MethodSource("sets")
    void planIsWhatTheKernelMadeOfIt(ArraySet set) throws Exception {
        try (Images images = Images.of(CORPUS.unpack(set, directory))) {
            Examination examination = images.examine();
            assertThat(examination.members()).hasSize(set.members().size());
            assertThat(examination.arrays()).hasSize(1);
            assertSameBytes(examination, images);
            ArrayReport array = examination.arrays().getFirst();
            if (set.level().equals("raid0")) {
                assertThat(array.refusal().orElseThrow().message()).contains("raid0", "not served here");
                return;
            }
            ArrayPlan plan = examination.assemble();
            assertThat(plan.needsRun()).as("--run").isEqualTo(set.needsRun());
            assertThat(plan.degraded()).as("degraded").isEqualTo(set.kernel().degraded());
            assertThat(plan.sizeBytes()).isEqualTo(set.arraySize());
            assertThat(plan.roles()).isEqualTo(set.raidDisks() + (plan.reshape().isPresent() ? 1 : 0));
            assertThat(used(plan))
                    .containsExactlyInAnyOrderElementsOf(set.kernel().membersUsed());
            assertThat(plan.leftOut().stream().map(l -> l.member().name()))
                    .containsExactlyInAnyOrderElementsOf(set.kernel().membersLeftOut());
            long checkpoint = set.resyncCheckpoint() != null
                    ? set.resyncCheckpoint()
                    : set.name().contains("crash") ? 0 : set.arraySize();
            assertThat(plan.checkpointBytes()).isEqualTo(checkpoint);
            if (set.kernel().sha256() != null) {
                try (PlainReading reading = new PlainReading(plan)) {
                    assertThat(sha256(reading.all())).isEqualTo(set.kernel().sha256());
                }
            }
        }
    }

    private static List<ArraySet.Used> used(ArrayPlan plan) {
        return Stream.concat(
                        plan.members().stream()
                                .map(m -> new ArraySet.Used(m.report().name(), Integer.toString(m.role()), state(m))),
                        plan.spares().stream().map(s -> new ArraySet.Used(s.name(), "none", "spare")))
                .toList();
    }

    private static String state(ArrayPlan.Member member) {
        return (member.isInSync() ? "in_sync" : "spare")
                + (member.isWriteMostly() ? ",write_mostly" : "")
                + (member.superblock().isFailFast() ? ",failfast" : "")
                + (member.replacement() ? ",replacement" : "");
    }

    private static String sha256(byte[] content) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    }

    /** Every superblock, when nothing in it is changed, is written as it was read. */
    private static void assertSameBytes(Examination examination, Images images) {
        for (MemberReport member : examination.members()) {
            if (member.isMember() && member.superblock().orElseThrow().raw() instanceof Superblock1 superblock) {
                byte[] onDisk = images.memory(member.name())
                        .asSlice(superblock.placeBytes(), Superblock1.AREA)
                        .toArray(ValueLayout.JAVA_BYTE);
                assertThat(superblock.edit().done().bytes()).isEqualTo(onDisk);
            }
        }
    }
}
