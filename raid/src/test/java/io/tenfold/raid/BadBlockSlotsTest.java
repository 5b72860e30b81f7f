package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Prng;
import io.tenfold.raid.md.BadBlockLog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is on the member says what it is to say after the last step, and never less in between, however a write is torn. */
class BadBlockSlotsTest {
    private static final int CAPACITY = 8;
    private static final long SECTOR = 512;
    private static final long MEMBER_SECTORS = 1 << 20;

    /** Slots that a torn write keeps or loses together; a real sector has 64. */
    private static final int TORN_SLOTS = 2;

    @Test
    void tornStepNamesWhatBothListsName() {
        for (int shift : new int[] {0, 3}) {
            for (long seed = 0; seed < 400; seed++) {
                live(seed, shift, false);
            }
        }
    }

    @Test
    void logThatIsRewrittenInOneStepIsFoundOut() {
        for (long seed = 0; seed < 400; seed++) {
            try {
                live(seed, 0, true);
            } catch (AssertionError e) {
                assertThat(e).hasMessageContaining("torn");
                return;
            }
        }
        throw new AssertionError("not found out");
    }

    private static void live(long seed, int shift, boolean inOneStep) {
        Prng prng = new Prng(seed);
        long unit = SECTOR << shift;
        BadRanges table = BadRanges.NONE;
        BadBlockSlots slots = new BadBlockSlots(CAPACITY, shift, List.of());
        byte[] disk = slots.bytes();
        for (int change = 0; change < 30; change++) {
            long start = unit * prng.below(40);
            long end = start + unit * (1 + prng.below(700));
            BadRanges next = prng.oneIn(2) ? table.with(start, end) : table.without(start, end);
            if (next.count() == 0 || !slots.hasRoomFor(next)) {
                continue;
            }
            BitSet both = named(table);
            both.and(named(next));
            while (slots.step(next)) {
                byte[] image = inOneStep ? sorted(next, shift) : slots.bytes();
                assertTornImagesName(both, disk, image, shift, "seed=" + seed + ", change=" + change);
                disk = image;
            }
            assertThat(named(disk, shift))
                    .as("seed=%d, change=%d", seed, change)
                    .isEqualTo(named(next));
            table = next;
        }
    }

    private static byte[] sorted(BadRanges table, int shift) {
        List<Long> entries = new ArrayList<>();
        for (int i = 0; i < table.count(); i++) {
            entries.addAll(BadBlockLog.entries(
                    new BadBlockLog.Range(table.start(i) / SECTOR, (table.end(i) - table.start(i)) / SECTOR), shift));
        }
        return BadBlockLog.bytes(entries, CAPACITY * BadBlockLog.ENTRY);
    }

    private static void assertTornImagesName(BitSet both, byte[] old, byte[] image, int shift, String where) {
        int part = TORN_SLOTS * BadBlockLog.ENTRY;
        int parts = image.length / part;
        for (int kept = 0; kept < 1 << parts; kept++) {
            byte[] torn = image.clone();
            for (int i = 0; i < parts; i++) {
                if ((kept >> i & 1) != 0) {
                    System.arraycopy(old, i * part, torn, i * part, part);
                }
            }
            BitSet lost = (BitSet) both.clone();
            lost.andNot(named(torn, shift));
            assertThat(lost).as("%s, lost if torn: kept=%d", where, kept).isEqualTo(new BitSet());
        }
    }

    private static BitSet named(BadRanges table) {
        BitSet sectors = new BitSet();
        for (int i = 0; i < table.count(); i++) {
            sectors.set((int) (table.start(i) / SECTOR), (int) (table.end(i) / SECTOR));
        }
        return sectors;
    }

    private static BitSet named(byte[] log, int shift) {
        BitSet sectors = new BitSet();
        for (BadBlockLog.Range range : BadBlockLog.parse(log, shift, MEMBER_SECTORS, new ArrayList<>())) {
            sectors.set((int) range.start(), (int) (range.start() + range.length()));
        }
        return sectors;
    }

    @Test
    void listThatIsTooLongIsRefusedBeforeAnythingIsChanged() {
        BadRanges table = BadRanges.NONE;
        for (int i = 0; i < CAPACITY; i++) {
            table = table.with(2 * SECTOR * i, 2 * SECTOR * i + SECTOR);
        }
        BadBlockSlots slots = new BadBlockSlots(CAPACITY, 0, List.of());
        assertThat(slots.hasRoomFor(table)).isTrue();
        assertThat(slots.step(table)).isTrue();
        assertThat(slots.step(table)).isFalse();
        byte[] before = slots.bytes();
        assertThat(slots.hasRoomFor(table.with(100 * SECTOR, 101 * SECTOR))).isFalse();
        assertThat(slots.bytes()).isEqualTo(before);
    }

    @Test
    void entriesAreThoseOfTheKernel() {
        // From an image that Linux wrote: sector 5000, 8 sectors.
        assertThat(BadBlockLog.entries(new BadBlockLog.Range(5000, 8), 0)).containsExactly(0x4e2008L);
        assertThat(BadBlockLog.entries(new BadBlockLog.Range(0, 1025), 0))
                .containsExactly(512L, 512L << 10 | 512, 1024L << 10 | 1);
        assertThat(BadBlockLog.entries(new BadBlockLog.Range(7, 2), 3))
                .as("whole units")
                .containsExactly(2L);
        byte[] bytes = BadBlockLog.bytes(List.of(0x4e2008L), 512);
        assertThat(Arrays.copyOf(bytes, 16))
                .containsExactly(0x08, 0x20, 0x4e, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1);
    }
}
