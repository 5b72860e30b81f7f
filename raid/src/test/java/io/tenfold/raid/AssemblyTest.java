package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tenfold.raid.md.Superblock1;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The rules by which members become an array, each on superblocks that were made for it. */
class AssemblyTest {
    private static final int IN_DOUBT = Superblock.ROLE_SPARE;

    private final Images images = new Images();

    @AfterEach
    void close() {
        images.close();
    }

    private void make(Layout layout, int members) throws Exception {
        TestArrays.make(images, layout, members, "1.2");
        edit(e -> e.events(20).updatedMicros(TestArrays.T0));
    }

    /** Changes the superblocks of some members, or of all. */
    private void edit(UnaryOperator<SuperblockBytes> change, String... names) {
        TestArrays.edit(images, change, names);
    }

    private ArrayPlan assemble(String... names) throws RefusedException {
        Examination examination = names.length == 0 ? images.examine() : images.examine(names);
        return examination.assemble();
    }

    private Refusal refusal(String... names) {
        RefusedException refused = catchThrowableOfType(RefusedException.class, () -> assemble(names));
        assertThat(refused).as("refused").isNotNull();
        return refused.refusal();
    }

    private static List<String> names(ArrayPlan plan) {
        return plan.members().stream().map(m -> m.report().name()).toList();
    }

    private static LeftOut onlyLeftOut(ArrayPlan plan) {
        assertThat(plan.leftOut()).hasSize(1);
        return plan.leftOut().getFirst();
    }

    @Test
    void orderOnTheCommandLineDoesNotMatter() throws Exception {
        make(Layout.near(2), 4);
        assertThat(names(assemble("m2", "m0", "m3", "m1"))).containsExactly("m0", "m1", "m2", "m3");
        assertThat(names(assemble("m3", "m2", "m1", "m0"))).containsExactly("m0", "m1", "m2", "m3");
    }

    @Test
    void memberOneBehindIsTakenIfTheFreshestCountsIt() throws Exception {
        make(Layout.near(2), 4);
        edit(e -> e.events(21), "m0", "m1", "m3");
        ArrayPlan plan = assemble();
        assertThat(names(plan)).containsExactly("m0", "m1", "m2", "m3");
        assertThat(plan.events()).isEqualTo(21);
    }

    @Test
    void memberOneBehindIsLeftOutIfTheFreshestDoesNotCountIt() throws Exception {
        make(Layout.near(2), 4);
        for (int role : new int[] {Superblock.ROLE_FAULTY, Superblock.ROLE_SPARE}) {
            edit(e -> e.events(21).role(2, role), "m0", "m1", "m3");
            ArrayPlan plan = assemble();
            assertThat(names(plan)).containsExactly("m0", "m1", "m3");
            assertThat(plan.needsRun()).as("the others know of it").isFalse();
            LeftOut left = onlyLeftOut(plan);
            assertThat(left.reason()).isEqualTo(LeftOut.Reason.STALE);
            assertThat(left.role()).isEqualTo(2);
            assertThat(left.text())
                    .contains("claims slot 2", "events=20, updated 2026-01-01 00:00:00 UTC", "events=21");
        }
    }

    @Test
    void memberThatFailedWithTheSameCountIsLeftOut() throws Exception {
        // The counter stepped back from dirty to clean and rose again for the failure.
        make(Layout.near(2), 4);
        edit(e -> e.updatedMicros(TestArrays.T0 + 5_000_000).role(2, Superblock.ROLE_FAULTY), "m0", "m1", "m3");
        for (String[] order : new String[][] {{"m0", "m1", "m2", "m3"}, {"m2", "m0", "m1", "m3"}}) {
            ArrayPlan plan = assemble(order);
            assertThat(names(plan)).containsExactly("m0", "m1", "m3");
            assertThat(onlyLeftOut(plan).text()).contains("call it failed");
        }
    }

