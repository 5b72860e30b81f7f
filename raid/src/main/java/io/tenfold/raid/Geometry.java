package io.tenfold.raid;

import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * Where RAID10 keeps the copies of each chunk, forwards and backwards: pure arithmetic, bit for bit as Linux md does it.
 *
 * <p>A member is named by its role, counted from 0. Addresses on a member count from the start of its data. A <i>place</i>
 * is a role and a chunk of that member, packed into one long that is never negative, so that the data path allocates
 * nothing: {@link #role} and {@link #memberChunk} take it apart.
 *
 * <p>Copies are numbered as md walks them: near copy 0, its far copies, near copy 1, its far copies, and so on. Copy 0
 * is the one that counts where copies may differ after a crash.
 *
 * <p>Threads: any; immutable.
 */
public final class Geometry {
    /** What the inverse answers for a place that holds no array chunk. */
    public static final long UNUSED = -1;

    /** The most members a superblock has room for. */
    public static final int MEMBERS_MAX = 1920;

    /** The largest member: 2<sup>55</sup> bytes. */
    public static final long MEMBER_BYTES_MAX = 1L << 55;

    private static final long CHUNK_BYTES_MIN = 4096;
    private static final long CHUNK_BYTES_MAX = 1L << 30;

    /** A place is {@code role << ROLE_SHIFT | chunk}: 2^43 chunks of 4 KiB fill the largest member. */
    private static final int ROLE_SHIFT = 48;

    private final Layout layout;
    private final int members;
    private final long chunkBytes;
    private final long memberBytes;

    private final int chunkShift;
    private final int near;
    private final int far;
    /** Chunks of a member that belong to one far copy. */
    private final long sectionChunks;
    /** Member chunks from one far copy to the next. */
    private final long strideChunks;
    /** Members in a far set. */
    private final int setSize;
    /** Members in the last far set, which takes what division leaves over. */
    private final int lastSetSize;
    /** First member of the last far set. */
    private final int lastSetStart;

    private final long arrayChunks;

    /**
     * A geometry.
     *
     * @param members roles, 1 to {@link #MEMBERS_MAX}, at least as many as copies
     * @param chunkBytes a power of two, 4096 to 2<sup>30</sup>
     * @param memberBytes how much of each member the array uses, 0 to {@link #MEMBER_BYTES_MAX}; need not be a multiple
     *     of the chunk
     * @throws IllegalArgumentException if there can be no such array; the message names the value
     */
    public Geometry(Layout layout, int members, long chunkBytes, long memberBytes) {
        if (members < 1 || members > MEMBERS_MAX) {
            throw new IllegalArgumentException("members must be 1 to " + MEMBERS_MAX + ": members=" + members);
        }
        if (layout.copies() > members) {
            throw new IllegalArgumentException(
                    "more copies than members: copies=" + layout.copies() + ", members=" + members);
        }
        if (chunkBytes < CHUNK_BYTES_MIN || chunkBytes > CHUNK_BYTES_MAX || Long.bitCount(chunkBytes) != 1) {
            throw new IllegalArgumentException(
                    "chunk must be a power of two, 4096 to 2^30 bytes: chunkBytes=" + chunkBytes);
        }
        if (memberBytes < 0 || memberBytes > MEMBER_BYTES_MAX) {
            throw new IllegalArgumentException("member must have 0 to 2^55 bytes: memberBytes=" + memberBytes);
        }
        this.layout = layout;
        this.members = members;
        this.chunkBytes = chunkBytes;
        this.memberBytes = memberBytes;
        chunkShift = Long.numberOfTrailingZeros(chunkBytes);
        near = layout.near();
        far = layout.far();
        sectionChunks = (memberBytes >>> chunkShift) / far;
        strideChunks = layout.offset() ? 1 : sectionChunks;
        setSize = switch (layout.farSets()) {
            case 0 -> members;
            case 1 -> members / far;
            default -> near * far;
        };
        lastSetSize = setSize + members % setSize;
        lastSetStart = members - lastSetSize;
        arrayChunks = sectionChunks * members / near;
        if (arrayChunks > Long.MAX_VALUE >>> chunkShift) {
            throw new IllegalArgumentException("array would have 2^63 bytes or more: members=" + members
                    + ", memberBytes=" + memberBytes + ", layout=" + layout);
        }
    }

    /** How copies are spread. */
    public Layout layout() {
        return layout;
    }

    /** How many roles there are. */
    public int members() {
        return members;
    }

    /** How many copies of each chunk there are. */
    public int copies() {
        return near * far;
    }

    /** Bytes of a chunk, a power of two. */
    public long chunkBytes() {
        return chunkBytes;
    }

    /** How much of each member the array uses, in bytes, as given. */
    public long memberBytes() {
        return memberBytes;
    }

    /** Chunks of the array, from 0. */
    public long arrayChunks() {
        return arrayChunks;
    }

    /** Bytes of the array: a multiple of the chunk, from 0. */
    public long arrayBytes() {
        return arrayChunks << chunkShift;
    }

    /** The chunk in which a byte of the array lies. */
    public long chunkOf(long arrayOffset) {
        return arrayOffset >>> chunkShift;
    }

    /** How far into its chunk a byte of the array, or of a member, lies. */
    public long withinChunk(long offset) {
        return offset & chunkBytes - 1;
    }

    /** The byte at which a chunk of the array, or of a member, starts. */
    public long startOf(long chunk) {
        return chunk << chunkShift;
    }

    /** The role of a place. */
    public static int role(long place) {
        return (int) (place >>> ROLE_SHIFT);
    }

    /** The member chunk of a place. */
    public static long memberChunk(long place) {
        return place & (1L << ROLE_SHIFT) - 1;
    }

    /** A role and a member chunk as one number. */
    public static long place(int role, long memberChunk) {
        return (long) role << ROLE_SHIFT | memberChunk;
    }

    /**
     * Where a copy of a chunk lies.
     *
     * @param chunk of the array, 0 to {@link #arrayChunks} - 1
     * @param copy 0 to {@link #copies} - 1
     * @return a place
     */
    public long locate(long chunk, int copy) {
        assert chunk >= 0 && chunk < arrayChunks : "chunk=" + chunk + ", arrayChunks=" + arrayChunks;
        assert copy >= 0 && copy < copies() : "copy=" + copy + ", copies=" + copies();
        int nearCopy = far == 1 ? copy : copy / far;
        int farCopy = far == 1 ? 0 : copy % far;
        long cell = chunk * near;
        long row = cell / members;
        int role = (int) (cell - row * members) + nearCopy;
        if (layout.offset()) {
            row *= far;
        }
        if (role >= members) { // Near copies are at most as many as members, so this wraps once at most.
            role -= members;
            row++; // md does so with the offset flag too, which is why some of those words are not one-to-one.
        }
        for (int step = 0; step < farCopy; step++) {
            role = farther(role);
        }
        return place(role, row + farCopy * strideChunks);
    }

    /** The member that holds the next far copy of what {@code role} holds. */
    private int farther(int role) {
        int moved = role + near;
        if (lastSetSize != setSize && moved > lastSetStart) { // Strictly above, as md does it.
            return lastSetStart + (moved - lastSetStart) % lastSetSize;
        }
        return role / setSize * setSize + moved % setSize;
    }

    /** The member whose next far copy {@code role} holds, where the map is one-to-one. */
    private int nearer(int role) {
        boolean last = role >= lastSetStart;
        int start = last ? lastSetStart : role / setSize * setSize;
        int size = last ? lastSetSize : setSize;
        return start + Math.floorMod(role - start - near, size);
    }

    /**
     * The array chunk of which a member chunk holds a copy, or {@link #UNUSED}.
     *
     * @param memberChunk from 0; past the end is unused
     */
    public long arrayChunk(int role, long memberChunk) {
        assert role >= 0 && role < members : "role=" + role + ", members=" + members;
        if (memberChunk < 0 || sectionChunks == 0) {
            return UNUSED;
        }
        long farCopy = layout.offset() ? memberChunk % far : memberChunk / sectionChunks;
        if (farCopy >= far) {
            return UNUSED;
        }
        int source = role;
        for (int step = 0; step < farCopy; step++) {
            source = nearer(source);
        }
        long row = layout.offset() ? memberChunk / far : memberChunk - farCopy * sectionChunks;
        long chunk = (row * members + source) / near;
        // Words that are not one-to-one, and the tail of an uneven layout, are caught by looking from the other side.
        return chunk < arrayChunks && copyAt(chunk, place(role, memberChunk)) >= 0 ? chunk : UNUSED;
    }

    /**
     * The byte of the array of which a byte of a member is a copy, or {@link #UNUSED}.
     *
     * @param address bytes from the start of the member's data
     */
    public long arrayOffset(int role, long address) {
        long chunk = arrayChunk(role, address >> chunkShift);
        return chunk == UNUSED ? UNUSED : startOf(chunk) + withinChunk(address);
    }

    /** Which copy of a chunk lies at a place, or -1. */
    public int copyAt(long chunk, long place) {
        for (int copy = 0; copy < copies(); copy++) {
            if (locate(chunk, copy) == place) {
                return copy;
            }
        }
        return -1;
    }

    /**
     * How many chunks after each chunk comes one that lies on the same members, directly behind it on each of them; 0 if
     * there is no such number.
     */
    public long runStep() {
        boolean copiesInBetween = layout.offset() && far > 1;
        return members % near == 0 && !copiesInBetween ? members / near : 0;
    }

    /** After how many chunks the pattern of members repeats; no more than the array has. */
    public long periodChunks() {
        return Math.min(arrayChunks, members / gcd(near, members));
    }

    /**
     * Whether each place holds one chunk at most, and the copies of a chunk lie on different members: proven over a full
     * period, whatever the array's size. Some words that no mdadm makes fail this, and lose data in the kernel too; they
     * must not be written to. Takes time and memory for members times copies at most.
     */
    public boolean isOneToOne() {
        /*
         * One period is proof for all. A period ends where a row ends, so no copy of it lies in the rows of another; in
         * layouts with sections a row stays inside its section. In the table below, rows of a period come first and
         * sections behind one another.
         */
        int rows = near / gcd(near, members) * (layout.offset() ? far : 1);
        if (arrayChunks < members / gcd(near, members)) {
            return new Geometry(layout, members, chunkBytes, (long) rows * far * chunkBytes).isOneToOne();
        }
        BitSet places = new BitSet();
        BitSet roles = new BitSet();
        for (long chunk = 0; chunk < periodChunks(); chunk++) {
            roles.clear();
            for (int nearCopy = 0; nearCopy < near; nearCopy++) {
                long place = locate(chunk, nearCopy * far);
                int role = role(place);
                int row = (int) memberChunk(place);
                for (int farCopy = 0; farCopy < far; farCopy++) {
                    int cell = row * members + role;
                    if (roles.get(role) || places.get(cell)) {
                        return false;
                    }
                    roles.set(role);
                    places.set(cell);
                    role = farther(role);
                    row += layout.offset() ? 1 : rows;
                }
            }
        }
        return true;
    }

    /**
     * Whether every chunk has a copy on at least one of the members for which {@code present} answers true.
     *
     * @param present asked for roles 0 to {@link #members} - 1, many times each
     */
    public boolean isEnough(IntPredicate present) {
        for (long chunk = 0; chunk < periodChunks(); chunk++) {
            int copy = 0;
            while (copy < copies() && !present.test(role(locate(chunk, copy)))) {
                copy++;
            }
            if (copy == copies()) {
                return false;
            }
        }
        return true;
    }

    private static int gcd(int a, int b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    @Override
    public String toString() {
        return "members=" + members + ", layout=" + layout + ", chunkBytes=" + chunkBytes + ", memberBytes="
                + memberBytes;
    }
}
