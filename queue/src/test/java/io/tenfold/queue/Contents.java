package io.tenfold.queue;

import io.tenfold.sim.SimDisk;
import io.tenfold.sim.SimMedium;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.BiFunction;

/**
 * What each block of a disk may hold, according to what has been written, completed and made stable. A block written by
 * this model is full of one number.
 */
final class Contents {
    /** Of a block whose content nobody knows: discarded, or a write to it failed. */
    static final long ANY = -1;

    private static final int SECTOR = 512;

    private final ArrayDeque<Version>[] blocks;
    private final int blockBytes;
    private long numbers;
    private long moments;

    private static final class Version {
        final long number;

        /** When it was complete; 0: it is not. */
        long completed;

        Version(long number, long completed) {
            this.number = number;
            this.completed = completed;
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // An array of a generic class.
    Contents(int count, int blockBytes) {
        this.blockBytes = blockBytes;
        blocks = new ArrayDeque[count];
        for (int i = 0; i < count; i++) {
            blocks[i] = new ArrayDeque<>();
            blocks[i].add(new Version(0, ++moments));
        }
    }

    /** Begins a change of blocks to a new number, or 0 or {@link #ANY}; returns what they will hold. */
    long begin(int first, int count, boolean fresh, long number) {
        long will = fresh ? ++numbers : number;
        for (int i = first; i < first + count; i++) {
            blocks[i].add(new Version(will, 0));
        }
        return will;
    }

    /** The change is complete. */
    void end(int first, int count, boolean stable, boolean failed) {
        moments++;
        for (int i = first; i < first + count; i++) {
            blocks[i].getLast().completed = moments;
            if (failed) {
                blocks[i].add(new Version(ANY, moments));
            } else if (stable) {
                settle(blocks[i], moments);
            }
        }
    }

    /** The change was refused, and nothing of it may be seen. */
    void undo(int first, int count) {
        for (int i = first; i < first + count; i++) {
            blocks[i].removeLast();
        }
    }

    /** Now, for {@link #flushed}. */
    long now() {
        return moments;
    }

    /** All that was complete at a moment is stable. */
    void flushed(long moment) {
        for (ArrayDeque<Version> versions : blocks) {
            settle(versions, moment);
        }
    }

    private static void settle(ArrayDeque<Version> versions, long moment) {
        int drop = -1;
        for (Version version : versions) {
            if (version.completed == 0 || version.completed > moment) {
                break;
            }
            drop++;
        }
        for (int i = 0; i < drop; i++) {
            versions.removeFirst();
        }
    }

    /** What a read of a block must see; {@link #ANY}: anything. */
    long current(int block) {
        Version last = null;
        for (Version version : blocks[block]) {
            last = version.completed > 0 ? version : last;
        }
        return last.number;
    }

    /** The disk holds what was written last. */
    void check(SimDisk disk, BiFunction<String, Object, String> what) {
        for (int i = 0; i < blocks.length; i++) {
            long expected = current(i);
            if (expected != ANY && !isFullOf(disk.peek((long) i * blockBytes, blockBytes), 0, blockBytes, expected)) {
                throw new AssertionError(what.apply("wrong content at the end", "block=" + i));
            }
        }
    }

    /** Each sector holds something that was written since it was last made stable: a write that fails is torn in sectors. */
    void checkAfterPowerLoss(SimMedium medium, BiFunction<String, Object, String> what) {
        for (int i = 0; i < blocks.length; i++) {
            byte[] found = medium.read((long) i * blockBytes, blockBytes);
            for (int at = 0; at < blockBytes; at += SECTOR) {
                if (!isKnown(blocks[i], found, at)) {
                    throw new AssertionError(what.apply(
                            "stable content was lost",
                            "block=" + i + ", at=" + at + ", found="
                                    + ByteBuffer.wrap(found).getLong(at)));
                }
            }
        }
    }

    private static boolean isKnown(ArrayDeque<Version> versions, byte[] found, int at) {
        for (Version version : versions) {
            if (version.number == ANY || isFullOf(found, at, SECTOR, version.number)) {
                return true;
            }
        }
        return false;
    }

    static void fill(byte[] bytes, int from, int length, long number) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        for (int at = 0; at < length; at += Long.BYTES) {
            buffer.putLong(from + at, number);
        }
    }

    static boolean isFullOf(byte[] bytes, int from, int length, long number) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        for (int at = 0; at < length; at += Long.BYTES) {
            if (buffer.getLong(from + at) != number) {
                return false;
            }
        }
        return true;
    }
}
