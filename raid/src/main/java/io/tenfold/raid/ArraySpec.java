package io.tenfold.raid;

/**
 * What array to make.
 *
 * @param uuid its identity: 128 random bits, never used before
 * @param name its name, often {@code host:name}; at most 32 bytes of UTF-8; may be empty
 * @param layout how copies are spread
 * @param chunkBytes a power of two, 4096 to 2<sup>30</sup>
 * @param version of the superblocks: {@code 1.0}, {@code 1.1} or {@code 1.2}
 * @param memberBytes how much of each member to use; 0: what the smallest member has
 * @param dataOffsetBytes where data starts on each member, a multiple of 4096; -1: as mdadm would choose
 * @param assumeClean no resync: the members' copies agree already, as those of members full of zeroes do, or the
 *     caller does not care what unwritten parts read as
 * @param overwrite make members of devices that hold something already: an array's superblock, a file system, a partition
 *     table
 */
public record ArraySpec(
        MdUuid uuid,
        String name,
        Layout layout,
        long chunkBytes,
        String version,
        long memberBytes,
        long dataOffsetBytes,
        boolean assumeClean,
        boolean overwrite) {
    /** {@link #dataOffsetBytes}: as mdadm would choose. */
    public static final long CHOOSE = -1;
}