    @Test
    void memberFarBehindIsLeftOutThoughTheFreshestCountsIt() throws Exception {
        make(Layout.near(2), 4);
        edit(e -> e.events(22), "m0", "m1", "m3");
        ArrayPlan plan = assemble();
        assertThat(names(plan)).containsExactly("m0", "m1", "m3");
        assertThat(plan.needsRun()).as("the others do not know").isTrue();
        assertThat(onlyLeftOut(plan).text()).startsWith("stale: events=20").contains("only a comparison");
    }

    @Test
    void oldCopyThatStandsInForItsMemberIsLeftOut() throws Exception {
        make(Layout.near(2), 4);
        edit(e -> e.updatedMicros(TestArrays.T0 - 60_000_000), "m1");
        ArrayPlan plan = assemble();
        assertThat(names(plan)).containsExactly("m0", "m2", "m3");
        assertThat(onlyLeftOut(plan).text()).contains("updated 2025-12-31 23:59:00 UTC");
    }

    @Test
    void tooFewMembersAreRefusedWithTheirSlots() throws Exception {
        make(Layout.near(2), 4);
        Refusal refusal = refusal("m2", "m3");
        assertThat(refusal.message())
                .isEqualTo("cannot assemble \"array\": 2 of 4 members are missing and some chunks have no copy left");
        assertThat(refusal.detail()).contains("missing slots=0,1", "near=2", "no copy left if all of 0, 1 are missing");
        assertThat(refusal.hints()).last().asString().contains("find the missing members");
        assertThat(assemble("m0", "m2").missing()).containsExactly(1, 3);
        assertThat(assemble("m0", "m2").needsRun()).isTrue();
    }

    @Test
    void refusalSaysWhyAMemberAtHandDoesNotHelp() throws Exception {
        make(Layout.near(2), 4);
        edit(e -> e.events(30), "m0", "m2", "m3");
        images.add("empty", 4 << 20);
        Refusal refusal = refusal("m1", "m2", "m3", "empty");
        assertThat(refusal.hints()).anyMatch(h -> h.startsWith("m1 is not used: stale"));
        assertThat(refusal.hints()).anyMatch(h -> h.startsWith("empty is not a member") && h.contains("zeroes"));
    }

    @Test
    void halvesThatCallEachOtherMissingAreRefusedAndEitherAloneIsRead() throws Exception {
        make(Layout.near(2), 4);
        edit(e -> e.events(30).role(1, IN_DOUBT).role(3, IN_DOUBT), "m0", "m2");
        for (long events : new long[] {30, 27, 33}) {
            edit(
                    e -> e.events(events)
                            .role(0, IN_DOUBT)
                            .role(2, IN_DOUBT)
                            .role(1, 1)
                            .role(3, 3)
                            .updatedMicros(TestArrays.T0 + 1_000_000),
                    "m1",
                    "m3");
            Refusal refusal = refusal();
            assertThat(refusal.message()).contains("two halves that call each other missing");
            assertThat(refusal.detail())
                    .contains("m0, m2 (events=30, updated 2026-01-01 00:00:00 UTC)")
                    .contains("m1, m3 (events=" + events + ", updated 2026-01-01 00:00:01 UTC)");
            assertThat(names(assemble("m0", "m2"))).containsExactly("m0", "m2");
            assertThat(names(assemble("m1", "m3"))).containsExactly("m1", "m3");
            assertThat(assemble("m1", "m3").needsRun()).isFalse();
        }
    }

    @Test
    void memberThatDeniesAnotherWhichCameBackIsStaleNotAHalf() throws Exception {
        // m1 fails, m0 goes on with m2 and m3; m2 fails too; m1 comes back. m2 denies m1, m1 denies m2, m0 saw it all.
        make(Layout.near(2), 4);
        edit(e -> e.events(25).role(1, IN_DOUBT), "m2");
        edit(e -> e.events(40).role(2, IN_DOUBT), "m0", "m1", "m3");
        ArrayPlan plan = assemble("m1", "m0", "m2", "m3");
        assertThat(names(plan)).containsExactly("m0", "m1", "m3");
        assertThat(onlyLeftOut(plan).member().name()).isEqualTo("m2");
    }

