package io.tenfold.testkit;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * One array of the corpus: what it is, what a reader must find in it, and what mdadm and a Linux kernel made of the
 * same images. The fields are those of {@code harness/corpus/manifest.json}; sizes and offsets in bytes, absent lists
 * are empty.
 *
 * @param level such as {@code raid10}
 * @param layout such as {@code near=2}; null for a level that has none
 * @param chunkBytes null for a level that has none
 * @param metadata such as {@code 1.2}
 * @param expected the state in words
 * @param content which seed of {@link ContentRule} holds where; empty for sets that hold files
 * @param either ranges where the copies may differ, and the seeds that are right there
 * @param files files of the ext4 file system on the array
 * @param arraySha256 of the array as the first copies give it; null where the content has no one value
 */
public record ArraySet(
        String name,
        String level,
        String layout,
        @JsonProperty("raid_disks") int raidDisks,
        @JsonProperty("chunk_bytes") Integer chunkBytes,
        String metadata,
        String bitmap,
        String archive,
        long seed,
        @JsonProperty("array_size") long arraySize,
        String expected,
        List<Range> content,
        List<Either> either,
        List<HeldFile> files,
        @JsonProperty("array_sha256") String arraySha256,
        Kernel kernel,
        List<Member> members,
        @JsonProperty("bad_blocks") List<BadBlocks> badBlocks,
        @JsonProperty("resync_checkpoint") Long resyncCheckpoint) {

    public ArraySet {
        content = content == null ? List.of() : List.copyOf(content);
        either = either == null ? List.of() : List.copyOf(either);
        files = files == null ? List.of() : List.copyOf(files);
        badBlocks = badBlocks == null ? List.of() : List.copyOf(badBlocks);
        members = List.copyOf(members);
    }

    /** A range of the array that follows {@link ContentRule} with {@code seed}. */
    public record Range(long start, long length, long seed) {}

    /** A range of the array where any of {@code seeds} is right, sector by sector. */
    public record Either(long start, long length, List<Long> seeds) {}

    /** A file on the array's file system. */
    public record HeldFile(String path, long size, long seed, String sha256) {}

    /** One member image; {@code file} is {@code SET/mN.img}. */
    public record Member(String file, long size, String sha256, String role) {
        /** The file's name without its folder. */
        public String fileName() {
            return file.substring(file.lastIndexOf('/') + 1);
        }
    }

    /** An entry in a member's bad-block log. Sectors of 512 bytes, from the start of the member. */
    public record BadBlocks(String file, long sector, int sectors) {}

    /**
     * What mdadm and the kernel made of the images.
     *
     * @param assembles {@code plain}, {@code with --run}, or another word for not at all
     * @param membersUsed the members that the kernel took
     * @param membersLeftOut files that the kernel did not use
     * @param sha256 of what the kernel read; null where it read nothing
     */
    public record Kernel(
            String assembles,
            @JsonProperty("degraded") Integer degraded,
            @JsonProperty("members_used") List<Used> membersUsed,
            @JsonProperty("members_left_out") List<String> membersLeftOut,
            String sha256) {

        public Kernel {
            membersUsed = membersUsed == null ? List.of() : List.copyOf(membersUsed);
            membersLeftOut = membersLeftOut == null ? List.of() : List.copyOf(membersLeftOut);
        }
    }

    /** A member that the kernel took; {@code slot} is a number or {@code none} for a spare. */
    public record Used(String file, String slot, String state) {}

    /** Whether mdadm assembles the set, with {@code --run} or without. */
    public boolean assembles() {
        return kernel.assembles().equals("plain") || needsRun();
    }

    /** Whether mdadm wants {@code --run} before it starts the array. */
    public boolean needsRun() {
        return kernel.assembles().equals("with --run");
    }

    @Override
    public String toString() {
        return name;
    }
}
