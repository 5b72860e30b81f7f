package io.tenfold.raid;

import static io.tenfold.raid.md.MdSuperblock.SECTOR;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.SliceDevice;
import io.tenfold.raid.md.DeviceReader;
import io.tenfold.raid.md.MdSuperblock;
import io.tenfold.raid.md.PartitionTable;
import io.tenfold.raid.md.Signatures;
import io.tenfold.raid.md.SuperblockProbe;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Finds out what one device is: a member, a disk with members in its partitions, or something else. Never writes. */
final class MemberProbe {
    /** Less than this has no room for a superblock and a chunk. */
    private static final long MEMBER_BYTES_MIN = 24L * SECTOR;

    private final BlockDevice device;
    private final int partition;
    private final Shard shard;
    private final List<String> occupants = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    private MemberProbe(BlockDevice device, int partition, Shard shard) {
        this.device = device;
        this.partition = partition;
        this.shard = shard;
    }

    /** One report for the device; and, where members lie in its partitions, one for each of those. */
    static List<MemberReport> probe(BlockDevice device, Shard shard) {
        return new MemberProbe(device, 0, shard).probe();
    }

    private List<MemberReport> probe() {
        try (DeviceReader reader = new DeviceReader(device, shard)) {
            PartitionTable table = table(reader);
            List<MemberReport> inside = partitions(table);
            SuperblockProbe.Found found = SuperblockProbe.probe(reader);
            List<MdSuperblock> own = withoutThoseOf(inside, found.superblocks());
            boolean whole = !own.isEmpty() && own.getFirst().problems().isEmpty();
            describe(table, whole ? own.getFirst() : null);
            if (!whole && inside.isEmpty() && table.kind().equals("GPT") && table.atStart()) {
                findings.add("a GPT covers the place of a 1.1 or 1.2 superblock (its first 34 sectors): if this was a"
                        + " member, whatever wrote the GPT destroyed the superblock, not the data");
            }
            if (!inside.isEmpty() && whole && !isOlder(own.getFirst(), inside)) {
                inside.forEach(m -> findings.add("an md superblock also lies in partition " + m.partition()
                        + ", of an older array or inside this one"));
                inside = List.of();
            } else if (!inside.isEmpty()) {
                own.forEach(s -> findings.add(describe(s) + " on the whole disk, left from before"));
                own = List.of();
            }
            List<MemberReport> reports = new ArrayList<>();
            reports.add(own.isEmpty() ? noMember(reader, inside, found) : member(reader, own, found));
            reports.addAll(inside);
            return reports;
        }
    }

    private PartitionTable table(DeviceReader reader) {
        try {
            return PartitionTable.read(reader, device.limits().blockBytes());
        } catch (IOException e) {
            findings.add("partition table cannot be read: " + e.getMessage());
            return PartitionTable.NONE;
        }
    }

    /** The partitions that hold a superblock, whole or broken. */
    private List<MemberReport> partitions(PartitionTable table) {
        List<MemberReport> reports = new ArrayList<>();
        int block = device.limits().blockBytes();
        for (PartitionTable.Partition part : table.partitions()) {
            if (part.startBytes() % block != 0) {
                findings.add("partition does not start at a block of the device: partition=" + part.number()
                        + ", startBytes=" + part.startBytes() + ", blockBytes=" + block);
                continue;
            }
            SliceDevice slice = new SliceDevice(
                    device,
                    device.name() + ", partition " + part.number(),
                    part.startBytes(),
                    part.sizeBytes() / block * block);
            try (DeviceReader reader = new DeviceReader(slice, shard)) {
                SuperblockProbe.Found found = SuperblockProbe.probe(reader);
                if (!found.superblocks().isEmpty()) {
                    reports.add(
                            new MemberProbe(slice, part.number(), shard).member(reader, found.superblocks(), found));
                }
            }
        }
        return reports;
    }

    /** A superblock at the end of the last partition may also be found from the whole disk: it is the partition's. */
    private static List<MdSuperblock> withoutThoseOf(List<MemberReport> inside, List<MdSuperblock> found) {
        List<MdSuperblock> own = new ArrayList<>(found);
        for (MemberReport member : inside) {
            if (member.isMember() && member.device() instanceof SliceDevice slice) {
                long place = slice.startBytes()
                        + member.superblock().orElseThrow().raw().placeBytes();
                own.removeIf(s -> s.placeBytes() == place);
            }
        }
        return own;
    }

    private static boolean isOlder(MdSuperblock whole, List<MemberReport> inside) {
        return inside.stream()
                .filter(MemberReport::isMember)
                .anyMatch(m -> m.superblock().orElseThrow().createdMicros() > whole.createdMicros());
    }

