package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Prng;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.BlockingIo;
import io.tenfold.block.SliceDevice;
import io.tenfold.raid.md.Superblock1;
import io.tenfold.testkit.ThreadCost;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Superblocks, bitmaps, logs and partition tables made up on purpose, 10,000 of them from fixed seeds: nothing escapes but
 * a refusal, nothing is written, nothing takes long or much memory, and what assembles lies within its devices.
 */
@Timeout(300)
class FuzzTest {
    private static final int MEMBERS = 4;
    private static final long MEMBER_BYTES = 2 << 20;
    private static final long ALLOCATED_BYTES_MAX = 64 << 20;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Offset and width of each field of a version-1 superblock. */
    private static final int[][] FIELDS = {
        {0, 4}, {4, 4}, {8, 4}, {12, 4}, {16, 8}, {32, 8}, {64, 8}, {72, 4}, {76, 4}, {80, 8}, {88, 4}, {92, 4},
        {96, 4}, {100, 4}, {104, 8}, {112, 4}, {116, 4}, {120, 4}, {124, 4}, {128, 8}, {136, 8}, {144, 8}, {152, 8},
        {160, 4}, {168, 8}, {184, 1}, {185, 1}, {186, 2}, {188, 4}, {192, 8}, {200, 8}, {208, 8}, {216, 4}, {220, 4},
        {224, 4}, {228, 4}, {252, 4}, {256, 2}, {258, 2}, {260, 2}, {262, 2}, {264, 2}
    };

    /** Words of a version 0.90 superblock that mean something. */
    private static final int[] WORDS = {
        0, 1, 2, 5, 6, 7, 8, 9, 10, 13, 32, 33, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 64, 65, 131, 132, 163, 164,
        992
    };

    /** What is done with the devices. */
    private interface Subject {
        void take(List<BlockDevice> devices) throws RefusedException, IOException;
    }

    private final List<Images> sets = new ArrayList<>();
    private final List<List<byte[]>> originals = new ArrayList<>();

    @BeforeEach
    void makeArrays() throws Exception {
        for (String version : new String[] {"1.0", "1.1", "1.2"}) {
            Images images = new Images();
            TestArrays.make(images, Layout.near(2), MEMBERS, version, MEMBER_BYTES);
            sets.add(images);
        }
        sets.add(Old.make(MEMBERS, MEMBER_BYTES));
        for (Images images : sets) {
            originals.add(images.devices().stream()
                    .map(d -> images.memory(d.name()).toArray(ValueLayout.JAVA_BYTE))
                    .toList());
        }
    }

    @AfterEach
    void close() {
        sets.forEach(Images::close);
    }

    @Test
    void nothingEscapesFromTenThousandArrays() {
        assertThat(fuzz(0, 10_000, FuzzTest::examineAndTry)).isEmpty();
    }

