package io.tenfold.raid.md;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The header of a write-intent bitmap: 256 bytes before the bits. Nothing is to be trusted before {@link #problems} was
 * seen to be empty.
 */
public final class BitmapSuperblock {
    /** Bytes before the first bit. */
    public static final int HEADER = 256;

    /** Bytes before the first chunk's byte in the lockless format. */
    public static final int LOCKLESS_HEADER = 1024;

    private static final int MAGIC = 0x6d746962;
    private static final int VERSION_HOST = 3;
    private static final int VERSION_LITTLE = 4;
    private static final int VERSION_CLUSTERED = 5;
    private static final int VERSION_LOCKLESS = 6;
    private static final int STATE_STALE = 2;
    private static final int STATE_HOST_ENDIAN = 1 << 15;
    private static final int CHUNK_BYTES_MIN = 512;
    private static final long SECTORS_MAX = Long.MAX_VALUE / 512;

    /** More bits than any real array has: 2^31, 256 MiB of them. */
    private static final long BITS_MAX = 1L << 31;

    private final ByteBuffer bytes;
    private final List<String> problems = new ArrayList<>();

    /**
     * Takes bytes for a header and checks them.
     *
     * @param header {@link #HEADER} bytes, copied
     * @param setUuid the array's identity, 16 bytes, which the header must repeat
     */
    public BitmapSuperblock(byte[] header, byte[] setUuid) {
        bytes = ByteBuffer.wrap(Arrays.copyOf(header, HEADER)).order(ByteOrder.LITTLE_ENDIAN);
        boolean hostEndian = Integer.reverseBytes(bytes.getInt(0)) == MAGIC;
        if (hostEndian) {
            bytes.order(ByteOrder.BIG_ENDIAN);
        }
        check(hostEndian, setUuid);
    }

    private void check(boolean hostEndian, byte[] setUuid) {
        if (bytes.getInt(0) != MAGIC) {
            problems.add("bitmap has no magic: found=0x" + Integer.toHexString(bytes.getInt(0)));
            return;
        }
        int version = version();
        if (version < VERSION_HOST || version > VERSION_LOCKLESS || (hostEndian && version != VERSION_HOST)) {
            problems.add("bitmap version is not known: version=" + version);
            return;
        }
        if (!Arrays.equals(uuid(), setUuid)) {
            problems.add("bitmap belongs to another array");
        }
        if (chunkBytes() < CHUNK_BYTES_MIN || Long.bitCount(chunkBytes()) != 1) {
            problems.add("bitmap chunk must be a power of two, 512 or more: chunkBytes=" + chunkBytes());
        } else if (syncSectors() < 0 || syncSectors() > SECTORS_MAX) {
            problems.add("bitmap covers an absurd size: syncSize=" + Long.toUnsignedString(syncSectors()));
        } else if (bits() > BITS_MAX) {
            problems.add("bitmap has too many bits: bits=" + bits() + ", max=" + BITS_MAX);
        }
        if (events() < 0 || eventsCleared() < 0) {
            problems.add("bitmap event count is absurd: events=" + Long.toUnsignedString(events()) + ", eventsCleared="
                    + Long.toUnsignedString(eventsCleared()));
        }
    }

    /** Each check that it failed. */
    public List<String> problems() {
        return List.copyOf(problems);
    }

    /** 3 host order, 4 normal, 5 clustered, 6 lockless. */
    public int version() {
        return bytes.getInt(4);
    }

    /** Whether its bits are bits, one a chunk, for one machine. */
    public boolean isPlain() {
        return version() == VERSION_HOST || version() == VERSION_LITTLE;
    }

    /** Whether it has a byte for each chunk rather than a bit. */
    public boolean isLockless() {
        return version() == VERSION_LOCKLESS;
    }

    /** Whether several machines have a part of it each. */
    public boolean isClustered() {
        return version() == VERSION_CLUSTERED;
    }

    /** Identity of the array, 16 bytes. */
    public byte[] uuid() {
        byte[] uuid = new byte[16];
        bytes.get(8, uuid);
        return uuid;
    }

    /** Events of the last update. */
    public long events() {
        return bytes.getLong(24);
    }

    /** Events when a bit was last cleared. */
    public long eventsCleared() {
        return bytes.getLong(32);
    }

    /** Sectors covered; of the array for level 10. */
    public long syncSectors() {
        return bytes.getLong(40);
    }

    /** State bits as they stand. */
    public int state() {
        return bytes.getInt(48);
    }

    /** Whether it says itself that it is out of date. */
    public boolean isStale() {
        return (state() & STATE_STALE) != 0;
    }

    /** Whether the words are in the order of the machine that wrote it. */
    public boolean isHostEndian() {
        return bytes.order() == ByteOrder.BIG_ENDIAN || (state() & STATE_HOST_ENDIAN) != 0;
    }

    /** Bytes of the array that one bit stands for. */
    public long chunkBytes() {
        return bytes.getInt(52) & 0xffff_ffffL;
    }

    /** Seconds between sweeps. */
    public int daemonSleepSeconds() {
        return bytes.getInt(56);
    }

    /** How many writes may run ahead of a write-mostly member. */
    public int writeBehind() {
        return bytes.getInt(60);
    }

    /** Number of bits: chunks, the last one perhaps in part. */
    public long bits() {
        long chunkSectors = chunkBytes() / 512;
        return syncSectors() / chunkSectors + (syncSectors() % chunkSectors == 0 ? 0 : 1);
    }

    /** Bytes from the header's start to the end of the last bit. */
    public long lengthBytes() {
        return isLockless() ? LOCKLESS_HEADER + bits() : HEADER + (bits() + 7) / 8;
    }
}
