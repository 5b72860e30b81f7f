package io.tenfold.raid;

/**
 * How RAID10 spreads copies, without sizes: what md's layout word says.
 *
 * @param near copies beside one another in a stripe, 1 to 255
 * @param far copies at a distance, 1 to 255, of each near copy; the product is the number of copies
 * @param offset the far copies lie in adjacent stripes rather than in sections of their own
 * @param farSets how members are grouped for far copies: 0 all in one set, 1 the old grouping (which may put two copies
 *     on one member), 2 the repaired grouping
 */
public record Layout(int near, int far, boolean offset, int farSets) {
    private static final int OFFSET_BIT = 1 << 16;
    private static final int FAR_SETS_SHIFT = 17;
    private static final int USED_BITS = (1 << 19) - 1;

    public Layout {
        if (near < 1 || near > 255 || far < 1 || far > 255) {
            throw new IllegalArgumentException(
                    "near and far copies must be 1 to 255 each: near=" + near + ", far=" + far);
        }
        if (farSets < 0 || farSets > 2) {
            throw new IllegalArgumentException("far-set mode must be 0, 1 or 2: farSets=" + farSets);
        }
    }

    /** Copies beside one another, as mdadm's {@code n2}. */
    public static Layout near(int copies) {
        return new Layout(copies, 1, false, 0);
    }

    /** Copies in sections of their own, as mdadm's {@code f2}. */
    public static Layout far(int copies) {
        return new Layout(1, copies, false, 0);
    }

    /** Copies in adjacent stripes, as mdadm's {@code o2}. */
    public static Layout offset(int copies) {
        return new Layout(1, copies, true, 0);
    }

    /**
     * Reads a layout word as it stands in a superblock.
     *
     * @throws IllegalArgumentException if it means nothing; the message gives the word and what is wrong
     */
    public static Layout ofWord(int word) {
        if ((word & ~USED_BITS) != 0) {
            throw new IllegalArgumentException("layout word has unknown bits: layout=0x" + Integer.toHexString(word));
        }
        int near = word & 0xff;
        int far = word >>> 8 & 0xff;
        int farSets = word >>> FAR_SETS_SHIFT;
        if (near < 1 || far < 1 || farSets > 2) {
            throw new IllegalArgumentException("layout word is not valid: layout=0x" + Integer.toHexString(word)
                    + ", near=" + near + ", far=" + far + ", farSets=" + farSets);
        }
        return new Layout(near, far, (word & OFFSET_BIT) != 0, farSets);
    }

    /** The layout word of a superblock. */
    public int word() {
        return near | far << 8 | (offset ? OFFSET_BIT : 0) | farSets << FAR_SETS_SHIFT;
    }

    /** How many copies of each chunk there are. */
    public int copies() {
        return near * far;
    }

    /** The words mdadm users know: {@code near=2}, {@code far=2}, {@code offset=2}, {@code near=2, far=2}. */
    @Override
    public String toString() {
        String text = far == 1 || near > 1 ? "near=" + near : "";
        if (far > 1) {
            text += (text.isEmpty() ? "" : ", ") + (offset ? "offset=" : "far=") + far;
        }
        return farSets == 0 ? text : text + ", far-sets=" + farSets;
    }
}
