package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Prng;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.testkit.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests are cut where the limits ask for it and nowhere else; random ones are held against a search for the best. */
class CutsTest {
    private static final int CASES = 20_000;
    private static final List<Op> OPS = List.of(Op.READ, Op.WRITE, Op.WRITE, Op.DISCARD, Op.WRITE_ZEROES);

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(4 << 20, 1 << 16);

    @AfterEach
    void close() {
        arena.close();
    }

    private static DeviceLimits limits(int block, int alignment, int transfer, int segments, long discard, long zero) {
        return new DeviceLimits(block, alignment, transfer, segments, discard, zero, block, false, false);
    }

    private Request write(long offset, long... segmentBytes) {
        Request request = new Request(_ -> {});
        request.start(Op.WRITE, offset, Arrays.stream(segmentBytes).sum(), false);
        long at = 0;
        for (long bytes : segmentBytes) {
            request.add(memory, at, bytes);
            at += bytes;
        }
        return request;
    }

    /** Where the pieces end; null: it cannot be cut. */
    private static List<Long> ends(Cuts cuts, Request request) {
        if (cuts.count(request) == 0) {
            return null;
        }
        List<Long> ends = new java.util.ArrayList<>();
        for (long at = 0; at < request.length(); ) {
            at = cuts.end(request, at);
            ends.add(at);
        }
        return ends;
    }

    @Test
    void shortRequestIsOnePiece() {
        Cuts cuts = new Cuts(limits(512, 1, 4096, 4, 0, 0), 0);
        assertThat(cuts.fits(write(512, 4096))).isTrue();
        assertThat(cuts.count(write(512, 4096))).isEqualTo(1);
        assertThat(cuts.fits(new Request(_ -> {}).flush())).isTrue();
        assertThat(cuts.count(new Request(_ -> {}).flush())).isEqualTo(1);
    }

    @Test
    void longRequestIsCutAtTheLongestTransfer() {
        Cuts cuts = new Cuts(limits(512, 1, 4096, 4, 0, 0), 0);
        assertThat(cuts.fits(write(512, 4608))).isFalse();
        assertThat(ends(cuts, write(512, 9216))).containsExactly(4096L, 8192L, 9216L);
    }

    @Test
    void noPieceCrossesABoundary() {
        Cuts cuts = new Cuts(limits(512, 1, 4096, 4, 8192, 0), 3072);
        assertThat(cuts.fits(write(2560, 512))).isTrue();
        assertThat(cuts.fits(write(2560, 1024))).isFalse();
        assertThat(ends(cuts, write(2560, 4096))).containsExactly(512L, 3584L, 4096L);
        assertThat(ends(cuts, new Request(_ -> {}).discard(2560, 4096, false))).containsExactly(512L, 3584L, 4096L);
    }

    @Test
    void oddSegmentsAreCutAtBlocks() {
        Cuts cuts = new Cuts(limits(512, 4, 4096, 2, 0, 0), 0);
        // Two segments reach to 900, which is no multiple of the block.
        assertThat(ends(cuts, write(0, 300, 600, 636))).containsExactly(512L, 1536L);
    }

    @Test
    void emptySegmentsDoNotCount() {
        Cuts cuts = new Cuts(limits(512, 4, 4096, 2, 0, 0), 0);
        assertThat(ends(cuts, write(0, 0, 512, 0, 0, 512, 0, 512))).containsExactly(1024L, 1536L);
    }

    @Test
    void alignedMemoryStaysAligned() {
        Cuts cuts = new Cuts(limits(512, 4096, 10240, 8, 0, 0), 0);
        assertThat(ends(cuts, write(512, 16384))).containsExactly(8192L, 16384L);
    }

    @Test
    void blockInTooManySegmentsIsRefusedAsInvalid() {
        Cuts cuts = new Cuts(limits(512, 4, 4096, 2, 0, 0), 0);
        Request request = write(0, 512, 200, 200, 112, 512);
        assertThat(cuts.count(request)).isZero();
        assertThat(cuts.refusal(request)).isEqualTo(IoStatus.INVALID);
    }

    @Test
    void boundaryWhereMemoryCannotBeCutIsRefusedAsInvalid() {
        Cuts cuts = new Cuts(limits(512, 4096, 65536, 2, 0, 0), 65536);
        Request request = write(65536 - 512, 8192);
        assertThat(cuts.count(request)).isZero();
        assertThat(cuts.refusal(request)).isEqualTo(IoStatus.INVALID);
    }

