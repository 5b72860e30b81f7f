package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * In all interleavings of short programs each step is as if it were alone: nothing is lost, taken twice or out of order, and
 * who finds the inbox empty is told so (I1, I2).
 */
class PieceInboxLincheckTest {
    private static PieceChain chain(int... tags) {
        PieceChain chain = new PieceChain();
        for (int tag : tags) {
            chain.add(new Piece(tag, _ -> {}));
        }
        return chain;
    }

    private static String tags(Piece first) {
        StringBuilder tags = new StringBuilder();
        for (Piece piece = first; piece != null; piece = piece.next) {
            tags.append(piece.tag).append(' ');
        }
        return tags.toString();
    }

    /** As it is. */
    public static class Real {
        private final PieceInbox inbox = new PieceInbox();

        @Operation
        public boolean pushOne() {
            return inbox.push(chain(1));
        }

        @Operation
        public boolean pushTwo() {
            return inbox.push(chain(2, 3));
        }

        @Operation(nonParallelGroup = "taker")
        public String take() {
            return tags(inbox.take());
        }
    }

    /** A twin whose taker looks and empties it in two steps. */
    public static class TakesInTwoSteps {
        private final AtomicReference<Piece> top = new AtomicReference<>();
        private final AtomicInteger pushed = new AtomicInteger();
        private int taken;

        @Operation
        public void push() {
            Piece piece = new Piece(1, _ -> {});
            pushed.incrementAndGet();
            do {
                piece.next = top.get();
            } while (!top.compareAndSet(piece.next, piece));
        }

        @Operation(nonParallelGroup = "taker")
        public void take() {
            Piece all = top.get();
            top.set(null);
            for (Piece piece = all; piece != null; piece = piece.next) {
                taken++;
            }
        }

        @Validate
        public void nothingIsLost() {
            take();
            if (taken != pushed.get()) {
                throw new IllegalStateException("pieces are lost: taken=" + taken + ", pushed=" + pushed);
            }
        }
    }

    /** A twin that looks whether it is empty before it pushes. */
    public static class AnswersTooSoon {
        private final AtomicReference<Piece> top = new AtomicReference<>();

        @Operation
        public boolean push() {
            Piece piece = new Piece(1, _ -> {});
            boolean empty = top.get() == null;
            do {
                piece.next = top.get();
            } while (!top.compareAndSet(piece.next, piece));
            return empty;
        }

        @Operation(nonParallelGroup = "taker")
        public boolean take() {
            return top.getAndSet(null) != null;
        }
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(6)
                .invocationsPerIteration(300)
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(1);
    }

    @Test
    void everyStepIsAsIfAlone() {
        options().check(Real.class);
    }

    @Test
    void twinThatTakesInTwoStepsIsFoundOut() {
        assertThatThrownBy(() -> options().check(TakesInTwoSteps.class)).isInstanceOf(LincheckAssertionError.class);
    }

    @Test
    void twinThatAnswersTooSoonIsFoundOut() {
        assertThatThrownBy(() -> options().check(AnswersTooSoon.class)).isInstanceOf(LincheckAssertionError.class);
    }
}
