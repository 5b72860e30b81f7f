package io.tenfold.testkit;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Content that names its own place: every 8-byte little-endian word at byte offset {@code o} holds
 * {@code o XOR (0x9E3779B97F4A7C15 * seed mod 2^64)}.
 *
 * <p>So a block that was lost, moved or written with another seed shows itself without a copy to compare with. The
 * arrays of the corpus are filled by this rule. Values are immutable; any thread may use one.
 */
public record ContentRule(long seed) {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);
    private static final long NONE = -1;

    /** The word at byte {@code offset}, a multiple of 8. */
    public long word(long offset) {
        return offset ^ (0x9E37_79B9_7F4A_7C15L * seed);
    }

    /** The byte at any {@code offset}. */
    public byte at(long offset) {
        return (byte) (word(offset & ~7L) >>> (8 * (offset & 7)));
    }

    /** Fills {@code into} with the content from byte {@code offset} on; both it and the size are multiples of 8. */
    public void fill(MemorySegment into, long offset) {
        checkAligned(offset, into.byteSize());
        for (long at = 0; at < into.byteSize(); at += 8) {
            into.set(WORD, at, word(offset + at));
        }
    }

    /** The content of {@code length} bytes from byte {@code offset} on, both multiples of 8. */
    public byte[] bytes(long offset, int length) {
        byte[] bytes = new byte[length];
        fill(MemorySegment.ofArray(bytes), offset);
        return bytes;
    }

    /**
     * Where {@code found}, read from byte {@code offset} on, first breaks the rule.
     *
     * @return the byte offset of the first wrong word, counted as {@code offset} is; -1 if all is right
     */
    public long firstDifference(MemorySegment found, long offset) {
        checkAligned(offset, found.byteSize());
        for (long at = 0; at < found.byteSize(); at += 8) {
            if (found.get(WORD, at) != word(offset + at)) {
                return offset + at;
            }
        }
        return NONE;
    }

    /** The content of {@code length} bytes from byte {@code offset} on, as a stream. */
    public InputStream stream(long offset, long length) {
        return new InputStream() {
            private long next = offset;

            @Override
            public int read() {
                return next < offset + length ? at(next++) & 0xff : -1;
            }

            @Override
            public int read(byte[] into, int from, int count) {
                Objects.checkFromIndexSize(from, count, into.length);
                int given = (int) Math.min(count, offset + length - next);
                if (given == 0 && count > 0) {
                    return -1;
                }
                MemorySegment target = MemorySegment.ofArray(into).asSlice(from, given);
                int whole = (int) Math.min(given, -next & 7); // up to the first whole word
                for (int i = 0; i < whole; i++) {
                    into[from + i] = at(next + i);
                }
                for (; whole + 8 <= given; whole += 8) {
                    target.set(WORD, whole, word(next + whole));
                }
                for (int i = whole; i < given; i++) {
                    into[from + i] = at(next + i);
                }
                next += given;
                return given;
            }
        };
    }

    private static void checkAligned(long offset, long length) {
        if ((offset & 7) != 0 || (length & 7) != 0) {
            throw new IllegalArgumentException(
                    "offset and length must be multiples of 8: offset=" + offset + ", length=" + length);
        }
    }
}
