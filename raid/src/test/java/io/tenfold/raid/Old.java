package io.tenfold.raid;

import io.tenfold.base.Prng;
import io.tenfold.raid.md.Superblock090;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Arrays with superblocks of version 0.90, near 2, as mdadm left them on little-endian machines. */
final class Old {
    private Old() {}

    static Images make(int members, long memberBytes) {
        Images images = new Images();
        for (int i = 0; i < members; i++) {
            MemorySegment memory = images.add("m" + i, memberBytes);
            put(memory, superblock(members, i, memberBytes));
        }
        return images;
    }

    private static ByteBuffer superblock(int members, int number, long memberBytes) {
        ByteBuffer words = ByteBuffer.allocate(Superblock090.AREA).order(ByteOrder.LITTLE_ENDIAN);
        int kib = (int) (Superblock090.placeOf(memberBytes) / 65536 * 64);
        int[][] values = {
            {0, 0xa92b4efc},
            {2, 90},
            {5, 1},
            {13, 2},
            {14, 3},
            {15, 4},
            {6, 1000},
            {7, 10},
            {8, kib},
            {9, members},
            {10, members},
            {32, 2000},
            {33, 1},
            {39, 18},
            {64, 0x102},
            {65, 65536}
        };
        for (int[] value : values) {
            words.putInt(4 * value[0], value[1]);
        }
        for (int i = 0; i < members; i++) {
            descriptor(words, 128 + 32 * i, i);
        }
        descriptor(words, 992, number);
        return words;
    }

    private static void descriptor(ByteBuffer words, int at, int number) {
        words.putInt(4 * at, number);
        words.putInt(4 * (at + 3), number);
        words.putInt(4 * (at + 4), 6);
    }

    private static void put(MemorySegment memory, ByteBuffer words) {
        words.putInt(4 * 38, 0);
        long sum = 0;
        for (int word = 0; word < 1024; word++) {
            sum += words.getInt(4 * word) & 0xffff_ffffL;
        }
        words.putInt(4 * 38, (int) (sum + (sum >>> 32)));
        memory.asSlice(Superblock090.placeOf(memory.byteSize()), Superblock090.AREA)
                .copyFrom(MemorySegment.ofBuffer(words.duplicate().clear()));
    }

    /** Puts boundary values into some words; the checksum is right afterwards, mostly. */
    static void mutate(MemorySegment memory, int[] candidates, Prng prng) {
        byte[] area = memory.asSlice(Superblock090.placeOf(memory.byteSize()), Superblock090.AREA)
                .toArray(ValueLayout.JAVA_BYTE);
        ByteBuffer words = ByteBuffer.wrap(area).order(ByteOrder.LITTLE_ENDIAN);
        if (prng.oneIn(4)) {
            words.putInt(4 * 2, 91).putInt(4 * 46, 10).putInt(4 * 48, 0x102).putInt(4 * 49, 65536);
        }
        for (int changes = 1 + prng.below(4); changes > 0; changes--) {
            words.putInt(4 * candidates[prng.below(candidates.length)], (int) FuzzTest.value(prng));
        }
        put(memory, words);
        if (prng.oneIn(8)) {
            long at = Superblock090.placeOf(memory.byteSize()) + prng.below(Superblock090.AREA);
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) prng.nextLong());
        }
    }
}
