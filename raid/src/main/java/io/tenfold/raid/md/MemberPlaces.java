package io.tenfold.raid.md;

/**
 * Where superblock, bad-block log and data of a new member lie, as mdadm 4.2 chooses it. Sectors.
 *
 * @param superOffset of the superblock
 * @param logOffset of the bad-block log, counted from the superblock; 0: no log, as there is no room
 * @param dataOffset of the data
 * @param dataSize sectors from there on that data may use; 0 or less: the member is too small
 */
public record MemberPlaces(long superOffset, int logOffset, long dataOffset, long dataSize) {
    /** Sectors of a bad-block log. */
    public static final int LOG_SECTORS = 8;

    private static final long AREA = 8;
    private static final long MIB = 2048;
    private static final long GIB = 1024 * MIB;
    private static final long HEAD_ROOM_MAX = 128 * MIB;

    /**
     * Chooses for one member.
     *
     * @param minor 0, 1 or 2
     * @param memberSectors what the member has
     * @param smallestSectors what the smallest member has: it decides, so that all members look alike
     * @param chunkSectors of the array
     * @param wantedDataOffset where data shall start, or -1
     */
    public static MemberPlaces choose(
            int minor, long memberSectors, long smallestSectors, long chunkSectors, long wantedDataOffset) {
        long place = Superblock1.placeOf(minor, memberSectors * MdSuperblock.SECTOR) / MdSuperblock.SECTOR;
        if (minor == 0) {
            long bitmapRoom = bitmapRoom(smallestSectors);
            long dataOffset = Math.max(0, wantedDataOffset);
            return new MemberPlaces(place, -LOG_SECTORS, dataOffset, place - LOG_SECTORS - bitmapRoom - dataOffset);
        }
        long dataOffset = wantedDataOffset >= 0 ? wantedDataOffset : dataOffset(smallestSectors, chunkSectors);
        // The log follows the room that a bitmap of the data, not of the whole member, would want.
        long log = AREA + bitmapRoom(smallestSectors - dataOffset);
        if (place + log + LOG_SECTORS > dataOffset) {
            log = place + AREA + LOG_SECTORS <= dataOffset ? AREA : 0;
        }
        return new MemberPlaces(place, (int) log, dataOffset, memberSectors - dataOffset);
    }

    /** Room that is kept for a write-intent bitmap, whether there is one or not. */
    private static long bitmapRoom(long memberSectors) {
        if (memberSectors - 128 >= 200 * GIB) {
            return 256;
        }
        return memberSectors - AREA > 8 * GIB ? 128 : AREA;
    }

    /** Room before the data lets a later reshape move it: about a thousandth of the member, two chunks at least. */
    private static long dataOffset(long memberSectors, long chunkSectors) {
        long headRoom = HEAD_ROOM_MAX;
        while (headRoom << 10 > memberSectors && headRoom > 2 * chunkSectors) {
            headRoom >>= 1;
        }
        return (24 + bitmapRoom(memberSectors) + headRoom + MIB - 1) / MIB * MIB;
    }
}
