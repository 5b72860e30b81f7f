package io.tenfold.raid;

import io.tenfold.block.BlockDevice;
import io.tenfold.raid.md.Superblock1;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** Small arrays in memory, and changes to their superblocks. */
final class TestArrays {
    /** 2026-01-01T00:00Z, in microseconds. */
    static final long T0 = 1_767_225_600_000_000L;

    private static final long MEMBER_BYTES = 4 << 20;

    private TestArrays() {}

    /** Makes members m0, m1, … of a clean array with chunks of 64 KiB. */
    static void make(Images images, Layout layout, int members, String version) throws Exception {
        make(images, layout, members, version, MEMBER_BYTES);
    }

    static void make(Images images, Layout layout, int members, String version, long memberBytes) throws Exception {
        for (int i = 0; i < members; i++) {
            images.add("m" + i, memberBytes);
        }
        List<Optional<BlockDevice>> slots =
                images.devices().stream().map(Optional::of).toList();
        ArraySpec spec =
                new ArraySpec(new MdUuid(1, 2), "host:array", layout, 65536, version, 0, ArraySpec.CHOOSE, true, false);
        AtomicLong uuids = new AtomicLong(100);
        ArrayCreation.prepare(spec, slots, Images.SHARD)
                .write(() -> new MdUuid(uuids.incrementAndGet(), 3), Images.SHARD);
    }

    /** Changes the superblocks of some members, or of all if none is named. */
    static void edit(Images images, UnaryOperator<SuperblockBytes> change, String... names) {
        List<BlockDevice> devices = names.length == 0 ? images.devices() : images.devices(names);
        for (BlockDevice device : devices) {
            Superblock1 old = (Superblock1) MemberProbe.probe(device, Images.SHARD)
                    .getFirst()
                    .superblock()
                    .orElseThrow()
                    .raw();
            byte[] changed = change.apply(new SuperblockBytes(old.bytes())).done();
            images.memory(device.name())
                    .asSlice(old.placeBytes(), Superblock1.AREA)
                    .copyFrom(MemorySegment.ofArray(changed));
        }
    }

    /** Makes a copy of a member, superblock and all. */
    static void copy(Images images, String from, String to) {
        copyBetween(images, from, images, to);
    }

    static void copyBetween(Images source, String from, Images target, String to) {
        MemorySegment memory = source.memory(from);
        target.add(to, memory.byteSize()).copyFrom(memory);
    }
}