    @Test
    void emptyRequestIsRefusedAsInvalid() {
        Cuts cuts = new Cuts(limits(512, 1, 4096, 2, 4096, 0), 0);
        assertThat(cuts.count(write(0, 0))).isZero();
        assertThat(cuts.refusal(write(0, 0))).isEqualTo(IoStatus.INVALID);
        assertThat(cuts.count(new Request(_ -> {}).discard(0, 0, false))).isZero();
    }

    @Test
    void whatTheDeviceCannotDoIsNotSupported() {
        Cuts cuts = new Cuts(limits(512, 1, 4096, 2, 0, 4096), 0);
        Request discard = new Request(_ -> {}).discard(0, 512, false);
        assertThat(cuts.count(discard)).isZero();
        assertThat(cuts.refusal(discard)).isEqualTo(IoStatus.NOT_SUPPORTED);
        assertThat(ends(cuts, new Request(_ -> {}).writeZeroes(0, 5120, false))).containsExactly(4096L, 5120L);
    }

    @Test
    void offeredLimitsAreWiderWhereCuttingHelps() {
        DeviceLimits device = limits(4096, 512, 8192, 2, 0, 4096);
        DeviceLimits offered = new Cuts(device, 0).offered();
        assertThat(offered.blockBytes()).isEqualTo(4096);
        assertThat(offered.memoryAlignment()).isEqualTo(512);
        assertThat(offered.transferBytesMax()).isEqualTo(1 << 30);
        assertThat(offered.segmentsMax()).isEqualTo(1024);
        assertThat(offered.discardBytesMax()).isZero();
        assertThat(offered.zeroBytesMax()).isEqualTo(1L << 40);
    }