    @Test
    void memberThatDeniesAnEquallyFreshOneIsAContradiction() throws Exception {
        make(Layout.near(2), 4);
        edit(e -> e.events(21), "m0", "m2", "m3");
        edit(e -> e.role(0, Superblock.ROLE_FAULTY), "m1");
        assertThat(refusal().message()).contains("m1 calls m0 failed");
    }

    @Test
    void copyOfAMemberIsLeftOutByCountThenByTime() throws Exception {
        make(Layout.near(2), 4);
        TestArrays.copy(images, "m1", "older");
        edit(e -> e.events(21), "m0", "m1", "m2", "m3");
        assertThat(onlyLeftOut(assemble()).reason()).isEqualTo(LeftOut.Reason.DUPLICATE);
        assertThat(onlyLeftOut(assemble()).member().name()).isEqualTo("older");
        edit(e -> e.events(21).updatedMicros(TestArrays.T0 - 1_000_000), "older");
        assertThat(onlyLeftOut(assemble()).text()).startsWith("an older copy of m1");
        assertThat(names(assemble())).containsExactly("m0", "m1", "m2", "m3");
    }

    @Test
    void copiesThatAreEqualThroughoutAreOneMemberAndOthersAreNotGuessed() throws Exception {
        make(Layout.near(2), 4);
        TestArrays.copy(images, "m1", "twin");
        ArrayPlan plan = assemble();
        assertThat(onlyLeftOut(plan).text()).isEqualTo("the same member as m1, content and all");
        assertThat(names(plan)).containsExactly("m0", "m1", "m2", "m3");

        images.memory("twin").set(ValueLayout.JAVA_BYTE, 3 << 20, (byte) 1);
        Refusal refusal = refusal();
        assertThat(refusal.message()).contains("m1 and twin are the same member", "not in their content");
        assertThat(names(assemble("m0", "twin", "m2", "m3"))).containsExactly("m0", "twin", "m2", "m3");
    }

    @Test
    void deviceNamedTwiceIsOneMember() throws Exception {
        make(Layout.near(2), 2);
        ArrayPlan plan = assemble("m0", "m1", "m0");
        assertThat(names(plan)).containsExactly("m0", "m1");
        assertThat(onlyLeftOut(plan).reason()).isEqualTo(LeftOut.Reason.DUPLICATE);
    }

    @Test
    void membersOfTwoArraysAreRefusedTogetherAndReadAlone() throws Exception {
        make(Layout.near(2), 2);
        try (Images others = new Images()) {
            TestArrays.make(others, Layout.near(2), 2, "1.2");
            TestArrays.copyBetween(others, "m0", images, "other");
            TestArrays.edit(images, e -> e.put32(16, 99), "other");
            Refusal refusal = refusal();
            assertThat(refusal.message()).isEqualTo("cannot assemble: these are members of 2 arrays");
            assertThat(refusal.detail()).contains("m0, m1").contains("other");
            assertThat(images.examine().arrays()).hasSize(2);
            assertThat(names(assemble("m0", "m1"))).containsExactly("m0", "m1");
        }
    }

    @Test
    void superblocksOfOneArrayThatDisagreeAreRefused() throws Exception {
        make(Layout.near(2), 2);
        edit(e -> e.put32(88, 256), "m1");
        assertThat(refusal().message()).contains("the superblocks of m1 and m0 disagree");
        assertThat(refusal().detail()).contains("chunkSectors=256 and 128");
        edit(e -> e.events(19), "m1");
        assertThat(onlyLeftOut(assemble()).text()).contains("another shape", "chunkSectors=256 and 128");
    }

    @Test
    void memberThatClaimsAnotherSlotThanTheFreshestSaysIsLeftOut() throws Exception {
        make(Layout.near(2), 4);
        edit(e -> e.events(21), "m0", "m2", "m3");
        edit(e -> e.role(1, 2), "m1");
        ArrayPlan plan = assemble();
        assertThat(names(plan)).containsExactly("m0", "m2", "m3");
        assertThat(onlyLeftOut(plan).reason()).isEqualTo(LeftOut.Reason.CONFLICT);
    }

