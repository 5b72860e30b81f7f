package io.tenfold.raid;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** Writes partition tables with one partition into memory, as partitioning tools do. Sectors of 512 bytes. */
final class PartitionedDisk {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final int ENTRIES = 128;
    private static final int ENTRY = 128;

    private PartitionedDisk() {}

    /** A GPT, its protective MBR, and its backup at the end. */
    static void gpt(MemorySegment disk, long first, long sectors) {
        long last = disk.byteSize() / 512 - 1;
        mbr(disk, 1, last);
        disk.set(BYTE, 446 + 4, (byte) 0xee);
        gptHeader(disk, 1, 2, last, first, sectors);
        gptHeader(disk, last, last - 32, 1, first, sectors);
    }

    private static void gptHeader(MemorySegment disk, long at, long entriesAt, long other, long first, long sectors) {
        MemorySegment entries = disk.asSlice(entriesAt * 512, ENTRIES * ENTRY);
        entries.fill((byte) 0);
        entries.set(LONG, 0, 0x477284830fc63dafL);
        entries.set(LONG, 8, 0xe47d47d8693d798eL);
        entries.set(LONG, 16, 1);
        entries.set(LONG, 32, first);
        entries.set(LONG, 40, first + sectors - 1);
        MemorySegment header = disk.asSlice(at * 512, 512);
        header.fill((byte) 0);
        MemorySegment.copy(MemorySegment.ofArray("EFI PART".getBytes(StandardCharsets.US_ASCII)), 0, header, 0, 8);
        header.set(INT, 8, 0x10000);
        header.set(INT, 12, 92);
        header.set(LONG, 24, at);
        header.set(LONG, 32, other);
        header.set(LONG, 40, 34);
        header.set(LONG, 48, disk.byteSize() / 512 - 34);
        header.set(LONG, 72, entriesAt);
        header.set(INT, 80, ENTRIES);
        header.set(INT, 84, ENTRY);
        header.set(INT, 88, crc(entries));
        header.set(INT, 16, crc(header.asSlice(0, 92)));
    }

    private static int crc(MemorySegment memory) {
        CRC32 crc = new CRC32();
        crc.update(memory.toArray(BYTE));
        return (int) crc.getValue();
    }

    /** An MBR with one primary partition. */
    static void mbr(MemorySegment disk, long first, long sectors) {
        disk.asSlice(446, 64).fill((byte) 0);
        entry(disk, 446, 0xfd, first, sectors);
        disk.set(BYTE, 510, (byte) 0x55);
        disk.set(BYTE, 511, (byte) 0xaa);
    }

    /** An MBR whose extended partition holds one logical partition, number 5. */
    static void logical(MemorySegment disk, long extended, long first, long sectors) {
        mbr(disk, extended, disk.byteSize() / 512 - extended);
        disk.set(BYTE, 446 + 4, (byte) 0x05);
        MemorySegment link = disk.asSlice(extended * 512, 512);
        mbr(link, first - extended, sectors);
    }

    /** Links the chain of logical partitions to itself. */
    static void endless(MemorySegment disk, long extended) {
        MemorySegment link = disk.asSlice(extended * 512, 512);
        entry(link, 446 + 16, 0x05, 0, 1);
    }

    private static void entry(MemorySegment block, long at, int type, long first, long sectors) {
        block.set(BYTE, at + 4, (byte) type);
        block.set(INT, at + 8, (int) first);
        block.set(INT, at + 12, (int) sectors);
    }
}
