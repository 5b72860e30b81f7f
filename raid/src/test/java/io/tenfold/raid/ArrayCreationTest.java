package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tenfold.block.BlockDevice;
import io.tenfold.block.NullDevice;
import io.tenfold.block.SliceDevice;
import io.tenfold.raid.md.Superblock1;
import io.tenfold.testkit.ArraySet;
import io.tenfold.testkit.Corpus;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArrayCreationTest {
    private static final long MIB = 1 << 20;

    private static final ArraySpec SPEC = new ArraySpec(
            new MdUuid(0x0123456789abcdefL, 42),
            "host:array",
            Layout.near(2),
            65536,
            "1.2",
            0,
            ArraySpec.CHOOSE,
            true,
            false);

    @TempDir
    Path directory;

    /** The kernel wrote these since, so its counter and times are put in; every other byte must be as mdadm left it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "near2-4",
                "near2-3",
                "near3-5",
                "near2-2",
                "far2-4",
                "far2-3",
                "far3-5",
                "offset2-4",
                "offset2-3",
                "offset3-5",
                "near2-4-chunk4k",
                "near2-4-chunk512k",
                "offset2-3-chunk512k",
                "near2-4-meta10",
                "near2-4-meta11",
                "near2-4-data-offset",
                "near2-4-size"
            })
    void superblocksAreThoseOfMdadmByteForByte(String name) throws Exception {
        Corpus corpus = Corpus.open();
        ArraySet set = corpus.set(name);
        try (Images images = Images.of(corpus.unpack(set, directory))) {
            List<Superblock1> originals = new ArrayList<>();
            for (MemberReport member : images.examine().members()) {
                originals.add((Superblock1) member.superblock().orElseThrow().raw());
                images.memory(member.name()).fill((byte) 0);
            }
            Superblock1 first = originals.getFirst();
            ArraySpec spec = new ArraySpec(
                    MdUuid.of(first.setUuid()),
                    first.name(),
                    Layout.ofWord(first.layout()),
                    set.chunkBytes(),
                    set.metadata(),
                    name.endsWith("size") ? 6 * MIB : 0,
                    name.endsWith("data-offset") ? 3 * MIB : ArraySpec.CHOOSE,
                    true,
                    false);
            List<MdUuid> uuids = new ArrayList<>(
                    originals.stream().map(s -> MdUuid.of(s.deviceUuid())).toList());
            create(spec, present(images.devices()), uuids);
            for (int i = 0; i < originals.size(); i++) {
                Superblock1 original = originals.get(i);
                byte[] written = images.memory("m" + i + ".img")
                        .asSlice(original.placeBytes(), Superblock1.AREA)
                        .toArray(ValueLayout.JAVA_BYTE);
                Superblock1 ours = Superblock1.read(
                        written,
                        original.minor(),
                        original.placeBytes(),
                        images.devices().get(i).sizeBytes());
                assertThat(ours.problems()).isEmpty();
                assertThat(original.sizeSectors())
                        .as("the kernel rounds down to what copies fill evenly")
                        .isBetween(ours.sizeSectors() - 8 * ours.chunkSectors(), ours.sizeSectors());
                assertThat(withoutTimes(written)).as("member %d", i).isEqualTo(withoutTimes(original.bytes()));
            }
        }
    }

    /** Zeroes creation and update time, size, events and checksum. */
    private static byte[] withoutTimes(byte[] superblock) {
        byte[] bytes = superblock.clone();
        int[][] ranges = {{64, 72}, {80, 88}, {192, 208}, {216, 220}};
        for (int[] range : ranges) {
            Arrays.fill(bytes, range[0], range[1], (byte) 0);
        }
        return bytes;
    }

    private static ArraySpec spec(Layout layout, long chunkBytes, String version) {
        return new ArraySpec(SPEC.uuid(), SPEC.name(), layout, chunkBytes, version, 0, ArraySpec.CHOOSE, false, false);
    }

    private static ArraySpec overwriting(ArraySpec spec) {
        return new ArraySpec(
                spec.uuid(),
                spec.name(),
                spec.layout(),
                spec.chunkBytes(),
                spec.version(),
                spec.memberBytes(),
                spec.dataOffsetBytes(),
                spec.assumeClean(),
                true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.0", "1.1", "1.2"})
    void whatWasCreatedAssembles(String version) throws Exception {
        Layout[] layouts = {Layout.near(2), Layout.far(2), Layout.offset(2), Layout.near(3), new Layout(2, 2, false, 0)
        };
        for (Layout layout : layouts) {
            for (long chunk : new long[] {4096, 65536, 524288}) {
                try (Images images = new Images()) {
                    for (int i = 0; i < 6; i++) {
                        images.add("m" + i, 8 * MIB + 512L * i);
                    }
                    ArrayCreation creation = create(spec(layout, chunk, version), present(images.devices()), uuids(6));
                    ArrayPlan plan = images.examine().assemble();
                    assertThat(plan.geometry().toString())
                            .isEqualTo(creation.geometry().toString());
                    assertThat(plan.version()).isEqualTo(version);
                    assertThat(plan.label()).isEqualTo("array");
                    assertThat(plan.uuid()).isEqualTo(SPEC.uuid());
                    assertThat(plan.missing()).isEmpty();
                    assertThat(plan.needsRun()).isFalse();
                    assertThat(plan.checkpointBytes()).as("not clean").isZero();
                    assertThat(plan.whyReadOnly()).isEmpty();
                    assertThat(plan.notes()).isEmpty();
                    for (ArrayPlan.Member member : plan.members()) {
                        assertThat(member.dataOffsetBytes()).isEqualTo(creation.dataOffsetBytes());
                        assertThat(member.report().name()).isEqualTo("m" + member.role());
                        assertThat(member.report().warnings()).isEmpty();
                    }
                }
            }
        }
    }

    @Test
    void missingMembersAreNotWaitedForLater() throws Exception {
        try (Images images = new Images()) {
            images.add("m0", 8 * MIB);
            images.add("m3", 8 * MIB);
            List<Optional<BlockDevice>> members = List.of(
                    Optional.of(images.device("m0")),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(images.device("m3")));
            create(SPEC, members, uuids(2));
            ArrayPlan plan = images.examine().assemble();
            assertThat(plan.missing()).containsExactly(1, 2);
            assertThat(plan.needsRun()).isFalse();
            assertThat(plan.isClean()).isTrue();
        }
    }

    @Test
    void arrayOfManyMembersHasATableForAll() throws Exception {
        try (Images images = new Images()) {
            for (int i = 0; i < 200; i++) {
                images.add("m" + i, 2 * MIB);
            }
            create(SPEC, present(images.devices()), uuids(200));
            ArrayPlan plan = images.examine().assemble();
            assertThat(plan.members()).hasSize(200);
            assertThat(plan.members().getFirst().superblock().roleSlots()).isEqualTo(384);
        }
    }

    static Stream<Arguments> whatCannotBe() {
        Layout near2 = Layout.near(2);
        String tooLong = "x".repeat(33);
        return Stream.of(
                arguments("copies=5, members=4", spec(Layout.near(5), 65536, "1.2")),
                arguments("chunkBytes=2048", spec(near2, 2048, "1.2")),
                arguments("chunkBytes=98304", spec(near2, 98304, "1.2")),
                arguments("metadata=0.90", spec(near2, 65536, "0.90")),
                arguments("bytes=33, max=32", change(tooLong, 0, ArraySpec.CHOOSE)),
                arguments("control characters", change("a\nb", 0, ArraySpec.CHOOSE)),
                arguments("size=-1", change("a", -1, ArraySpec.CHOOSE)),
                arguments("size=1073741824", change("a", 1 << 30, ArraySpec.CHOOSE)),
                arguments("dataOffset=1000", change("a", 0, 1000)),
                arguments("dataOffset=-2", change("a", 0, -2)),
                arguments("within the superblock: dataOffset=4096, min=8192", change("a", 0, 4096)),
                arguments("m0 is too small", change("a", 0, 8 * MIB)),
                arguments("m0 is too small", spec(near2, 1 << 30, "1.2")),
                arguments("single chunk", change("a", 4096, ArraySpec.CHOOSE)));
    }

    private static ArraySpec change(String name, long memberBytes, long dataOffsetBytes) {
        return new ArraySpec(
                SPEC.uuid(), name, Layout.near(2), 65536, "1.2", memberBytes, dataOffsetBytes, true, false);
    }

    @ParameterizedTest
    @MethodSource("whatCannotBe")
    void whatCannotBeIsRefusedAndNothingWritten(String message, ArraySpec spec) {
        try (Images images = new Images()) {
            for (int i = 0; i < 4; i++) {
                images.add("m" + i, 8 * MIB);
            }
            assertRefused(spec, present(images.devices()), message);
        }
    }

    /** Prepares in vain; the devices see no write. */
    private static RefusedException assertRefused(ArraySpec spec, List<Optional<BlockDevice>> members, String message) {
        List<ReadOnlyWatch> watches = new ArrayList<>();
        List<Optional<BlockDevice>> watched = members.stream()
                .map(m -> m.<BlockDevice>map(d -> {
                    watches.add(new ReadOnlyWatch(d));
                    return watches.getLast();
                }))
                .toList();
        RefusedException refused =
                catchThrowableOfType(RefusedException.class, () -> ArrayCreation.prepare(spec, watched, Images.SHARD));
        assertThat(refused).as(message).isNotNull();
        assertThat(refused.refusal().toString()).startsWith("cannot create: ").contains(message);
        assertThat(watches).allSatisfy(w -> assertThat(w.changes()).isEmpty());
        return refused;
    }

    @Test
    void tooFewOrTooManyMissingMembersAreRefused() {
        try (Images images = new Images()) {
            images.add("m0", 8 * MIB);
            images.add("m1", 8 * MIB);
            Optional<BlockDevice> m0 = Optional.of(images.device("m0"));
            Optional<BlockDevice> m1 = Optional.of(images.device("m1"));
            Optional<BlockDevice> none = Optional.empty();
            assertRefused(SPEC, List.of(m0), "raidDevices=1");
            assertRefused(SPEC, List.of(none, none), "all members are missing");
            assertRefused(SPEC, List.of(m0, m1, none, none), "too many members are missing");
            assertRefused(SPEC, List.of(m0, m0), "one device cannot be two members: m0");
        }
    }

    @Test
    void layoutThatLosesDataIsRefused() {
        try (Images images = new Images()) {
            for (int i = 0; i < 5; i++) {
                images.add("m" + i, 8 * MIB);
            }
            ArraySpec nearOffset = spec(new Layout(2, 2, true, 0), 65536, "1.2");
            assertRefused(nearOffset, present(images.devices()), "two chunks in one place");
            ArraySpec oldFarSets = spec(new Layout(1, 2, false, 1), 65536, "1.2");
            assertRefused(oldFarSets, present(images.devices("m0", "m1", "m2")), "two chunks in one place");
        }
    }

    @Test
    void deviceThatHoldsSomethingIsRefusedUnlessToldTo() throws Exception {
        try (Images images = new Images()) {
            for (int i = 0; i < 2; i++) {
                images.add("m" + i, 8 * MIB);
            }
            create(spec(Layout.near(2), 65536, "1.0"), present(images.devices()), uuids(2));
            RefusedException refused =
                    assertRefused(SPEC, present(images.devices()), "m0 is not free: a superblock of array \"array\"");
            assertThat(refused.refusal().hints()).isNotEmpty();

            ArrayCreation forced = ArrayCreation.prepare(overwriting(SPEC), present(images.devices()), Images.SHARD);
            assertThat(forced.notes()).anyMatch(n -> n.startsWith("m1 is overwritten, which holds a superblock"));
            forced.write(uuids(2)::removeFirst, Images.SHARD);
            for (MemberReport member : images.examine().members()) {
                assertThat(member.superblock().orElseThrow().version()).isEqualTo("1.2");
                assertThat(member.otherSuperblocks())
                        .as("the old 1.0 superblock is wiped")
                        .isEmpty();
            }
        }
    }

    @Test
    void deviceWithAFileSystemOrPartitionTableIsRefused() {
        try (Images images = new Images()) {
            MemorySegment ext = images.add("ext", 8 * MIB);
            ext.set(ValueLayout.JAVA_BYTE, 1024 + 56, (byte) 0x53);
            ext.set(ValueLayout.JAVA_BYTE, 1024 + 57, (byte) 0xef);
            PartitionedDisk.gpt(images.add("gpt", 8 * MIB), 2048, 4096);
            PartitionedDisk.mbr(images.add("mbr", 8 * MIB), 2048, 4096);
            images.add("free", 8 * MIB);
            for (String[] one : new String[][] {{"ext", "ext2"}, {"gpt", "GPT"}, {"mbr", "MBR"}}) {
                assertRefused(SPEC, present(images.devices(one[0], "free")), one[0] + " is not free: " + one[1]);
            }
        }
    }

    @Test
    void deviceThatForgetsWhatWasWrittenIsNoticed() throws Exception {
        ArrayCreation creation = ArrayCreation.prepare(
                SPEC,
                List.of(
                        Optional.of(new SliceDevice(new NullDevice(8 * MIB), "null0", 0, 8 * MIB)),
                        Optional.of(new SliceDevice(new NullDevice(8 * MIB), "null1", 0, 8 * MIB))),
                Images.SHARD);
        assertThatThrownBy(() -> creation.write(uuids(2)::removeFirst, Images.SHARD))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not read back: device=null0, offset=4096");
    }

    @Test
    void nothingButSuperblocksIsWritten() throws Exception {
        try (Images images = new Images()) {
            images.add("m0", 8 * MIB).fill((byte) 0x77);
            images.add("m1", 8 * MIB).fill((byte) 0x77);
            create(SPEC, present(images.devices()), uuids(2));
            MemorySegment memory = images.memory("m0");
            for (long at = 0; at < memory.byteSize(); at++) {
                boolean superblock = at >= 4096 && at < 8192;
                if (!superblock && memory.get(ValueLayout.JAVA_BYTE, at) != 0x77) {
                    throw new AssertionError("written: at=" + at);
                }
            }
        }
    }

    private static List<MdUuid> uuids(int count) {
        List<MdUuid> uuids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            uuids.add(new MdUuid(i + 1, 7));
        }
        return uuids;
    }

    private static ArrayCreation create(ArraySpec spec, List<Optional<BlockDevice>> members, List<MdUuid> uuids)
            throws RefusedException, IOException {
        ArrayCreation creation = ArrayCreation.prepare(spec, members, Images.SHARD);
        creation.write(uuids::removeFirst, Images.SHARD);
        return creation;
    }

    private static List<Optional<BlockDevice>> present(List<BlockDevice> devices) {
        return devices.stream().map(Optional::of).toList();
    }
}
