package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Prng;
import io.tenfold.block.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random pieces at random times, by seed. The scheduler does the same as a plain one over lists; and a judge who knows the
 * promises only, and not how they are kept, finds nothing: no piece is lost or comes twice, none waits beyond its bound, and
 * a batch rises until it is full or nothing is behind it. Broken schedulers show that he finds what there is.
 */
class DeadlineSchedulerModelTest {
    private static final int BLOCK = 512;
    private static final int SEEDS = 400;
    private static final int STEPS = 3000;
    private static final List<Op> OPS = List.of(Op.READ, Op.READ, Op.READ, Op.WRITE, Op.WRITE, Op.DISCARD);

    /** Schedulers with one fault. */
    @SuppressWarnings("ImmutableEnumChecker") // The functions hold nothing.
    enum Broken {
        LOSES_A_PIECE("waits too long", () -> new Scheduler() {
            private final Scheduler sound = new DeadlineScheduler();
            private int count;

            @Override
            public void add(Piece piece, long now) {
                if (++count % 100 != 0) {
                    sound.add(piece, now);
                }
            }

            @Override
            public Piece next(long now) {
                return sound.next(now);
            }

            @Override
            public boolean isEmpty() {
                return sound.isEmpty();
            }
        }),
        KNOWS_NO_DEADLINE_OF_READS(
                "waits too long", () -> new DeadlineScheduler(Long.MAX_VALUE, 5_000_000_000L, 2, 16)),
        KNOWS_NO_DEADLINE_OF_WRITES("waits too long", () -> new DeadlineScheduler(500_000_000L, Long.MAX_VALUE, 2, 16)),
        STARVES_WRITES(
                "waits too long", () -> new DeadlineScheduler(500_000_000L, 5_000_000_000L, Integer.MAX_VALUE, 16)),
        HAS_LONG_BATCHES("waits too long", () -> new DeadlineScheduler(500_000_000L, 5_000_000_000L, 2, 64)),
        HAS_SHORT_BATCHES("before its end", () -> new DeadlineScheduler(500_000_000L, 5_000_000_000L, 2, 15)),
        DOES_NOT_SORT("before its end", FifoScheduler::new);

        final String symptom;
        final Supplier<Scheduler> make;

        Broken(String symptom, Supplier<Scheduler> make) {
            this.symptom = symptom;
            this.make = make;
        }
    }

    /** What it should do, by lists that are searched from end to end. */
    private static final class Plain implements Scheduler {
        private final List<Piece> waiting = new ArrayList<>();
        private final long[] positions = new long[2];
        private int kind;
        private int batched = DeadlineScheduler.BATCH;
        private int passedOver;

        @Override
        public void add(Piece piece, long now) {
            waiting.add(piece);
        }

        @Override
        public Piece next(long now) {
            Piece piece = batched < DeadlineScheduler.BATCH ? behind(waiting, kind, positions[kind]) : null;
            if (piece == null && !waiting.isEmpty()) {
                Piece read = oldest(waiting, 0);
                Piece write = oldest(waiting, 1);
                kind = read == null || (write != null && passedOver >= DeadlineScheduler.WRITES_PASSED_OVER) ? 1 : 0;
                passedOver = kind == 1 ? 0 : passedOver + (write == null ? 0 : 1);
                Piece oldest = kind == 0 ? read : write;
                Piece behind = behind(waiting, kind, positions[kind]);
                piece = behind == null || isExpired(oldest, now) ? oldest : behind;
                batched = 0;
            }
            if (piece != null) {
                batched++;
                waiting.remove(piece);
                positions[kind] = piece.lower.end();
            }
            return piece;
        }

        @Override
        public boolean isEmpty() {
            return waiting.isEmpty();
        }
    }

    /** Looks at what goes in and what comes out. */
    private static final class Judge {
        private final List<Piece> waiting = new ArrayList<>();
        private final int[] boundOf = {
            2 * DeadlineScheduler.BATCH - 1, (1 + DeadlineScheduler.WRITES_PASSED_OVER) * DeadlineScheduler.BATCH - 1
        };
        private final Piece[] overdue = new Piece[2];
        private final int[] goneBefore = new int[2];
        private Piece last;
        private int run;

        void added(Piece piece) {
            waiting.add(piece);
        }

