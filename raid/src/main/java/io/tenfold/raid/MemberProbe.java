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

/** Finds out what one device is: a member, a disk with members in its partitions, or something else. Never writes. */
final class MemberProbe {
    /** Less than this has no room for a superblock and a chunk. */
    private static final long MEMBER_BYTES_MIN = 24L * SECTOR;

    private final BlockDevice device;
    private final Shard shard;

    private MemberProbe(BlockDevice device, Shard shard) {
        this.device = device;
        this.shard = shard;
    }

    /** One report for the device; and, where members lie in its partitions, one for each of those. */
    static List<MemberReport> probe(BlockDevice device, Shard shard) {
        return new MemberProbe(device, shard).probe();
    }

    private List<MemberReport> probe() {
        List<String> odd = new ArrayList<>();
        try (DeviceReader reader = new DeviceReader(device, shard)) {
            PartitionTable table = table(reader, odd);
            List<MemberReport> inside = partitions(table, odd);
            SuperblockProbe.Found found = SuperblockProbe.probe(reader);
            List<MdSuperblock> own = withoutThoseOf(inside, found.superblocks());
            boolean whole = !own.isEmpty() && own.getFirst().problems().isEmpty();
            if (!inside.isEmpty() && whole && !isOlder(own.getFirst(), inside)) {
                inside.forEach(m -> odd.add("an md superblock also lies in partition " + m.partition()
                        + ", of an older array or inside this one"));
                inside = List.of();
            } else if (!inside.isEmpty()) {
                own.forEach(s -> odd.add(describe(s) + " on the whole disk, left from before"));
                own = List.of();
            }
            List<MemberReport> reports = new ArrayList<>();
            reports.add(report(reader, own, found.unreadable(), table, odd, inside));
            reports.addAll(inside);
            return reports;
        }
    }

    private PartitionTable table(DeviceReader reader, List<String> odd) {
        try {
            return PartitionTable.read(reader, device.limits().blockBytes());
        } catch (IOException e) {
            odd.add("partition table cannot be read: " + e.getMessage());
            return new PartitionTable("", List.of(), List.of());
        }
    }