    @Test
    void twoMembersInOneSlotAreRefused() throws Exception {
        make(Layout.near(2), 4);
        edit(e -> e.role(3, 2));
        assertThat(refusal().message()).contains("2 members hold slot 2");
        assertThat(refusal().detail()).isEqualTo("m2, m3");
    }

    @Test
    void sparesStandByAndDoNotCount() throws Exception {
        make(Layout.near(2), 4);
        TestArrays.copy(images, "m0", "spare");
        edit(e -> e.put32(160, 4).put64(168, 1234).events(3), "spare");
        ArrayPlan plan = assemble();
        assertThat(names(plan)).containsExactly("m0", "m1", "m2", "m3");
        assertThat(plan.spares()).hasSize(1);
        assertThat(plan.leftOut()).isEmpty();
        assertThat(plan.needsRun()).isFalse();
        assertThat(assemble("spare", "m0", "m3").missing())
                .as("a spare fills no slot")
                .containsExactly(1, 2);
    }

    @Test
    void memberBeingRebuiltCountsUpToItsCheckpointAndAloneIsNotEnough() throws Exception {
        make(Layout.near(2), 4);
        edit(e -> e.featureMap(Superblock1.FEATURE_RECOVERY_OFFSET).recoveryOffset(1000), "m1");
        ArrayPlan plan = assemble();
        assertThat(plan.degraded()).isEqualTo(1);
        assertThat(plan.members().get(1).recoveredBytes()).isEqualTo(512_000);
        assertThat(plan.needsRun()).isFalse();
        assertThat(refusal("m1", "m2", "m3").hints())
                .anyMatch(h -> h.equals("m1 of slot 1 was rebuilt up to 500 KiB only"));
    }

    @Test
    void replacementStandsBesideItsMemberAndInItsPlaceWhenThatIsGone() throws Exception {
        make(Layout.near(2), 4);
        TestArrays.copy(images, "m1", "new");
        edit(
                e -> e.put32(160, 4)
                        .put64(168, 1234)
                        .featureMap(Superblock1.FEATURE_RECOVERY_OFFSET | Superblock1.FEATURE_REPLACEMENT)
                        .recoveryOffset(1024),
                "new");
        edit(e -> e.role(4, 1));
        ArrayPlan plan = assemble("new", "m3", "m2", "m1", "m0");
        assertThat(names(plan)).containsExactly("m0", "m1", "new", "m2", "m3");
        assertThat(plan.members().get(2).replacement()).isTrue();
        assertThat(plan.degraded()).isZero();

        ArrayPlan without = assemble("new", "m0", "m2", "m3");
        assertThat(without.members().get(1).replacement()).isFalse();
        assertThat(without.members().get(1).recoveredBytes()).isEqualTo(1024 * 512);
        assertThat(without.missing()).containsExactly(1);
    }

    @Test
    void otherLevelsAreNamed() throws Exception {
        make(Layout.near(2), 2);
        int[] levels = {0, 4, 5, 6, -1, -4};
        String[] named = {"raid0", "raid4", "raid5", "raid6", "linear", "multipath"};
        for (int i = 0; i < levels.length; i++) {
            int level = levels[i];
            edit(e -> e.put32(72, level));
            assertThat(refusal().message()).contains("it is " + named[i] + ", which is not served here");
            assertThat(refusal().hints().getFirst()).contains("mdadm");
        }
    }

    @Test
    void levelOneIsTheNearLayoutWithAllCopiesAndReadOnly() throws Exception {
        make(Layout.near(2), 3);
        edit(e -> e.put32(72, 1).put32(76, 0).put32(88, 0).put64(80, 4001));
        ArrayPlan plan = assemble("m1", "m2");
        assertThat(plan.level()).isEqualTo(1);
        assertThat(plan.geometry().layout()).isEqualTo(Layout.near(3));
        assertThat(plan.sizeBytes()).isEqualTo(4001 * 512);
        assertThat(plan.missing()).containsExactly(0);
        assertThat(plan.whyReadOnly()).containsExactly("raid1 is read, not written");
    }

