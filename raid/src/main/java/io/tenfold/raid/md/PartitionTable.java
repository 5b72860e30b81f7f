package io.tenfold.raid.md;

import static io.tenfold.raid.md.LittleEndian.i32;
import static io.tenfold.raid.md.LittleEndian.i64;
import static io.tenfold.raid.md.LittleEndian.u16;
import static io.tenfold.raid.md.LittleEndian.u32;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;

/**
 * The partitions of a disk: GPT by its first header or, where that is damaged, its backup at the end; else MBR with its
 * chain of logical partitions.
 *
 * @param kind {@code GPT}, {@code MBR}, or empty if there is no table
 * @param atStart it was read at the disk's start rather than from a backup
 * @param notes what is odd about it
 */
public record PartitionTable(String kind, boolean atStart, List<Partition> partitions, List<String> notes) {
    /** No table. */
    public static final PartitionTable NONE = new PartitionTable("", false, List.of(), List.of());

    private static final int SECTOR = 512;
    private static final int[] GPT_SECTORS = {512, 4096};
    private static final long GPT_SIGNATURE = 0x5452415020494645L; // "EFI PART"
    private static final int GPT_HEADER_MIN = 92;
    private static final int GPT_ENTRIES_MAX = 1024;
    private static final int GPT_ENTRY_MIN = 128;
    private static final int GPT_ENTRY_MAX = 1024;
    private static final int MBR_ENTRIES = 446;
    private static final int MBR_ENTRY = 16;
    private static final int LOGICAL_MAX = 128;

    /**
     * A partition, cut to what the disk has.
     *
     * @param number as the system counts: from 1; logical partitions of an MBR from 5
     */
    public record Partition(int number, long startBytes, long sizeBytes) {}

    public PartitionTable {
        partitions = List.copyOf(partitions);
        notes = List.copyOf(notes);
    }

    /** Whether a table was found. */
    public boolean exists() {
        return !kind.isEmpty();
    }

    /**
     * Looks for a table.
     *
     * @param blockBytes the unit in which an MBR on this disk would count
     * @throws IOException if the disk cannot be read
     */
    public static PartitionTable read(DeviceReader disk, int blockBytes) throws IOException {
        for (int sector : GPT_SECTORS) {
            PartitionTable table = gpt(disk, sector, sector, "");
            if (table != null) {
                return table;
            }
        }
        for (int sector : GPT_SECTORS) {
            PartitionTable table = gpt(
                    disk,
                    disk.sizeBytes() / sector * sector - sector,
                    sector,
                    "the GPT at the start is damaged or overwritten, its backup at the end is whole");
            if (table != null) {
                return table;
            }
        }
        PartitionTable table = mbr(disk, Math.max(SECTOR, blockBytes));
        return table != null ? table : NONE;
    }

    private static PartitionTable gpt(DeviceReader disk, long at, int sector, String note) throws IOException {
        if (!disk.holds(at, sector)) {
            return null;
        }
        byte[] header = disk.read(at, sector);
        long length = u32(header, 12);
        if (i64(header, 0) != GPT_SIGNATURE || length < GPT_HEADER_MIN || length > SECTOR) {
            return null;
        }
        int stored = i32(header, 16);
        Arrays.fill(header, 16, 20, (byte) 0);
        long count = u32(header, 80);
        long entryBytes = u32(header, 84);
        if (stored != crc(header, (int) length)
                || count > GPT_ENTRIES_MAX
                || entryBytes < GPT_ENTRY_MIN
                || entryBytes > GPT_ENTRY_MAX) {
            return null;
        }
        long entriesAt = i64(header, 72);
        int entriesLength = (int) (count * entryBytes);
        if (entriesAt < 0 || entriesAt > Long.MAX_VALUE / sector || !disk.holds(entriesAt * sector, entriesLength)) {
            return null;
        }
        byte[] entries = disk.read(entriesAt * sector, entriesLength);
        if (crc(entries, entriesLength) != i32(header, 88)) {
            return null;
        }
        List<Partition> partitions = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        if (!note.isEmpty()) {
            notes.add(note);
        }
        for (int i = 0; i < count; i++) {
            int entry = (int) (i * entryBytes);
            if (i64(entries, entry) != 0 || i64(entries, entry + 8) != 0) {
                long first = i64(entries, entry + 32);
                long last = i64(entries, entry + 40);
                add(partitions, notes, disk, i + 1, first, last - first + 1, sector);
            }
        }
        return new PartitionTable("GPT", note.isEmpty(), partitions, notes);
    }

