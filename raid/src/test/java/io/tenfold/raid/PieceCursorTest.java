package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Prng;
import io.tenfold.block.Request;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class PieceCursorTest {
    private static final int SECTOR = 512;

    /** For each byte range of a request: every sector in one piece, on the member and address where its copies belong. */
    @Test
    void piecesCoverTheRequestOnceAndLieWhereTheGeometrySays() {
        Prng prng = new Prng(7);
        int runs = 0;
        for (int round = 0; round < 4000; round++) {
            Layout layout = new Layout(1 + prng.below(3), 1 + prng.below(3), prng.oneIn(2), prng.below(3));
            int members = layout.copies() + prng.below(5);
            Geometry geometry = new Geometry(layout, members, 4096, 4096L * layout.far() * (1 + prng.below(12)));
            long from = SECTOR * prng.below(geometry.arrayBytes() / SECTOR);
            long to = from + SECTOR * (1 + prng.below((geometry.arrayBytes() - from) / SECTOR));
            MemorySegment memory = MemorySegment.ofArray(new byte[(int) (to - from)]);
            Request whole = new Request(_ -> {}).write(from, memory, 0, to - from, false);
            Operation operation = new Operation();
            operation.begin(whole);
            operation.span(geometry, to, false);
            int bytesMax = SECTOR * (1 + prng.below(60));
            int chunksMax = 1 + prng.below(4);
            BitSet seen = new BitSet();
            while (operation.cursor().hasNext()) {
                Piece piece = new Piece(_ -> {});
                piece.begin(operation, false);
                operation.cursor().next(piece, bytesMax, chunksMax);
                String what = geometry + ", from=" + from + ", to=" + to + ", length=" + piece.length();
                assertThat(piece.length()).as(what).isBetween((long) SECTOR, (long) bytesMax);
                Request part = new Request(_ -> {});
                piece.fill(part, 0, 0, piece.length());
                assertThat(part.segments()).as(what).isBetween(1, chunksMax);
                runs += part.segments() > 1 ? 1 : 0;
                long within = 0;
                for (int i = 0; i < part.segments(); i++) {
                    for (long at = 0; at < part.memoryLength(i); at += SECTOR) {
                        long offset = from + part.memoryOffset(i) + at;
                        int sector = (int) (offset / SECTOR);
                        assertThat(seen.get(sector)).as(what).isFalse();
                        seen.set(sector);
                        for (int copy = 0; copy < geometry.copies(); copy++) {
                            long place = geometry.locate(geometry.chunkOf(offset), copy);
                            long address = geometry.startOf(Geometry.memberChunk(place)) + geometry.withinChunk(offset);
                            assertThat(Geometry.role(piece.locate(copy)))
                                    .as(what)
                                    .isEqualTo(Geometry.role(place));
                            assertThat(piece.address(piece.locate(copy), within))
                                    .as(what)
                                    .isEqualTo(address);
                        }
                        within += SECTOR;
                    }
                }
                // A part of a piece has the memory that lies there in the whole.
                long skip = SECTOR * prng.below(piece.length() / SECTOR);
                Request rest = new Request(_ -> {});
                piece.fill(rest, 0, skip, piece.length() - skip);
                long total = 0;
                for (int i = 0; i < rest.segments(); i++) {
                    total += rest.memoryLength(i);
                }
                assertThat(total).as(what).isEqualTo(piece.length() - skip);
                assertThat(rest.memoryOffset(0)).as(what).isEqualTo(memoryOffsetAt(part, skip));
            }
            assertThat(seen.cardinality()).isEqualTo((int) ((to - from) / SECTOR));
        }
        assertThat(runs).as("pieces of several chunks").isPositive();
    }

    private static long memoryOffsetAt(Request request, long within) {
        long left = within;
        int i = 0;
        while (left >= request.memoryLength(i)) {
            left -= request.memoryLength(i++);
        }
        return request.memoryOffset(i) + left;
    }
}