    /** The partitions that hold a member, whole or broken. */
    private List<MemberReport> partitions(PartitionTable table, List<String> odd) {
        List<MemberReport> reports = new ArrayList<>();
        int block = device.limits().blockBytes();
        for (PartitionTable.Partition partition : table.partitions()) {
            if (partition.startBytes() % block != 0) {
                odd.add("partition does not start at a block of the device: partition=" + partition.number()
                        + ", startBytes=" + partition.startBytes() + ", blockBytes=" + block);
                continue;
            }
            SliceDevice slice = new SliceDevice(
                    device,
                    device.name() + ", partition " + partition.number(),
                    partition.startBytes(),
                    partition.sizeBytes() / block * block);
            try (DeviceReader reader = new DeviceReader(slice, shard)) {
                SuperblockProbe.Found found = SuperblockProbe.probe(reader);
                if (!found.superblocks().isEmpty()) {
                    reports.add(member(
                            reader, slice, partition.number(), found.superblocks(), found.unreadable(), List.of()));
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

    private MemberReport report(
            DeviceReader reader,
            List<MdSuperblock> own,
            List<String> unreadable,
            PartitionTable table,
            List<String> odd,
            List<MemberReport> inside) {
        List<String> findings = new ArrayList<>();
        boolean member = !own.isEmpty() && own.getFirst().problems().isEmpty();
        if (table.exists()) {
            findings.add(describe(table, member));
            table.notes().forEach(note -> findings.add(table.kind() + ": " + note));
        }
        findings.addAll(odd);
        if (!own.isEmpty()) {
            return member(reader, device, 0, own, unreadable, findings);
        }
        List<String> problems = new ArrayList<>(unreadable);
        lookForContent(reader, findings, problems);
        if (!inside.isEmpty()) {
            problems.add("not a member itself: "
                    + (inside.size() == 1 ? "one lies in its partition " : "members lie in its partitions ")
                    + String.join(
                            ", ",
                            inside.stream()
                                    .map(m -> Integer.toString(m.partition()))
                                    .toList()));
        } else {
            problems.add("no md superblock");
            if (table.kind().equals("GPT")) {
                findings.add("a GPT covers the place of a 1.1 or 1.2 superblock (the first 34 sectors): whatever wrote"
                        + " it destroyed the superblock if this was a member");
            }
        }
        return new MemberReport(
                device, 0, Optional.empty(), List.of(), Optional.empty(), List.of(), findings, problems, List.of());
    }

    private static String describe(PartitionTable table, boolean besideSuperblock) {
        String text = table.kind() + " partition table, " + table.partitions().size() + " partitions";
        return besideSuperblock
                ? text + ", beside the md superblock: firmware or partitioning tools that repair it can destroy the"
                        + " superblock"
                : text;
    }

    private void lookForContent(DeviceReader reader, List<String> findings, List<String> problems) {
        try {
            if (device.sizeBytes() == 0) {
                problems.add("it is empty");
                return;
            }
            if (Signatures.isBlank(reader)) {
                findings.add("zeroes at its start and end: never used, or wiped");
            }
            for (String name : Signatures.at(reader, 0)) {
                findings.add(name + " at its start");
            }
            String container = Signatures.container(reader);
            if (!container.isEmpty()) {
                findings.add(container + " at its end, a container: use mdadm on Linux");
            }
            if (device.sizeBytes() < MEMBER_BYTES_MIN) {
                findings.add("too small for a member: sizeBytes=" + device.sizeBytes());
            }
        } catch (IOException e) {
            problems.add("cannot be read: " + e.getMessage());
        }
    }

    private static MemberReport member(
            DeviceReader reader,
            BlockDevice where,
            int partition,
            List<MdSuperblock> superblocks,
            List<String> unreadable,
            List<String> earlierFindings) {
        MdSuperblock best = superblocks.getFirst();
        List<String> findings = new ArrayList<>(earlierFindings);
        List<String> problems = new ArrayList<>();
        List<String> warnings = new ArrayList<>(unreadable);
        List<BadRange> badRanges = List.of();
        Optional<BitmapReport> bitmap = Optional.empty();
        if (best.problems().isEmpty()) {
            badRanges = MemberMetadata.badRanges(reader, best, warnings);
            bitmap = MemberMetadata.bitmap(reader, best);
            warnings.addAll(best.warnings());
            bitmap.ifPresent(b -> warnings.addAll(b.problems()));
            lookForContent(reader, best, findings);
        } else {
            best.problems().forEach(p -> problems.add(describe(best) + ": " + p));
        }
        for (MdSuperblock other : superblocks.subList(1, superblocks.size())) {
            findings.add("another superblock, not used: " + describe(other)
                    + (other.problems().isEmpty() ? "" : ": " + other.problems().getFirst()));
        }
        return new MemberReport(
                where,
                partition,
                Optional.of(new Superblock(best)),
                superblocks.stream().skip(1).map(Superblock::new).toList(),
                bitmap,
                badRanges,
                findings,
                problems,
                warnings);
    }

    private static void lookForContent(DeviceReader reader, MdSuperblock best, List<String> findings) {
        try {
            for (String name : Signatures.at(reader, best.dataOffset() * SECTOR)) {
                findings.add(
                        best.dataOffset() == 0
                                ? name + " at its start belongs to the array: this is one member of it, and mounting or"
                                        + " repairing it alone makes the members differ"
                                : name + " where the array's data starts");
            }
            if (best.dataOffset() != 0) {
                for (String name : Signatures.at(reader, 0)) {
                    findings.add(name + " at its start, outside the array: left from before, or written over it");
                }
            }
        } catch (IOException _) {
            // Only what else might be there; who reads the data will meet the error.
        }
    }

    private static String describe(MdSuperblock superblock) {
        return superblock.version() + " superblock at sector " + superblock.placeBytes() / SECTOR;
    }
}