    @Test
    void layoutThatPutsTwoChunksInOnePlaceIsReadOnly() throws Exception {
        make(Layout.near(2), 5);
        edit(e -> e.put32(76, 0x10202));
        ArrayPlan plan = assemble();
        assertThat(plan.isWritable()).isFalse();
        assertThat(plan.whyReadOnly().getFirst()).contains("layout 0x10202 on 5 members");
    }

    @Test
    void whatIsNotKeptMakesTheArrayReadOnly() throws Exception {
        make(Layout.near(2), 2);
        assertThat(assemble().isWritable()).isTrue();
        edit(e -> e.featureMap(Superblock1.FEATURE_CLUSTERED));
        assertThat(assemble().whyReadOnly()).hasSize(1).first().asString().contains("clustered");
        edit(e -> e.featureMap(Superblock1.FEATURE_BAD_BLOCKS));
        assertThat(assemble().whyReadOnly())
                .as("its log holds zeroes, which are no entries")
                .anyMatch(r -> r.startsWith("m0: bad-block log entry is not within the member"));
        edit(e -> e.featureMap(Superblock1.FEATURE_BITMAP).put32(96, 8));
        assertThat(assemble().whyReadOnly()).first().asString().contains("write-intent bitmap");
    }

    @Test
    void logThatLiesOnTheBitmapIsSaidAndMakesTheArrayReadOnly() throws Exception {
        make(Layout.near(2), 2);
        edit(e -> e.featureMap(Superblock1.FEATURE_BITMAP).put32(96, 16));
        ArrayPlan plan = assemble();
        assertThat(plan.whyReadOnly()).anyMatch(r -> r.contains("bitmap and bad-block log overlap"));
        assertThat(plan.members()).hasSize(2);
    }

    @Test
    void checkpointCountsUnlessItIsBeyondTheEnd() throws Exception {
        make(Layout.near(2), 2);
        edit(e -> e.resyncOffset(128));
        assertThat(assemble().checkpointBytes()).isEqualTo(65536);
        assertThat(assemble().isClean()).isFalse();
        edit(e -> e.resyncOffset(1L << 40));
        assertThat(assemble().checkpointBytes()).isZero();
        edit(e -> e.resyncOffset(-2));
        assertThat(assemble().checkpointBytes()).isZero();
        edit(e -> e.resyncOffset(-1));
        assertThat(assemble().isClean()).isTrue();
    }

    @Test
    void reshapeIsToldByBothGeometriesAndReadOnly() throws Exception {
        make(Layout.near(2), 5);
        edit(e -> e.featureMap(Superblock1.FEATURE_RESHAPE)
                .put32(100, 10)
                .put64(104, 2560)
                .put32(112, 1)
                .put32(116, 0x102)
                .put32(120, 128));
        ArrayPlan plan = assemble();
        ArrayPlan.Reshape reshape = plan.reshape().orElseThrow();
        assertThat(plan.geometry().members()).isEqualTo(4);
        assertThat(reshape.geometry().members()).isEqualTo(5);
        assertThat(reshape.positionBytes()).isEqualTo(2560 * 512);
        assertThat(reshape.isReshaped(2560 * 512 - 1)).isTrue();
        assertThat(reshape.isReshaped(2560 * 512)).isFalse();
        assertThat(plan.whyReadOnly().getFirst()).contains("a reshape is under way, at 1310720 of ");
        assertThat(plan.roles()).isEqualTo(5);

        // The other way: five become four, from the end to the start.
        edit(e -> e.put32(92, 4).put32(112, -1).role(4, 4));
        ArrayPlan backwards = assemble("m0", "m1", "m2", "m3");
        assertThat(backwards.reshape().orElseThrow().backwards()).isTrue();
        assertThat(backwards.geometry().members()).isEqualTo(5);
        assertThat(backwards.reshape().orElseThrow().isReshaped(2560 * 512)).isTrue();
    }

    @Test
    void nothingUsableIsRefusedWithWhatWasFound() {
        images.add("zero", 4 << 20);
        Refusal refusal = refusal();
        assertThat(refusal.message()).isEqualTo("cannot assemble: it is not a usable md member");
        assertThat(refusal.detail()).contains("zero: no md superblock", "zeroes at its start and end");
    }
}