    @Test
    void boundaryMustBeInBlocks() {
        assertThatThrownBy(() -> new Cuts(limits(4096, 1, 8192, 2, 0, 0), 512))
                .hasMessage("boundary must be a multiple of the block, or 0: boundaryBytes=512, blockBytes=4096");
        assertThatThrownBy(() -> new Cuts(limits(4096, 1, 8192, 2, 0, 0), -4096))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void randomRequestsAreCutAsWellAsTheyCanBe() {
        explore(Subject.SOUND);
    }

    /** The check notices a cutter that is spoilt in one way. */
    @Test
    void everySpoiltCutterIsNoticed() {
        for (Subject subject : Subject.values()) {
            if (subject != Subject.SOUND) {
                assertThatThrownBy(() -> explore(subject))
                        .as("%s", subject)
                        .isInstanceOf(AssertionError.class)
                        .hasMessageContaining("seed=");
            }
        }
    }

    /** Who cuts: the class itself, or what it would be with one fault. */
    @SuppressWarnings("ImmutableEnumChecker") // The functions hold nothing.
    private enum Subject {
        SOUND(cut -> ends(new Cuts(cut.limits, cut.boundary), cut.request)),
        IGNORES_SEGMENTS(cut -> ends(
                new Cuts(
                        limits(
                                cut.limits.blockBytes(),
                                cut.limits.memoryAlignment(),
                                cut.limits.transferBytesMax(),
                                1024,
                                cut.limits.discardBytesMax(),
                                cut.limits.zeroBytesMax()),
                        cut.boundary),
                cut.request)),
        IGNORES_BOUNDARY(cut -> ends(new Cuts(cut.limits, 0), cut.request)),
        CUTS_TOO_SMALL(cut -> ends(
                new Cuts(
                        limits(
                                cut.limits.blockBytes(),
                                cut.limits.memoryAlignment(),
                                Math.max(
                                        cut.limits.blockBytes(),
                                        cut.limits.transferBytesMax()
                                                / 2
                                                / cut.limits.blockBytes()
                                                * cut.limits.blockBytes()),
                                cut.limits.segmentsMax(),
                                cut.limits.discardBytesMax(),
                                cut.limits.zeroBytesMax()),
                        cut.boundary),
                cut.request)),
        IGNORES_ALIGNMENT(cut -> ends(
                new Cuts(
                        limits(
                                cut.limits.blockBytes(),
                                1,
                                cut.limits.transferBytesMax(),
                                cut.limits.segmentsMax(),
                                cut.limits.discardBytesMax(),
                                cut.limits.zeroBytesMax()),
                        cut.boundary),
                cut.request)),
        LOSES_THE_LAST(cut -> {
            List<Long> ends = ends(new Cuts(cut.limits, cut.boundary), cut.request);
            return ends == null || ends.size() < 2 ? ends : ends.subList(0, ends.size() - 1);
        });

        final Function<RandomCut, List<Long>> cutter;

        Subject(Function<RandomCut, List<Long>> cutter) {
            this.cutter = cutter;
        }
    }

    private record RandomCut(DeviceLimits limits, long boundary, Request request) {}

    private void explore(Subject subject) {
        long cut = 0;
        long refused = 0;
        for (long seed = 0; seed < CASES; seed++) {
            RandomCut random = random(new Prng(seed));
            List<Long> ends = subject.cutter.apply(random);
            int best = fewest(random);
            String what = "seed=" + seed + ", " + random + ", ends=" + ends;
            if (best == 0) {
                assertThat(ends).as(what).isNull();
                refused++;
            } else {
                assertThat(ends).as(what).hasSize(best);
                check(random, ends, what);
                cut += best > 1 ? 1 : 0;
            }
            assertThat(new Cuts(random.limits, random.boundary).count(random.request))
                    .as(what)
                    .isEqualTo(ends == null ? 0 : ends.size());
        }
        assertThat(cut).as("requests that were cut").isGreaterThan(CASES / 4);
        assertThat(refused).as("requests that cannot be cut").isGreaterThan(CASES / 100);
    }

    private RandomCut random(Prng prng) {
        int block = 512 << prng.below(2);
        int alignment = 1 << prng.below(12);
        DeviceLimits limits = limits(
                block,
                alignment,
                block * (1 + prng.below(12)),
                1 + prng.below(5),
                (long) block * prng.below(8),
                (long) block * prng.below(8));
        long boundary = prng.oneIn(2) ? 0 : (long) block * (1 + prng.below(12));
        long offset = (long) block * prng.below(40);
        Op op = OPS.get(prng.below(OPS.size()));
        Request request = new Request(_ -> {});
        if (!op.carriesData()) {
            return new RandomCut(
                    limits, boundary, request.start(op, offset, (long) block * (1 + prng.below(24)), false));
        }
        long unit = Math.max(block, alignment);
        long length = unit * (1 + prng.below(24));
        request.start(op, offset, length, prng.oneIn(2));
        // Few lengths, many, or so many that some blocks cannot be taken; never misaligned.
        long segmentMax = prng.oneIn(3) ? unit * 2 : prng.oneIn(2) ? length : Math.max(alignment, block / 2);
        for (long at = 0; at < length; ) {
            long bytes = Math.min(length - at, alignment * (1 + prng.below(segmentMax / alignment)));
            request.add(memory, at, bytes);
            at += bytes;
            if (prng.oneIn(20)) {
                request.add(memory, 0, 0);
            }
        }
        return new RandomCut(limits, boundary, request);
    }

    /** The fewest pieces that the limits allow, by trying all places; 0 if there is no way. */
    private static int fewest(RandomCut cut) {
        Request request = cut.request;
        int unit = unit(cut);
        int places = (int) (request.length() / unit);
        int[] best = new int[places + 1];
        for (int to = 1; to <= places; to++) {
            best[to] = Integer.MAX_VALUE;
            for (int from = 0; from < to; from++) {
                if (best[from] != Integer.MAX_VALUE && isTaken(cut, (long) from * unit, (long) to * unit)) {
                    best[to] = Math.min(best[to], best[from] + 1);
                }
            }
        }
        return best[places] == Integer.MAX_VALUE ? 0 : best[places];
    }

    private static int unit(RandomCut cut) {
        return cut.request.op().carriesData()
                ? Math.max(cut.limits.blockBytes(), cut.limits.memoryAlignment())
                : cut.limits.blockBytes();
    }

    private static boolean isTaken(RandomCut cut, long from, long to) {
        Request request = cut.request;
        long longest = switch (request.op()) {
            case READ, WRITE -> cut.limits.transferBytesMax();
            case DISCARD -> cut.limits.discardBytesMax();
            case WRITE_ZEROES -> cut.limits.zeroBytesMax();
            case FLUSH -> 0;
        };
        long first = request.offset() + from;
        long last = request.offset() + to - 1;
        int segments = 0;
        long at = 0;
        for (int i = 0; i < request.segments(); i++) {
            long end = at + request.memoryLength(i);
            segments += Math.max(at, from) < Math.min(end, to) ? 1 : 0;
            at = end;
        }
        return to - from <= longest
                && segments <= cut.limits.segmentsMax()
                && (cut.boundary == 0 || first / cut.boundary == last / cut.boundary);
    }

    /** The pieces cover the request in order, and each is one that the device takes. */
    private static void check(RandomCut cut, List<Long> ends, String what) {
        long from = 0;
        for (long to : ends) {
            assertThat(to).as(what).isGreaterThan(from);
            assertThat(isTaken(cut, from, to))
                    .as("piece %d..%d: %s", from, to, what)
                    .isTrue();
            if (cut.request.op().carriesData()) {
                Request piece = new Request(_ -> {});
                piece.start(cut.request.op(), cut.request.offset() + from, to - from, false);
                piece.addPartOf(cut.request, from, to - from);
                assertThat(piece.segments()).as(what).isLessThanOrEqualTo(cut.limits.segmentsMax());
                for (int i = 0; i < piece.segments(); i++) {
                    long address = piece.memory(i).address() + piece.memoryOffset(i);
                    assertThat((address | piece.memoryLength(i)) % cut.limits.memoryAlignment())
                            .as("alignment of piece %d..%d: %s", from, to, what)
                            .isZero();
                }
            }
            from = to;
        }
        assertThat(from).as(what).isEqualTo(cut.request.length());
    }

    @Test
    void neighboursMayMergeUpToEachLimit() {
        Cuts cuts = new Cuts(limits(512, 1, 4096, 3, 1024, 0), 8192);
        assertThat(cuts.mayMerge(write(0, 2048), write(2048, 2048))).isTrue();
        assertThat(cuts.mayMerge(write(0, 2048), write(2048, 2560)))
                .as("too long")
                .isFalse();
        assertThat(cuts.mayMerge(write(0, 2048), write(2560, 512))).as("a gap").isFalse();
        assertThat(cuts.mayMerge(write(512, 512), write(0, 512)))
                .as("the wrong way round")
                .isFalse();
        assertThat(cuts.mayMerge(write(0, 512, 512), write(1024, 512, 512)))
                .as("too many segments")
                .isFalse();
        assertThat(cuts.mayMerge(write(0, 512, 512), write(1024, 1024))).isTrue();
        assertThat(cuts.mayMerge(write(7680, 512), write(8192, 512)))
                .as("a boundary")
                .isFalse();
        assertThat(cuts.mayMerge(write(0, 2048), 3072, 2, write(3072, 1024))).isTrue();
        assertThat(cuts.mayMerge(write(0, 2048), 3072, 3, write(3072, 1024))).isFalse();
        assertThat(cuts.mayMerge(write(0, 2048), 3584, 2, write(3584, 1024))).isFalse();
    }

    @Test
    void onlyTheSameKindMerges() {
        Cuts cuts = new Cuts(limits(512, 1, 4096, 3, 1024, 0), 0);
        Request fua = new Request(_ -> {}).write(512, memory, 0, 512, true);
        Request read = new Request(_ -> {}).read(512, memory, 0, 512);
        Request flush = new Request(_ -> {}).flush();
        Request discard = new Request(_ -> {}).discard(0, 512, false);
        assertThat(cuts.mayMerge(write(0, 512), fua)).isFalse();
        assertThat(cuts.mayMerge(write(0, 512), read)).isFalse();
        assertThat(cuts.mayMerge(flush, flush)).isFalse();
        assertThat(cuts.mayMerge(discard, new Request(_ -> {}).discard(512, 512, false)))
                .isTrue();
        assertThat(cuts.mayMerge(discard, new Request(_ -> {}).discard(512, 1024, false)))
                .isFalse();
    }

    @Test
    void nothingIsAllocated() {
        Cuts cuts = new Cuts(limits(512, 4, 4096, 2, 0, 0), 8192);
        Request request = write(512, 300, 8192, 2104);
        Allocation.assertSoonNone("cutting", 1000, () -> {
            for (int i = 0; i < 1000; i++) {
                cuts.fits(request);
                cuts.count(request);
                cuts.mayMerge(request, request);
            }
        });
    }
}
