package io.tenfold.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;

/**
 * What a simulated disk holds without power: its stable content, zeroes at first, and the sectors that have gone bad.
 * A new {@link SimDisk} over the same medium is the disk after the power came back.
 *
 * <p>Threads: one.
 */
public final class SimMedium {
    static final int SECTOR = 512;
    private static final int PAGE = 1 << 16;

    private final long sizeBytes;
    private final byte[][] pages;
    private final BitSet unreadable = new BitSet();

    /**
     * An empty medium.
     *
     * @param sizeBytes a multiple of 4096, above 0
     */
    public SimMedium(long sizeBytes) {
        if (sizeBytes <= 0 || sizeBytes % 4096 != 0) {
            throw new IllegalArgumentException("size must be a multiple of 4096 above 0: sizeBytes=" + sizeBytes);
        }
        this.sizeBytes = sizeBytes;
        pages = new byte[Math.toIntExact((sizeBytes + PAGE - 1) / PAGE)][];
    }

    private SimMedium(SimMedium from) {
        sizeBytes = from.sizeBytes;
        pages = from.pages.clone();
        Arrays.setAll(pages, i -> pages[i] == null ? null : pages[i].clone());
        unreadable.or(from.unreadable);
    }

    /** An independent medium with the same content. */
    public SimMedium copy() {
        return new SimMedium(this);
    }

    /** Bytes it holds. */
    public long sizeBytes() {
        return sizeBytes;
    }

    /** Copies content out. */
    public void read(long offset, MemorySegment into, long intoOffset, long length) {
        for (long at = 0; at < length; ) {
            long take = Math.min(length - at, PAGE - (offset + at) % PAGE);
            byte[] page = pages[(int) ((offset + at) / PAGE)];
            if (page == null) {
                into.asSlice(intoOffset + at, take).fill((byte) 0);
            } else {
                int from = (int) ((offset + at) % PAGE);
                MemorySegment.copy(page, from, into, ValueLayout.JAVA_BYTE, intoOffset + at, (int) take);
            }
            at += take;
        }
    }

    /** The content of a range. */
    public byte[] read(long offset, int length) {
        byte[] bytes = new byte[length];
        read(offset, MemorySegment.ofArray(bytes), 0, length);
        return bytes;
    }

    /** Changes content, past any cache; the range becomes readable. */
    public void write(long offset, byte[] data, int from, int length) {
        for (int at = 0; at < length; ) {
            int take = (int) Math.min(length - at, PAGE - (offset + at) % PAGE);
            int index = (int) ((offset + at) / PAGE);
            if (pages[index] == null) {
                pages[index] = new byte[PAGE];
            }
            System.arraycopy(data, from + at, pages[index], (int) ((offset + at) % PAGE), take);
            at += take;
        }
        unreadable.clear(sector(offset), sector(offset + length + SECTOR - 1));
    }

    /** Makes sectors unreadable until they are written. */
    public void spoil(long offset, long length) {
        unreadable.set(sector(offset), sector(offset + length + SECTOR - 1));
    }

    /** Whether every sector of a range can be read. */
    public boolean isReadable(long offset, long length) {
        int bad = unreadable.nextSetBit(sector(offset));
        return bad < 0 || bad >= sector(offset + length + SECTOR - 1);
    }

    private static int sector(long offset) {
        return Math.toIntExact(offset / SECTOR);
    }
}
