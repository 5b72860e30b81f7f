package io.tenfold.raid.md;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/**
 * The values of a new member's superblock. Sizes and offsets in sectors.
 *
 * @param minor 0, 1 or 2
 * @param setUuid identity of the array
 * @param deviceUuid identity of the member
 * @param createdMicros time of creation and of the first update; mdadm writes whole seconds
 * @param places where what lies on this member
 * @param devNumber this member's number
 * @param roles the role of each number
 * @param clean nothing needs to be synced
 */
public record SuperblockBlueprint(
        int minor,
        UUID setUuid,
        UUID deviceUuid,
        String name,
        long createdMicros,
        int layout,
        long size,
        int chunk,
        MemberPlaces places,
        int devNumber,
        List<Integer> roles,
        boolean clean) {
    /** Bytes of the longest name. */
    public static final int NAME_BYTES_MAX = Superblock1.NAME_LENGTH;

    private static final int LEVEL = 10;
    private static final int SECTOR = MdSuperblock.SECTOR;

    public SuperblockBlueprint {
        roles = List.copyOf(roles);
    }

    /** The superblock, byte for byte as mdadm 4.2 writes it. */
    public Superblock1 superblock() {
        Superblock1.Editor editor = Superblock1.blank(minor, places.superOffset() * SECTOR, slots(roles.size()))
                .setUuid(setUuid)
                .deviceUuid(deviceUuid)
                .name(name.getBytes(StandardCharsets.UTF_8))
                .created(createdMicros)
                .updatedMicros(createdMicros)
                .put32(Superblock1.AT_LEVEL, LEVEL)
                .put32(Superblock1.AT_LAYOUT, layout)
                .put64(Superblock1.AT_SIZE, size)
                .put32(Superblock1.AT_CHUNK, chunk)
                .put32(Superblock1.AT_RAID_DISKS, roles.size())
                .put64(Superblock1.AT_DATA_OFFSET, places.dataOffset())
                .put64(Superblock1.AT_DATA_SIZE, places.dataSize())
                .put32(Superblock1.AT_DEV_NUMBER, devNumber)
                .put16(Superblock1.AT_BBLOG_SIZE, places.logOffset() == 0 ? 0 : MemberPlaces.LOG_SECTORS)
                .put32(Superblock1.AT_BBLOG_OFFSET, places.logOffset())
                .resyncOffset(clean ? MdSuperblock.CLEAN : 0);
        for (int number = 0; number < roles.size(); number++) {
            editor.role(number, roles.get(number));
        }
        return editor.done();
    }

    /** The table fills whole sectors: 128 slots in two, then 256 more in each. */
    private static int slots(int members) {
        int bytes = (Superblock1.HEADER + 2 * members + SECTOR - 1) / SECTOR * SECTOR;
        return (bytes - Superblock1.HEADER) / 2;
    }
}