    @Test
    void sameSeedMakesTheSameBytes() {
        List<Integer> hashes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            StringBuilder seen = new StringBuilder();
            fuzz(77, 20, devices -> {
                for (BlockDevice device : devices) {
                    seen.append(device.sizeBytes());
                }
                sets.forEach(s -> s.devices()
                        .forEach(d ->
                                seen.append(Arrays.hashCode(s.memory(d.name()).toArray(ValueLayout.JAVA_BYTE)))));
            });
            hashes.add(seen.toString().hashCode());
        }
        assertThat(hashes.get(0)).isEqualTo(hashes.get(1));
    }

    @Test
    void readerThatTrustsALayoutIsCaught() {
        assertThat(fuzz(0, 1000, devices -> {
                    for (MemberReport member :
                            Examination.of(devices, Images.SHARD).members()) {
                        member.superblock().ifPresent(s -> {
                            long sections = s.sizeSectors() / (s.layoutWord() >>> 8 & 0xff); // Copies may be 0.
                            assertThat(sections).isNotEqualTo(Long.MAX_VALUE);
                        });
                    }
                }))
                .anyMatch(f -> f.contains("ArithmeticException"));
    }

    @Test
    void readerThatAllocatesWhatASuperblockAsksForIsCaught() {
        assertThat(fuzz(0, 1000, devices -> {
                    for (MemberReport member :
                            Examination.of(devices, Images.SHARD).members()) {
                        member.superblock().ifPresent(s -> {
                            byte[] chunk = new byte[(int) Math.min(1 << 28, 512 * s.chunkSectors())];
                            assertThat(chunk.length).isNotNegative();
                        });
                    }
                }))
                .anyMatch(f -> f.contains("allocated"));
    }

    @Test
    void readerThatWritesIsCaught() {
        assertThat(fuzz(0, 10, devices -> {
                    try (BlockingIo io = new BlockingIo(devices.getFirst(), Images.SHARD);
                            Arena arena = Arena.ofConfined()) {
                        io.write(0, arena.allocate(512), false);
                    }
                }))
                .anyMatch(f -> f.contains("written"));
    }

    @Test
    void planThatLeavesItsDeviceIsCaught() throws Exception {
        ArrayPlan plan = sets.get(2).examine().assemble();
        MemberReport first = plan.members().getFirst().report();
        MemberReport cut = new MemberReport(
                new SliceDevice(first.device(), "cut", 0, MEMBER_BYTES / 2),
                0,
                first.superblock(),
                List.of(),
                first.bitmap(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of());
        assertThat(beyond(plan)).isNull();
        assertThat(beyond(plan, new ArrayPlan.Member(0, cut, 1 << 20, 1 << 20, 1 << 20, ArrayPlan.IN_SYNC, false)))
                .isNotNull();
    }

    /** What an honest program does: examine, show, assemble, compare what was left out, look where data lies. */
    private static void examineAndTry(List<BlockDevice> devices) throws RefusedException {
        Examination examination = Examination.of(devices, Images.SHARD);
        for (MemberReport member : examination.members()) {
            member.superblock().ifPresent(FuzzTest::show);
        }
        ArrayPlan plan = examination.assemble();
        if (beyond(plan) != null) {
            throw new AssertionError("plan leaves its device: " + beyond(plan));
        }
        for (LeftOut left : plan.leftOut()) {
            StaleComparison.of(plan, left, Images.SHARD);
        }
    }

    private static void show(Superblock superblock) {
        assertThat(superblock.arrayState()
                        + superblock.layout()
                        + superblock.newLayout()
                        + superblock.name()
                        + superblock.legacy()
                        + Wording.freshness(superblock))
                .isNotNull();
    }

    /** The first place of data that is not within its device, or null. */
    private static String beyond(ArrayPlan plan) {
        for (ArrayPlan.Member member : plan.members()) {
            String beyond = beyond(plan, member);
            if (beyond != null) {
                return beyond;
            }
        }
        return plan.sizeBytes() > 0 && plan.checkpointBytes() <= plan.sizeBytes() ? null : "size or checkpoint";
    }

    private static String beyond(ArrayPlan plan, ArrayPlan.Member member) {
        List<Geometry> geometries = new ArrayList<>(List.of(plan.geometry()));
        plan.reshape().ifPresent(r -> geometries.add(r.geometry()));
        for (int i = 0; i < geometries.size(); i++) {
            Geometry geometry = geometries.get(i);
            long base = i == 0 ? member.dataOffsetBytes() : member.newDataOffsetBytes();
            long last = plan.level() == 1 ? plan.sizeBytes() : geometry.memberBytes();
            if (base < 0 || last > member.device().sizeBytes() - base || member.role() >= plan.roles()) {
                return member.report().name() + ": base=" + base + ", bytes=" + last;
            }
        }
        return null;
    }

    /** Runs cases and gives a line for each that went wrong. */
    private List<String> fuzz(long firstSeed, int count, Subject subject) {
        List<String> failures = new ArrayList<>();
        for (long seed = firstSeed; seed < firstSeed + count; seed++) {
            Prng prng = new Prng(seed);
            int set = prng.below(sets.size());
            Images images = sets.get(set);
            List<ReadOnlyWatch> watches = mutate(images, set == sets.size() - 1, prng);
            long before = ThreadCost.allocatedBytes();
            try {
                subject.take(List.copyOf(watches));
            } catch (RefusedException e) {
                if (e.refusal().message().isBlank() || e.refusal().toString().length() > 20_000) {
                    failures.add("seed=" + seed + ": not a message: " + e.refusal());
                }
            } catch (IOException | RuntimeException | AssertionError e) {
                failures.add("seed=" + seed + ": " + e + " at " + e.getStackTrace()[0]);
            }
            long allocated = ThreadCost.allocatedBytes() - before;
            if (allocated > ALLOCATED_BYTES_MAX) {
                failures.add("seed=" + seed + ": allocated=" + allocated);
            }
            for (ReadOnlyWatch watch : watches) {
                watch.changes().forEach(c -> failures.add("written: " + c));
            }
            restore(set);
        }
        return failures;
    }

    private void restore(int set) {
        for (int i = 0; i < MEMBERS; i++) {
            MemorySegment memory = sets.get(set).memory("m" + i);
            memory.copyFrom(MemorySegment.ofArray(originals.get(set).get(i)));
        }
    }

    private List<ReadOnlyWatch> mutate(Images images, boolean old, Prng prng) {
        // The same change in all superblocks passes the comparison between them; in one it does not.
        boolean all = prng.oneIn(2);
        long change = prng.nextLong();
        int one = prng.below(MEMBERS);
        List<ReadOnlyWatch> watches = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            if (all || i == one) {
                MemorySegment memory = images.memory("m" + i);
                if (old) {
                    Old.mutate(memory, WORDS, new Prng(change));
                } else {
                    mutate(memory, new Prng(change));
                }
            }
            BlockDevice device = images.device("m" + i);
            if (i == one && prng.oneIn(8)) {
                device = new SliceDevice(device, "m" + i, 0, 512L * prng.below((int) (MEMBER_BYTES / 512)));
            }
            watches.add(new ReadOnlyWatch(device));
        }
        return watches;
    }

    private static void mutate(MemorySegment memory, Prng prng) {
        long place = placeOf(memory);
        MemorySegment area = memory.asSlice(place, Superblock1.AREA);
        SuperblockBytes bytes = new SuperblockBytes(area.toArray(ValueLayout.JAVA_BYTE));
        for (int changes = 1 + prng.below(4); changes > 0; changes--) {
            int[] field = FIELDS[prng.below(FIELDS.length)];
            long value = value(prng);
            switch (field[1]) {
                case 1 -> bytes.put8(field[0], (int) value);
                case 2 -> bytes.put16(field[0], (int) value);
                case 4 -> bytes.put32(field[0], (int) value);
                default -> bytes.put64(field[0], value);
            }
        }
        if (prng.oneIn(4)) { // Plausible features, so that what hangs on them is reached.
            bytes.featureMap(prng.below(0x200));
            bytes.put32(96, 8 + prng.below(3) * 8)
                    .put32(116, 0x102)
                    .put32(120, 128)
                    .put32(100, 10)
                    .put32(112, prng.below(3) - 1);
            bytes.put64(104, prng.below(4096)).recoveryOffset(prng.below(2048));
            noise(memory, place + 4096, 4096, prng);
            bitmap(memory, place + 4096, prng);
        }
        byte[] done = bytes.done();
        if (prng.oneIn(8)) {
            for (int i = 1 + prng.below(64); i > 0; i--) {
                done[prng.below(done.length)] = (byte) prng.nextLong();
            }
        }
        area.copyFrom(MemorySegment.ofArray(done));
        if (prng.oneIn(16)) {
            partitions(memory, prng);
        }
    }

    private static long placeOf(MemorySegment memory) {
        for (long place : new long[] {0, 4096, memory.byteSize() - 8192}) {
            if (memory.get(INT, place) == Superblock1.MAGIC) {
                return place;
            }
        }
        throw new AssertionError("no superblock to change");
    }

    /** Boundaries more often than anything else. */
    static long value(Prng prng) {
        return switch (prng.below(8)) {
            case 0 -> prng.below(3);
            case 1 -> -1L - prng.below(2);
            case 2 -> (1L << prng.below(64)) + prng.below(3) - 1;
            case 3 -> Long.MAX_VALUE - prng.below(2);
            case 4 -> Long.MIN_VALUE + prng.below(2);
            case 5 -> MEMBER_BYTES / 512 + prng.below(5) - 2;
            case 6 -> prng.below(4096);
            default -> prng.nextLong();
        };
    }

    private static void noise(MemorySegment memory, long at, int length, Prng prng) {
        if (at + length > memory.byteSize()) {
            return;
        }
        for (long i = 0; i < length; i += 8) {
            memory.set(LONG, at + i, prng.oneIn(3) ? -1 : prng.nextLong() >>> prng.below(60));
        }
    }

    private static void bitmap(MemorySegment memory, long at, Prng prng) {
        if (at + 256 > memory.byteSize() || prng.oneIn(4)) {
            return;
        }
        memory.set(INT, at, 0x6d746962);
        memory.set(INT, at + 4, 3 + prng.below(5));
        memory.set(LONG, at + 8, Long.reverseBytes(1));
        memory.set(LONG, at + 16, Long.reverseBytes(2));
        memory.set(LONG, at + 24, value(prng));
        memory.set(LONG, at + 32, value(prng));
        memory.set(LONG, at + 40, prng.oneIn(2) ? 4096 : value(prng));
        memory.set(INT, at + 48, prng.below(8));
        memory.set(INT, at + 52, prng.oneIn(2) ? 65536 : (int) value(prng));
    }

    private static void partitions(MemorySegment memory, Prng prng) {
        if (prng.oneIn(2)) {
            PartitionedDisk.mbr(memory, value(prng), value(prng));
        } else {
            PartitionedDisk.logical(memory, 1 + prng.below(2048), prng.below(4096), value(prng));
        }
    }
}
