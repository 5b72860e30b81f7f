package io.tenfold.raid;

import io.tenfold.base.Shard;
import io.tenfold.raid.md.DeviceReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Members that are the same member more than once: a copy made with dd, a snapshot, one file named twice.
 *
 * @param unique one of each
 * @param leftOut the rest, and why
 * @param ambiguity why none can be chosen; null if that is not so
 */
record Duplicates(List<MemberReport> unique, List<LeftOut> leftOut, Refusal ambiguity) {
    /** Copies are compared up to this size; beyond, a look would take too long to be a look. */
    private static final long COMPARED_BYTES_MAX = 1L << 30;

    /** Sorts members out. Reads the content of copies that are equal by their superblocks. */
    static Duplicates of(String label, List<MemberReport> members, Shard shard) {
        Map<String, List<MemberReport>> same = new LinkedHashMap<>();
        members.forEach(
                m -> same.computeIfAbsent(identity(m), _ -> new ArrayList<>()).add(m));
        List<MemberReport> unique = new ArrayList<>();
        List<LeftOut> leftOut = new ArrayList<>();
        for (List<MemberReport> copies : same.values()) {
            // The counter alone does not tell: it steps back when nothing but clean and dirty changed.
            copies.sort(
                    Comparator.<MemberReport>comparingLong(m -> superblock(m).events())
                            .thenComparingLong(m -> superblock(m).updatedMicros())
                            .reversed());
            MemberReport kept = copies.getFirst();
            unique.add(kept);
            for (MemberReport copy : copies.subList(1, copies.size())) {
                if (isOlder(superblock(copy), superblock(kept))) {
                    leftOut.add(leftOut(
                            copy,
                            "an older copy of " + kept.name() + ": "
                                    + Wording.freshness(superblock(copy)) + "; " + kept.name() + " has "
                                    + Wording.freshness(superblock(kept))));
                } else if (isSameDevice(kept, copy) || isSameContent(kept, copy, shard)) {
                    leftOut.add(leftOut(copy, "the same member as " + kept.name() + ", content and all"));
                } else {
                    return new Duplicates(List.of(), leftOut, ambiguity(label, kept, copy));
                }
            }
        }
        return new Duplicates(unique, leftOut, null);
    }

    private static boolean isOlder(Superblock copy, Superblock kept) {
        return copy.events() < kept.events()
                || (copy.events() == kept.events() && copy.updatedMicros() < kept.updatedMicros());
    }

    private static Superblock superblock(MemberReport member) {
        return member.superblock().orElseThrow();
    }

    /** Version 0.90 has no identity of members but their number. */
    private static String identity(MemberReport member) {
        Superblock superblock = superblock(member);
        return superblock.deviceUuid().map(MdUuid::toString).orElseGet(() -> "number " + superblock.devNumber());
    }

    private static LeftOut leftOut(MemberReport copy, String text) {
        return new LeftOut(copy, LeftOut.Reason.DUPLICATE, superblock(copy).ownRole(), text);
    }

    private static boolean isSameDevice(MemberReport one, MemberReport other) {
        return one.partition() == other.partition()
                && (one.device().equals(other.device()) || one.name().equals(other.name()));
    }

    private static boolean isSameContent(MemberReport one, MemberReport other, Shard shard) {
        long size = one.device().sizeBytes();
        if (size != other.device().sizeBytes() || size > COMPARED_BYTES_MAX) {
            return false;
        }
        try (DeviceReader first = new DeviceReader(one.device(), shard);
                DeviceReader second = new DeviceReader(other.device(), shard)) {
            for (long at = 0; at < size; at += DeviceReader.LENGTH_MAX) {
                int length = (int) Math.min(DeviceReader.LENGTH_MAX, size - at);
                if (!Arrays.equals(first.read(at, length), second.read(at, length))) {
                    return false;
                }
            }
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private static Refusal ambiguity(String label, MemberReport one, MemberReport other) {
        boolean large = one.device().sizeBytes() > COMPARED_BYTES_MAX;
        return new Refusal(
                "cannot assemble \"" + label + "\": " + one.name() + " and " + other.name()
                        + " are the same member by their superblocks, "
                        + (large ? "and too large to compare" : "but not in their content"),
                "device uuid=" + identity(one) + ", slot=" + superblock(one).ownRole() + ", "
                        + Wording.freshness(superblock(one)),
                List.of("one is a copy of the other: name only the one that you want"));
    }
}