        void given(Piece piece, long now) {
            assertThat(piece == null).as("none is there").isEqualTo(waiting.isEmpty());
            if (piece == null) {
                return;
            }
            for (int kind = 0; kind < 2; kind++) {
                checkWait(kind, piece, now);
            }
            assertThat(piece.next).as("still linked").isNull();
            assertThat(piece.previous).as("still linked").isNull();
            if (last != null) {
                Piece behind = behind(waiting, kind(last), last.lower.end());
                if (piece == behind) {
                    run++;
                } else {
                    assertThat(behind == null || run % DeadlineScheduler.BATCH == 0)
                            .as("a batch ended before its end: run=%d, last=%s, behind=%s", run, last, behind)
                            .isTrue();
                    run = 1;
                }
            } else {
                run = 1;
            }
            last = piece;
            assertThat(waiting.remove(piece)).as("came twice: %s", piece).isTrue();
        }

        private void checkWait(int kind, Piece given, long now) {
            Piece oldest = oldest(waiting, kind);
            if (oldest == null || oldest == given || !isExpired(oldest, now)) {
                overdue[kind] = null;
                return;
            }
            goneBefore[kind] = oldest == overdue[kind] ? goneBefore[kind] + 1 : 1;
            overdue[kind] = oldest;
            assertThat(goneBefore[kind]).as("waits too long: %s", oldest).isLessThanOrEqualTo(boundOf[kind]);
        }
    }

    private static int kind(Piece piece) {
        return piece.lower.op() == Op.READ ? 0 : 1;
    }

    private static boolean isExpired(Piece piece, long now) {
        long expiry = kind(piece) == 0 ? DeadlineScheduler.READ_EXPIRY_NANOS : DeadlineScheduler.WRITE_EXPIRY_NANOS;
        return now - piece.arrivalNanos >= expiry;
    }

    private static Piece oldest(List<Piece> pieces, int kind) {
        for (Piece piece : pieces) {
            if (kind(piece) == kind) {
                return piece;
            }
        }
        return null;
    }

    private static Piece behind(List<Piece> pieces, int kind, long position) {
        Piece found = null;
        for (Piece piece : pieces) {
            long offset = piece.lower.offset();
            if (kind(piece) == kind && offset >= position && (found == null || offset < found.lower.offset())) {
                found = piece;
            }
        }
        return found;
    }

    /** One history. */
    private static void live(long seed, Scheduler scheduler, Plain plain) {
        Prng prng = new Prng(seed);
        Judge judge = new Judge();
        int most = 1 + prng.below(150);
        int blocks = 1 + prng.below(prng.oneIn(2) ? 20 : 2000);
        long tick = prng.oneIn(3) ? 1_000_000 : prng.oneIn(2) ? 20_000_000 : 200_000_000;
        long now = prng.below(1_000_000_000);
        for (int step = 0; step < STEPS; step++) {
            boolean last = step > STEPS - 2 * most;
            now += prng.below(tick);
            if (!last && judge.waiting.size() < most && !prng.oneIn(3)) {
                Piece piece = new Piece(step, _ -> {});
                piece.lower.start(
                        OPS.get(prng.below(OPS.size())),
                        (long) prng.below(blocks) * BLOCK,
                        (1L + prng.below(8)) * BLOCK,
                        false);
                scheduler.add(piece, now);
                piece.arrivalNanos = now;
                judge.added(piece);
                if (plain != null) {
                    plain.add(piece, now);
                }
            } else {
                Piece piece = scheduler.next(now);
                judge.given(piece, now);
                if (plain != null) {
                    assertThat(piece).isSameAs(plain.next(now));
                }
            }
            assertThat(scheduler.isEmpty()).as("none is there").isEqualTo(judge.waiting.isEmpty());
        }
        assertThat(judge.waiting).isEmpty();
    }

    @Test
    void randomPiecesGoOutAsFromThePlainOne() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                live(seed, new DeadlineScheduler(), new Plain());
            } catch (AssertionError e) {
                throw new AssertionError("seed=" + seed, e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyBrokenSchedulerIsNoticed(Broken broken) {
        assertThatThrownBy(() -> {
                    for (long seed = 0; seed < SEEDS; seed++) {
                        live(seed, broken.make.get(), null);
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(broken.symptom);
    }
}