    private void describe(PartitionTable table, MdSuperblock beside) {
        if (!table.exists()) {
            return;
        }
        occupants.add(table.kind() + " partition table");
        String text = table.kind() + " partition table, "
                + Wording.count(table.partitions().size(), "partition");
        if (beside == null) {
            findings.add(text);
        } else if (beside.dataOffset() == 0 && table.atStart()) {
            findings.add(text + ", at the start of the array's data: the array's own, or in danger of being repaired by"
                    + " a tool that does not see the array");
        } else {
            findings.add(text + " beside the md superblock: firmware or partitioning tools that repair it can destroy"
                    + " the superblock");
        }
        table.notes().forEach(note -> findings.add(table.kind() + ": " + note));
    }

    private static String describe(MdSuperblock superblock) {
        return superblock.version() + " superblock at sector " + superblock.placeBytes() / SECTOR;
    }

    private MemberReport noMember(DeviceReader reader, List<MemberReport> inside, SuperblockProbe.Found found) {
        problems.addAll(found.unreadable());
        if (inside.isEmpty()) {
            problems.add("no md superblock");
        } else {
            problems.add("not a member itself, but its "
                    + (inside.size() == 1 ? "partition " : "partitions ")
                    + inside.stream().map(m -> Integer.toString(m.partition())).collect(Collectors.joining(", ")));
        }
        lookAround(reader);
        return report(Optional.empty(), List.of(), Optional.empty(), List.of());
    }

    /** What a device is that is no member. */
    private void lookAround(DeviceReader reader) {
        try {
            if (device.sizeBytes() < MEMBER_BYTES_MIN) {
                findings.add("too small for a member: sizeBytes=" + device.sizeBytes());
            }
            if (device.sizeBytes() > 0 && Signatures.isBlank(reader)) {
                findings.add("zeroes at its start and end: never used, or wiped");
            }
            for (String name : Signatures.at(reader, 0)) {
                occupants.add(name);
                findings.add(name + " at its start");
            }
            String container = Signatures.container(reader);
            if (!container.isEmpty()) {
                occupants.add(container);
                findings.add(container + " at its end, a container: use mdadm on Linux");
            }
        } catch (IOException e) {
            problems.add("cannot be read: " + e.getMessage());
        }
    }

    private MemberReport member(DeviceReader reader, List<MdSuperblock> superblocks, SuperblockProbe.Found found) {
        MdSuperblock best = superblocks.getFirst();
        warnings.addAll(found.unreadable());
        List<BadRange> badRanges = List.of();
        Optional<BitmapReport> bitmap = Optional.empty();
        if (best.problems().isEmpty()) {
            badRanges = MemberMetadata.badRanges(reader, best, warnings);
            bitmap = MemberMetadata.bitmap(reader, best);
            warnings.addAll(best.warnings());
            bitmap.ifPresent(b -> warnings.addAll(b.problems()));
            lookBeside(reader, best);
        } else {
            best.problems().forEach(p -> problems.add(describe(best) + ": " + p));
            lookAround(reader);
        }
        List<Superblock> others = new ArrayList<>();
        for (MdSuperblock other : superblocks.subList(1, superblocks.size())) {
            others.add(new Superblock(other));
            findings.add("another superblock, not used: " + describe(other)
                    + (other.problems().isEmpty() ? "" : ": " + other.problems().getFirst()));
        }
        return report(Optional.of(new Superblock(best)), others, bitmap, badRanges);
    }

    /** What lies on a member beside md, and where its data starts. */
    private void lookBeside(DeviceReader reader, MdSuperblock superblock) {
        try {
            List<String> atData = Signatures.at(reader, superblock.dataOffset() * SECTOR);
            if (superblock.dataOffset() == 0) {
                occupants.addAll(atData);
                atData.forEach(name -> findings.add(name + " at its start belongs to the array: this is one member of"
                        + " it, and mounting or repairing it alone makes the members differ"));
                return;
            }
            atData.forEach(name -> findings.add(name + " where the array's data starts"));
            for (String name : Signatures.at(reader, 0)) {
                occupants.add(name);
                findings.add(name + " at its start, outside the array: left from before, or written over it");
            }
        } catch (IOException _) {
            // Only what else might be there; whoever reads the data will meet the error.
        }
    }

    private MemberReport report(
            Optional<Superblock> superblock,
            List<Superblock> others,
            Optional<BitmapReport> bitmap,
            List<BadRange> badRanges) {
        return new MemberReport(
                device, partition, superblock, others, bitmap, badRanges, occupants, findings, problems, warnings);
    }
}
