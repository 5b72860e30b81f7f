package io.tenfold.raid.md;

import java.util.List;

/** The checks of a level 10 geometry that need no arithmetic of the mapping. */
final class MdGeometry {
    private static final int CHUNK_SECTORS_MIN = 8;
    private static final long CHUNK_SECTORS_MAX = 1 << 21;
    private static final int LAYOUT_BITS = 0x7ffff;

    private MdGeometry() {}

    /**
     * Adds a line for each value that no array can have.
     *
     * @param prefix what the lines begin with
     * @param chunkSectors 0 or more
     * @param raidDisks 1 or more
     */
    static void check(String prefix, int layout, long chunkSectors, long raidDisks, List<String> problems) {
        long near = layout & 0xff;
        int far = layout >>> 8 & 0xff;
        int farSets = layout >>> 17 & 3;
        if ((layout & ~LAYOUT_BITS) != 0 || near < 1 || far < 1 || farSets > 2) {
            problems.add(prefix + "layout is not valid: layout=0x" + Integer.toHexString(layout) + ", near=" + near
                    + ", far=" + far + ", farSets=" + farSets);
        } else if (near * far > raidDisks) {
            problems.add(
                    prefix + "more copies than members: near=" + near + ", far=" + far + ", raidDisks=" + raidDisks);
        }
        if (chunkSectors < CHUNK_SECTORS_MIN || chunkSectors > CHUNK_SECTORS_MAX || Long.bitCount(chunkSectors) != 1) {
            problems.add(prefix + "chunk must be a power of two, 8 to " + CHUNK_SECTORS_MAX + " sectors: chunkSectors="
                    + chunkSectors);
        }
    }
}
