package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.block.Op;
import io.tenfold.testkit.Allocation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeadlineSchedulerTest {
    private static final int BLOCK = 512;

    private final DeadlineScheduler scheduler = new DeadlineScheduler();
    private int tags;

    private Piece add(Op op, long block, long now) {
        Piece piece = new Piece(tags++, _ -> {});
        piece.lower.start(op, block * BLOCK, BLOCK, false);
        scheduler.add(piece, now);
        return piece;
    }

    private List<Piece> drain(long now) {
        List<Piece> all = new ArrayList<>();
        for (Piece piece = scheduler.next(now); piece != null; piece = scheduler.next(now)) {
            all.add(piece);
        }
        return all;
    }

    @Test
    void readsRiseAndGoBeforeWritesThatRiseToo() {
        Piece write9 = add(Op.WRITE, 9, 0);
        Piece write3 = add(Op.DISCARD, 3, 0);
        Piece read5 = add(Op.READ, 5, 0);
        Piece read2 = add(Op.READ, 2, 0);
        Piece read7 = add(Op.READ, 7, 0);
        assertThat(drain(0)).containsExactly(read2, read5, read7, write3, write9);
        assertThat(scheduler.isEmpty()).isTrue();
    }

    @Test
    void piecesOfOneOffsetGoInTheOrderInWhichTheyCame() {
        Piece first = add(Op.READ, 4, 0);
        Piece second = add(Op.READ, 4, 0);
        assertThat(drain(0)).containsExactly(first, second);
    }

    @Test
    void readThatHasWaitedTooLongIsBegunWith() {
        Piece old = add(Op.READ, 50, 0);
        Piece lower = add(Op.READ, 1, DeadlineScheduler.READ_EXPIRY_NANOS - 1);
        assertThat(scheduler.next(DeadlineScheduler.READ_EXPIRY_NANOS)).isSameAs(old);
        assertThat(drain(DeadlineScheduler.READ_EXPIRY_NANOS)).containsExactly(lower);
    }

    @Test
    void readThatHasNotWaitedTooLongIsNotBegunWith() {
        Piece old = add(Op.READ, 50, 0);
        Piece lower = add(Op.READ, 1, 0);
        assertThat(drain(DeadlineScheduler.READ_EXPIRY_NANOS - 1)).containsExactly(lower, old);
    }

    @Test
    void writeThatHasWaitedTooLongIsBegunWithAfterTwoBatchesOfReads() {
        Piece old = add(Op.WRITE, 90, 0);
        add(Op.WRITE_ZEROES, 1, 1);
        for (int i = 0; i < 40; i++) {
            add(Op.READ, i, 1);
        }
        List<Piece> all = drain(DeadlineScheduler.WRITE_EXPIRY_NANOS);
        assertThat(all.indexOf(old)).isEqualTo(2 * DeadlineScheduler.BATCH);
        assertThat(all).hasSize(42);
    }

    @Test
    void batchGoesOnWithWhatComesBehindItsLast() {
        Piece read = add(Op.READ, 5, 0);
        Piece write = add(Op.WRITE, 1, 0);
        assertThat(scheduler.next(0)).isSameAs(read);
        Piece behind = add(Op.READ, 8, 0);
        Piece before = add(Op.READ, 4, 0);
        assertThat(drain(0)).containsExactly(behind, before, write);
    }

    @Test
    void treeOfRisingOffsetsIsNoList() {
        PieceTree tree = new PieceTree();
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < Tags.DEPTH_MAX; i++) {
            Piece piece = new Piece(i, _ -> {});
            piece.lower.start(Op.READ, (long) i * BLOCK, BLOCK, false);
            piece.sequence = i;
            tree.add(piece);
            pieces.add(piece);
        }
        assertThat(depth(tree.root())).isBetween(15, 60);
        for (Piece piece : pieces) {
            assertThat(tree.firstFrom(0)).isSameAs(piece);
            tree.remove(piece);
        }
        assertThat(tree.root()).isNull();
    }

    private static int depth(Piece piece) {
        return piece == null ? 0 : 1 + Math.max(depth(piece.left), depth(piece.right));
    }

    @Test
    void nothingIsAllocated() {
        Piece[] pieces = new Piece[64];
        for (int i = 0; i < pieces.length; i++) {
            pieces[i] = new Piece(i, _ -> {});
            pieces[i].lower.start(i % 3 == 0 ? Op.WRITE : Op.READ, (i * 37L % 64) * BLOCK, BLOCK, false);
        }
        long[] now = {0};
        Allocation.assertSoonNone("a piece through the deadline scheduler", 6400, () -> {
            for (int round = 0; round < 100; round++) {
                for (Piece piece : pieces) {
                    scheduler.add(piece, now[0] += 10_000_000);
                }
                while (!scheduler.isEmpty()) {
                    scheduler.next(now[0] += 10_000_000);
                }
            }
        });
    }
}
