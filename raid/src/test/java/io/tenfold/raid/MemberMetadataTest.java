package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bitmaps as they may stand on a member. */
class MemberMetadataTest {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

    private final Images images = new Images();
    private MemorySegment bitmap;

    @BeforeEach
    void make() throws Exception {
        TestArrays.make(images, Layout.near(2), 2, "1.2");
        TestArrays.edit(images, e -> e.featureMap(1).put32(96, 24).events(5), "m0");
        bitmap = images.memory("m0").asSlice((8 + 24) * 512, 65536);
        bitmap.set(INT, 0, 0x6d746962);
        bitmap.set(INT, 4, 4);
        bitmap.set(LONG, 8, Long.reverseBytes(1));
        bitmap.set(LONG, 16, Long.reverseBytes(2));
        bitmap.set(LONG, 24, 5);
        bitmap.set(LONG, 40, 6144 - 3);
        bitmap.set(INT, 52, 65536);
    }

    @AfterEach
    void close() {
        images.close();
    }

    private BitmapReport report() {
        return images.examine("m0").members().getFirst().bitmap().orElseThrow();
    }

    @Test
    void bitsAreCountedUpToTheLastChunkAndNotBehindIt() {
        bitmap.asSlice(256, 64).fill((byte) 0xff);
        assertThat(report().bits()).isEqualTo(48);
        assertThat(report().dirty()).isEqualTo(48);
        bitmap.set(LONG, 40, 5 * 128);
        assertThat(report().dirty()).isEqualTo(5);
        bitmap.asSlice(256, 64).fill((byte) 0);
        bitmap.set(BYTE, 256, (byte) 0b1010_0100);
        assertThat(report().dirty())
                .as("bits 5 and 7 lie behind the last chunk")
                .isEqualTo(1);
        assertThat(report().isFresh(5)).isTrue();
        assertThat(report().isFresh(4)).isTrue();
        assertThat(report().isFresh(6)).isFalse();
    }

    @Test
    void locklessBitmapHasAByteForEachChunk() {
        bitmap.set(INT, 4, 6);
        for (int state = 0; state <= 4; state++) {
            bitmap.set(BYTE, 1024 + state, (byte) state);
        }
        assertThat(report().dirty()).as("dirty, needs sync, syncing").isEqualTo(3);
    }

    @Test
    void clusteredBitmapIsNotCounted() {
        bitmap.set(INT, 4, 5);
        assertThat(report().dirty()).isEqualTo(-1);
        assertThat(report().problems()).isEmpty();
    }

    @Test
    void bitmapThatCannotBeTrustedSaysWhy() {
        bitmap.set(INT, 48, 2);
        assertThat(report().problems()).containsExactly("bitmap says that it is out of date: state=0x2");
        bitmap.set(INT, 48, 0);
        bitmap.set(LONG, 8, 77);
        assertThat(report().problems()).containsExactly("bitmap belongs to another array");
        bitmap.set(LONG, 8, Long.reverseBytes(1));
        bitmap.set(INT, 52, 1000);
        assertThat(report().problems())
                .containsExactly("bitmap chunk must be a power of two, 512 or more: chunkBytes=1000");
        bitmap.set(INT, 52, 512);
        bitmap.set(LONG, 40, 1L << 40);
        assertThat(report().problems()).containsExactly("bitmap has too many bits: bits=1099511627776, max=2147483648");
        bitmap.set(LONG, 40, 1L << 24);
        assertThat(report().problems()).anyMatch(p -> p.startsWith("bitmap and data overlap"));
        bitmap.set(INT, 0, 0);
        assertThat(report().problems()).containsExactly("bitmap has no magic: found=0x0");
    }
}