    private static int crc(byte[] bytes, int length) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static void add(
            List<Partition> partitions,
            List<String> notes,
            DeviceReader disk,
            int number,
            long first,
            long count,
            int sector) {
        long sectors = disk.sizeBytes() / sector;
        if (first <= 0 || count <= 0 || first >= sectors) {
            notes.add("partition is not within the disk: partition=" + number + ", first=" + first + ", sectors="
                    + count + ", disk has " + sectors);
            return;
        }
        long held = Math.min(count, sectors - first);
        if (held < count) {
            notes.add("partition ends beyond the disk: partition=" + number + ", first=" + first + ", sectors=" + count
                    + ", disk has " + sectors);
        }
        partitions.add(new Partition(number, first * sector, held * sector));
    }

    private static PartitionTable mbr(DeviceReader disk, int sector) throws IOException {
        if (!disk.holds(0, SECTOR)) {
            return null;
        }
        byte[] block = disk.read(0, SECTOR);
        if (!hasMbrSignature(block)) {
            return null;
        }
        List<Partition> partitions = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        boolean any = false;
        for (int i = 0; i < 4; i++) {
            int entry = MBR_ENTRIES + i * MBR_ENTRY;
            int type = block[entry + 4] & 0xff;
            if (type == 0) {
                continue;
            }
            int flag = block[entry] & 0x7f;
            if (flag != 0 || u32(block, entry + 8) == 0) {
                return null; // A boot sector of a file system has code or text here.
            }
            any = true;
            if (type == 0xee) {
                notes.add("the MBR stands for a GPT, of which no whole header was found");
            } else if (isExtended(type)) {
                logical(partitions, notes, disk, u32(block, entry + 8), sector);
            } else {
                add(partitions, notes, disk, i + 1, u32(block, entry + 8), u32(block, entry + 12), sector);
            }
        }
        return any ? new PartitionTable("MBR", true, partitions, notes) : null;
    }

    /** Follows the chain of logical partitions, each link of which lies behind the start of the extended one. */
    private static void logical(
            List<Partition> partitions, List<String> notes, DeviceReader disk, long extended, int sector)
            throws IOException {
        long link = extended;
        for (int number = 5; number < 5 + LOGICAL_MAX; number++) {
            if (!disk.holds(link * sector, SECTOR)) {
                notes.add("chain of logical partitions leaves the disk: partition=" + number + ", sector=" + link);
                return;
            }
            byte[] block = disk.read(link * sector, SECTOR);
            if (!hasMbrSignature(block)) {
                notes.add("chain of logical partitions is broken: partition=" + number + ", sector=" + link);
                return;
            }
            if (block[MBR_ENTRIES + 4] != 0) {
                add(
                        partitions,
                        notes,
                        disk,
                        number,
                        link + u32(block, MBR_ENTRIES + 8),
                        u32(block, MBR_ENTRIES + 12),
                        sector);
            }
            int next = MBR_ENTRIES + MBR_ENTRY;
            if (!isExtended(block[next + 4] & 0xff)) {
                return;
            }
            link = extended + u32(block, next + 8);
        }
        notes.add("chain of logical partitions is too long: max=" + LOGICAL_MAX);
    }

    private static boolean hasMbrSignature(byte[] block) {
        return u16(block, 510) == 0xaa55;
    }

    private static boolean isExtended(int type) {
        return type == 0x05 || type == 0x0f || type == 0x85;
    }
}
