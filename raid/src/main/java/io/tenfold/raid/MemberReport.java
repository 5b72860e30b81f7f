package io.tenfold.raid;

import io.tenfold.block.BlockDevice;
import java.util.List;
import java.util.Optional;

/**
 * What one device, or a partition of it, was found to be.
 *
 * @param device where it lies: the device given, or a window of it
 * @param partition number of the partition within the device given, from 1; 0: the whole device
 * @param superblock the superblock that counts, which may have problems; empty if there is none
 * @param otherSuperblocks more of them, such as one that an earlier array left behind
 * @param bitmap the write-intent bitmap, where there is one
 * @param badRanges what the bad-block log names
 * @param occupants names of what begins at its start beside md: file systems, a partition table
 * @param findings what else was found, in words
 * @param problems why it is not a member, or a member that cannot be used; empty for one that can
 * @param warnings what is wrong but does not keep it from being read
 */
public record MemberReport(
        BlockDevice device,
        int partition,
        Optional<Superblock> superblock,
        List<Superblock> otherSuperblocks,
        Optional<BitmapReport> bitmap,
        List<BadRange> badRanges,
        List<String> occupants,
        List<String> findings,
        List<String> problems,
        List<String> warnings) {
    public MemberReport {
        otherSuperblocks = List.copyOf(otherSuperblocks);
        badRanges = List.copyOf(badRanges);
        occupants = List.copyOf(occupants);
        findings = List.copyOf(findings);
        problems = List.copyOf(problems);
        warnings = List.copyOf(warnings);
    }

    /** What people call it. */
    public String name() {
        return device.name();
    }

    /** Whether it has a superblock without problems. */
    public boolean isMember() {
        return superblock.isPresent() && problems.isEmpty();
    }
}
