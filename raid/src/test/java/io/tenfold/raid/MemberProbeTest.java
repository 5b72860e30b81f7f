package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.block.FaultDevice;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.SliceDevice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a device is said to be. */
class MemberProbeTest {
    private static final long MIB = 1 << 20;

    private final Images images = new Images();
    private final Images disks = new Images();

    @AfterEach
    void close() {
        images.close();
        disks.close();
    }

    private void make(String version) throws Exception {
        TestArrays.make(images, Layout.near(2), 2, version);
    }

    /** A disk larger than a member, which lies in it from a sector on. */
    private MemorySegment disk(String name, String member, long firstSector) {
        MemorySegment source = images.memory(member);
        MemorySegment disk = disks.add(name, firstSector * 512 + source.byteSize() + MIB);
        MemorySegment.copy(source, 0, disk, firstSector * 512, source.byteSize());
        return disk;
    }

    private long memberSectors() {
        return images.memory("m0").byteSize() / 512;
    }

    private static MemberReport only(List<MemberReport> reports) {
        assertThat(reports).hasSize(1);
        return reports.getFirst();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.0", "1.1", "1.2"})
    void memberInAGptPartitionIsFoundAndAssembles(String version) throws Exception {
        make(version);
        PartitionedDisk.gpt(disk("disk0", "m0", 2048), 2048, memberSectors());
        PartitionedDisk.gpt(disk("disk1", "m1", 2048), 2048, memberSectors());
        Examination examination = disks.examine();
        assertThat(examination.members()).hasSize(4);
        MemberReport whole = examination.members().get(0);
        assertThat(whole.isMember()).isFalse();
        assertThat(whole.problems()).containsExactly("not a member itself, but its partition 1");
        MemberReport member = examination.members().get(1);
        assertThat(member.name()).isEqualTo("disk0, partition 1");
        assertThat(member.partition()).isEqualTo(1);
        assertThat(((SliceDevice) member.device()).startBytes()).isEqualTo(MIB);
        assertThat(member.device().sizeBytes()).isEqualTo(memberSectors() * 512);
        assertThat(examination.assemble().missing()).isEmpty();
    }

    @Test
    void memberInAPrimaryOrLogicalPartitionIsFound() throws Exception {
        make("1.2");
        PartitionedDisk.mbr(disk("disk0", "m0", 63), 63, memberSectors());
        PartitionedDisk.logical(disk("disk1", "m1", 4096), 2048, 4096, memberSectors());
        ArrayPlan plan = disks.examine().assemble();
        assertThat(plan.members().stream().map(m -> m.report().name()))
                .containsExactly("disk0, partition 1", "disk1, partition 5");
    }

    @Test
    void superblockAtTheEndOfTheLastPartitionIsThePartitions() throws Exception {
        make("1.0");
        MemorySegment source = images.memory("m0");
        MemorySegment disk = disks.add("disk0", MIB + source.byteSize());
        MemorySegment.copy(source, 0, disk, MIB, source.byteSize());
        PartitionedDisk.mbr(disk, 2048, memberSectors());
        List<MemberReport> members = disks.examine().members();
        assertThat(members).hasSize(2);
        assertThat(members.get(0).superblock())
                .as("the same bytes, seen from the whole disk")
                .isEmpty();
        assertThat(members.get(1).isMember()).isTrue();
    }

    @Test
    void backupGptIsUsedWhereTheFirstIsGone() throws Exception {
        make("1.2");
        MemorySegment disk = disk("disk0", "m0", 2048);
        PartitionedDisk.gpt(disk, 2048, memberSectors());
        disk.asSlice(0, 34 * 512).fill((byte) 0);
        List<MemberReport> members = disks.examine().members();
        assertThat(members).hasSize(2);
        assertThat(members.get(0).findings()).anyMatch(f -> f.contains("its backup at the end is whole"));
    }

    @Test
    void chainOfLogicalPartitionsThatRunsInACircleEnds() throws Exception {
        make("1.2");
        MemorySegment disk = disk("disk0", "m0", 4096);
        PartitionedDisk.logical(disk, 2048, 4096, memberSectors());
        PartitionedDisk.endless(disk, 2048);
        assertThat(disks.examine().members().get(0).findings())
                .anyMatch(f -> f.contains("chain of logical partitions is too long"));
    }

    @Test
    void partitionBeyondTheEndOfTheDiskIsCutAndSaid() throws Exception {
        make("1.2");
        MemorySegment disk = disk("disk0", "m0", 2048);
        PartitionedDisk.mbr(disk, 2048, 1 << 20);
        List<MemberReport> members = disks.examine().members();
        assertThat(members.get(0).findings()).anyMatch(f -> f.contains("ends beyond the disk: partition=1"));
        assertThat(members.get(1).isMember()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1", "1.2"})
    void gptWrittenOverASuperblockIsSaidAndTheOthersGoOn(String version) throws Exception {
        make(version);
        PartitionedDisk.gpt(images.memory("m1"), 2048, 1024);
        Examination examination = images.examine();
        MemberReport hit = examination.members().get(1);
        assertThat(hit.isMember()).isFalse();
        assertThat(hit.findings()).anyMatch(f -> f.startsWith("GPT partition table"));
        assertThat(hit.findings()).anyMatch(f -> f.contains("destroyed the superblock, not the data"));
        ArrayPlan plan = examination.assemble();
        assertThat(plan.missing()).containsExactly(1);
        if (version.equals("1.2")) {
            assertThat(plan.notes()).anyMatch(n -> n.startsWith("m1 is not a member"));
        } else { // An MBR spares the first half of its sector, and so the name of the array.
            assertThat(plan.leftOut()).hasSize(1);
            assertThat(plan.leftOut().getFirst().reason()).isEqualTo(LeftOut.Reason.BROKEN);
        }
    }

    @Test
    void partitionTableBesideASuperblockIsAWarning() throws Exception {
        make("1.2");
        PartitionedDisk.mbr(images.memory("m0"), 2048, 1024);
        MemberReport member = images.examine().members().getFirst();
        assertThat(member.isMember()).isTrue();
        assertThat(member.findings()).anyMatch(f -> f.contains("can destroy the superblock"));
    }

    @Test
    void fileSystemOnAMirrorMemberIsSaidToBeTheArrays() throws Exception {
        make("1.0");
        ext4(images.memory("m0"), 0);
        MemberReport member = images.examine().members().getFirst();
        assertThat(member.isMember()).isTrue();
        assertThat(member.findings()).anyMatch(f -> f.startsWith("ext4 at its start belongs to the array"));
    }

    @Test
    void fileSystemWhereDataStartsAndOneOutsideAreToldApart() throws Exception {
        make("1.2");
        ext4(images.memory("m0"), MIB);
        text(images.memory("m0"), 0, "XFSB");
        assertThat(images.examine().members().getFirst().findings())
                .contains("ext4 where the array's data starts")
                .anyMatch(f -> f.startsWith("xfs at its start, outside the array"));
    }

    private static void ext4(MemorySegment memory, long at) {
        memory.set(ValueLayout.JAVA_BYTE, at + 1024 + 56, (byte) 0x53);
        memory.set(ValueLayout.JAVA_BYTE, at + 1024 + 57, (byte) 0xef);
        memory.set(ValueLayout.JAVA_BYTE, at + 1024 + 96, (byte) 0x40);
    }

    private static void text(MemorySegment memory, long at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, memory, at, bytes.length);
    }

    @ParameterizedTest
    @CsvSource({
        "0, XFSB, xfs",
        "65600, _BHRfS_M, btrfs",
        "4086, SWAPSPACE2, swap",
        "512, LABELONE, LVM physical volume",
        "3, 'NTFS    ', ntfs",
        "82, 'FAT32   ', vfat",
        "0, hsqs, squashfs",
        "32769, CD001, iso9660",
        "0, 'LUKS\u00ba\u00be', LUKS"
    })
    void whatHoldsAnotherThingIsNamed(long at, String magic, String name) {
        text(images.add("device", MIB), at, magic);
        MemberReport report = only(images.examine().members());
        assertThat(report.problems()).containsExactly("no md superblock");
        assertThat(report.findings()).contains(name + " at its start");
        assertThat(report.occupants()).containsExactly(name);
    }

    @Test
    void firmwareRaidIsNamedAsAContainer() {
        text(images.add("imsm", MIB), MIB - 1024, "Intel Raid ISM Cfg Sig. 1.3.00");
        assertThat(only(images.examine().members()).findings())
                .containsExactly("Intel firmware RAID (imsm) at its end, a container: use mdadm on Linux");
    }

    @ParameterizedTest
    @ValueSource(longs = {512, 4096, 8192, 12288, 65536, 131072})
    void deviceTooSmallForAnythingIsNoMember(long size) {
        images.add("small", size);
        assertThat(only(images.examine().members()).isMember()).isFalse();
    }

    @Test
    void zeroesAreSaidToBeZeroes() {
        images.add("zero", MIB);
        assertThat(only(images.examine().members()).findings())
                .containsExactly("zeroes at its start and end: never used, or wiped");
    }

    @Test
    void ofSeveralSuperblocksTheArrayMadeLastCounts() throws Exception {
        make("1.2");
        try (Images older = new Images()) {
            TestArrays.make(older, Layout.near(2), 2, "1.0");
            TestArrays.edit(older, e -> e.put64(64, 1000), "m0");
            long place = images.memory("m0").byteSize() - 8192;
            MemorySegment.copy(older.memory("m0"), place, images.memory("m0"), place, 4096);
        }
        MemberReport member = images.examine().members().getFirst();
        assertThat(member.superblock().orElseThrow().version()).isEqualTo("1.2");
        assertThat(member.otherSuperblocks()).hasSize(1);
        assertThat(member.findings())
                .anyMatch(f -> f.startsWith("another superblock, not used: 1.0 at sector 8176")
                        || f.startsWith("another superblock, not used: 1.0 superblock at sector 8176"));

        TestArrays.edit(images, e -> e.put64(64, 500), "m0");
        assertThat(images.examine()
                        .members()
                        .getFirst()
                        .superblock()
                        .orElseThrow()
                        .version())
                .isEqualTo("1.0");
    }

    @Test
    void deviceThatCannotBeReadIsSaidNotToBe() throws Exception {
        make("1.2");
        FaultDevice broken = new FaultDevice(images.device("m1"));
        broken.inject(FaultDevice.Fault.in(Op.READ, 0, Long.MAX_VALUE, IoStatus.IO_ERROR));
        Examination examination = Examination.of(List.of(images.device("m0"), broken), Images.SHARD);
        assertThat(examination.members().get(1).problems())
                .anyMatch(p -> p.startsWith("place of a 1.2 superblock cannot be read: I/O failed"));
        assertThat(examination.assemble().missing()).containsExactly(1);
    }

    @Test
    void badBlockLogIsReadInAddressesOfTheMember() throws Exception {
        make("1.2");
        TestArrays.edit(images, e -> e.featureMap(8), "m0");
        MemorySegment log = images.memory("m0").asSlice((8 + 16) * 512, 4096);
        log.fill((byte) 0xff);
        ValueLayout.OfLong entry = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
        log.set(entry, 0, 3000L << 10 | 8);
        log.set(entry, 8, 1L << 50 | 8);
        log.set(entry, 16, 3100L << 10);
        MemberReport member = images.examine().members().getFirst();
        assertThat(member.badRanges()).containsExactly(new BadRange(3000 * 512, 8 * 512));
        assertThat(member.warnings()).hasSize(2).allMatch(w -> w.startsWith("bad-block log entry is not within"));
    }
}
