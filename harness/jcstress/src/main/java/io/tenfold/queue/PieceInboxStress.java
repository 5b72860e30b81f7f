package io.tenfold.queue;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** What {@link PieceInbox} states. */
public class PieceInboxStress {
    private PieceInboxStress() {}

    private static PieceChain chain() {
        PieceChain chain = new PieceChain();
        chain.add(new Piece(0, _ -> {}));
        return chain;
    }

    private static int count(Piece first) {
        int count = 0;
        for (Piece piece = first; piece != null; piece = piece.next) {
            count++;
        }
        return count;
    }

    /** I1: two push at a time. First who was told to wake, then how many are there. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 2", "0, 1, 2"},
            expect = ACCEPTABLE,
            desc = "both are there, and the first wakes")
    @Outcome(expect = FORBIDDEN, desc = "a piece is lost, or the taker is woken by none or both")
    @State
    public static class PushAgainstPush {
        private final PieceInbox inbox = new PieceInbox();
        private final PieceChain first = chain();
        private final PieceChain second = chain();

        @Actor
        public void one(III_Result r) {
            r.r1 = inbox.push(first) ? 1 : 0;
        }

        @Actor
        public void two(III_Result r) {
            r.r2 = inbox.push(second) ? 1 : 0;
        }

        @Arbiter
        public void look(III_Result r) {
            r.r3 = count(inbox.take());
        }
    }

    /** I1, I2: one pushes twice, one takes. First whether each push wakes; then how many were taken, and are left. */
    @JCStressTest
    @Outcome(id = "1, 0, 2, 0", expect = ACCEPTABLE, desc = "both taken, and the first wakes")
    @Outcome(id = "1, 0, 0, 2", expect = ACCEPTABLE, desc = "both came later, and the first wakes")
    @Outcome(id = "1, 1, 1, 1", expect = ACCEPTABLE, desc = "one before, one after, and both wake")
    @Outcome(expect = FORBIDDEN, desc = "a piece is lost, or waits while nobody wakes the taker")
    @State
    public static class PushAgainstTake {
        private final PieceInbox inbox = new PieceInbox();
        private final PieceChain first = chain();
        private final PieceChain second = chain();

        @Actor
        public void pusher(IIII_Result r) {
            r.r1 = inbox.push(first) ? 1 : 0;
            r.r2 = inbox.push(second) ? 1 : 0;
        }

        @Actor
        public void taker(IIII_Result r) {
            r.r3 = count(inbox.take());
        }

        @Arbiter
        public void look(IIII_Result r) {
            r.r4 = count(inbox.take());
        }
    }

    /** What the pusher wrote to a piece is seen by the taker, who may have pushed on top of it himself. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "not there yet")
    @Outcome(id = "1, 7", expect = ACCEPTABLE, desc = "there, with what was written")
    @Outcome(expect = FORBIDDEN, desc = "there without what was written")
    @State
    public static class WorkIsSeen {
        private final PieceInbox inbox = new PieceInbox();
        private final PieceChain mine = new PieceChain();
        private final Piece piece = new Piece(1, _ -> {});
        private final PieceChain other = chain();

        @Actor
        public void pusher() {
            piece.retries = 7;
            mine.add(piece);
            inbox.push(mine);
        }

        @Actor
        public void taker(II_Result r) {
            inbox.push(other);
            for (Piece got = inbox.take(); got != null; got = got.next) {
                if (got.tag == 1) {
                    r.r1 = 1;
                    r.r2 = got.retries;
                }
            }
        }
    }
}
