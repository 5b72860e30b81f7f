package io.tenfold.raid.md;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class Superblock090Test {
    private static final long MEMBER_BYTES = 4 << 20;
    private static final long PLACE = Superblock090.placeOf(MEMBER_BYTES);

    /** A clean array near 2 on 4 members, of which this is number 1. */
    private static byte[] area(ByteOrder order, Consumer<ByteBuffer> change) {
        ByteBuffer words = ByteBuffer.allocate(4096).order(order);
        int[][] values = {
            {0, 0xa92b4efc},
            {2, 90},
            {5, 0x11111111},
            {13, 0x22222222},
            {14, 0x33333333},
            {15, 0x44444444},
            {6, 1000},
            {7, 10},
            {8, 3968},
            {9, 4},
            {10, 4},
            {32, 2000},
            {33, 1},
            {64, 0x102},
            {65, 65536}
        };
        for (int[] value : values) {
            words.putInt(4 * value[0], value[1]);
        }
        for (int number = 0; number < 4; number++) {
            descriptor(words, 128 + 32 * number, number, number, 6);
        }
        descriptor(words, 992, 1, 1, 6);
        words.putLong(4 * 39, 18);
        change.accept(words);
        words.putInt(4 * 38, 0);
        long sum = 0;
        for (int word = 0; word < 1024; word++) {
            sum += words.getInt(4 * word) & 0xffffffffL;
        }
        words.putInt(4 * 38, (int) (sum + (sum >>> 32)));
        return words.array();
    }

    private static void descriptor(ByteBuffer words, int at, int number, int role, int state) {
        words.putInt(4 * at, number);
        words.putInt(4 * (at + 3), role);
        words.putInt(4 * (at + 4), state);
    }

    private static Superblock090 read(ByteOrder order, Consumer<ByteBuffer> change) {
        return Superblock090.read(area(order, change), PLACE);
    }

    @Test
    void bothByteOrdersSayTheSame() {
        for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
            Superblock090 superblock = read(order, _ -> {});
            assertThat(superblock.problems()).isEmpty();
            assertThat(superblock.order()).isEqualTo(order);
            assertThat(superblock.level()).isEqualTo(10);
            assertThat(superblock.layout()).isEqualTo(0x102);
            assertThat(superblock.chunkSectors()).isEqualTo(128);
            assertThat(superblock.sizeSectors()).isEqualTo(7936);
            assertThat(superblock.raidDisks()).isEqualTo(4);
            assertThat(superblock.events()).isEqualTo(18);
            assertThat(superblock.devNumber()).isEqualTo(1);
            assertThat(superblock.ownRole()).isEqualTo(1);
            assertThat(superblock.resyncOffset()).isEqualTo(MdSuperblock.CLEAN);
            assertThat(superblock.createdMicros()).isEqualTo(1_000_000_000);
            assertThat(superblock.setUuid())
                    .isEqualTo(ByteBuffer.allocate(16)
                            .putInt(0x11111111)
                            .putInt(0x22222222)
                            .putInt(0x33333333)
                            .putInt(0x44444444)
                            .array());
        }
    }

    @Test
    void rolesFollowTheStatesOfDescriptors() {
        Superblock090 superblock = read(ByteOrder.LITTLE_ENDIAN, words -> {
            words.putInt(4 * (128 + 4), 1); // faulty
            words.putInt(4 * (128 + 32 + 4), 2); // active, not in sync
            words.putInt(4 * (128 + 64 + 4), 0); // a spare
            words.putInt(4 * (128 + 96 + 4), 8); // removed
        });
        assertThat(superblock.role(0)).isEqualTo(MdSuperblock.ROLE_FAULTY);
        assertThat(superblock.role(1)).isEqualTo(1);
        assertThat(superblock.recovering()).isTrue();
        assertThat(superblock.recoveryOffset()).isZero();
        assertThat(superblock.role(2)).isEqualTo(MdSuperblock.ROLE_SPARE);
        assertThat(superblock.role(3)).isEqualTo(MdSuperblock.ROLE_FAULTY);
        assertThat(superblock.role(27)).isEqualTo(MdSuperblock.ROLE_SPARE);
    }

    @Test
    void checkpointCountsOnlyIfItIsOfTheseEvents() {
        Superblock090 now = read(
                ByteOrder.BIG_ENDIAN,
                words -> words.putInt(4 * 33, 0).putLong(4 * 41, 18).putInt(4 * 43, 777));
        assertThat(now.resyncOffset()).isEqualTo(777);
        Superblock090 before = read(
                ByteOrder.BIG_ENDIAN,
                words -> words.putInt(4 * 33, 0).putLong(4 * 41, 17).putInt(4 * 43, 777));
        assertThat(before.resyncOffset()).isZero();
    }

    @Test
    void whatCannotBeIsNamed() {
        assertThat(read(ByteOrder.LITTLE_ENDIAN, w -> w.putInt(8, 92)).problems())
                .containsExactly("version is not 0.90: major=0, minor=92");
        assertThat(read(ByteOrder.LITTLE_ENDIAN, w -> w.putInt(40, 28)).problems())
                .containsExactly("raidDisks is out of range: raidDisks=28, max=27");
        assertThat(read(ByteOrder.LITTLE_ENDIAN, w -> w.putInt(4 * 992, 27)).problems())
                .containsExactly("member's number is out of range: number=27, max=26");
        assertThat(read(ByteOrder.LITTLE_ENDIAN, w -> w.putInt(32, 4096)).problems())
                .containsExactly("member is truncated, or its superblock is wrong: data ends at sector 8192, superblock"
                        + " at 8064");
        assertThat(read(ByteOrder.LITTLE_ENDIAN, w -> w.putInt(4 * 65, 0)).problems())
                .containsExactly("chunk must be a power of two, 8 to 2097152 sectors: chunkSectors=0");
        byte[] area = area(ByteOrder.LITTLE_ENDIAN, _ -> {});
        area[100] ^= 1;
        assertThat(Superblock090.read(area, PLACE).problems())
                .hasSize(1)
                .first()
                .asString()
                .startsWith("checksum is wrong");
    }

    @Test
    void bytesAreKept() {
        byte[] area = area(ByteOrder.BIG_ENDIAN, _ -> {});
        assertThat(Arrays.equals(Superblock090.read(area, PLACE).bytes(), area)).isTrue();
    }
}
