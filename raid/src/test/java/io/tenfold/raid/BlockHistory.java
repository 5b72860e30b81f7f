package io.tenfold.raid;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What an array may answer: for each block of 512 bytes, which writes' data may be there now, and after a power loss.
 *
 * <p>The rules. A write's data may be there from when it was submitted. It may not be there any more once a later write has
 * been acknowledged that was submitted after this one had ended; and not after a power loss either, once that later write
 * is stable: it had FUA, or a flush was acknowledged that was submitted after it had ended. A write that failed may have
 * changed any part of its range, and takes nothing away.
 *
 * <p>Content names its write and its block, so that a wrong block tells what it is.
 */
final class BlockHistory {
    static final int BLOCK = 512;
    private static final long ZEROES = 0;
    private static final long FOREVER = Long.MAX_VALUE;

    private final List<List<Candidate>> blocks = new ArrayList<>();
    private final List<Write> unstable = new ArrayList<>();
    private long lastId;
    private long time;

    /** When the oldest read under way was submitted: what was overwritten before is of interest to nobody. */
    private long oldest;

    /** A write, a write of zeroes, or what was there at first. */
    static final class Write {
        final long id;
        final boolean zeroes;
        final boolean fua;
        final int first;
        final int count;
        final long submitted;
        long ended = FOREVER;

        Write(long id, boolean zeroes, boolean fua, int first, int count, long submitted) {
            this.id = id;
            this.zeroes = zeroes;
            this.fua = fua;
            this.first = first;
            this.count = count;
            this.submitted = submitted;
        }

        long content() {
            return zeroes ? ZEROES : id;
        }

        @Override
        public String toString() {
            return "write " + id + (zeroes ? " of zeroes" : "") + (fua ? " with FUA" : "");
        }
    }

    /** A write whose data may be in a block. */
    private static final class Candidate {
        final Write write;

        /** When a later write was acknowledged: no read that was submitted afterwards may find this one. */
        long overwritten = FOREVER;

        /** A later write is stable: this one may not come back by a power loss. */
        boolean gone;

        Candidate(Write write) {
            this.write = write;
        }
    }

    /** An array of zeroes. */
    BlockHistory(long bytes) {
        Write zeroes = new Write(0, true, true, 0, (int) (bytes / BLOCK), 0);
        zeroes.ended = 0;
        for (int block = 0; block < bytes / BLOCK; block++) {
            blocks.add(new ArrayList<>(List.of(new Candidate(zeroes))));
        }
    }

    /** A moment, later than all before. */
    long now() {
        return ++time;
    }

    Write submitted(int first, int count, boolean zeroes, boolean fua) {
        Write write = new Write(++lastId, zeroes, fua, first, count, now());
        for (int block = first; block < first + count; block++) {
            blocks.get(block).add(new Candidate(write));
        }
        return write;
    }

    /** A write's content. */
    static void fill(Write write, MemorySegment memory) {
        for (int block = 0; block < write.count; block++) {
            for (int at = 0; at < BLOCK; at += 16) {
                long offset = (long) block * BLOCK + at;
                memory.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, write.id);
                memory.set(ValueLayout.JAVA_LONG_UNALIGNED, offset + 8, write.first + block);
            }
        }
    }

    void ended(Write write, boolean acknowledged) {
        write.ended = now();
        if (!acknowledged) {
            return;
        }
        for (int block = write.first; block < write.first + write.count; block++) {
            for (Candidate candidate : blocks.get(block)) {
                if (candidate.write.ended < write.submitted) {
                    candidate.overwritten = Math.min(candidate.overwritten, time);
                }
            }
        }
        if (write.fua) {
            stable(write);
        } else {
            unstable.add(write);
        }
    }

    /** Says when the oldest request under way was submitted. */
    void oldest(long submitted) {
        oldest = submitted;
    }

    /** A flush that was submitted at some moment has been acknowledged. */
    void flushed(long submitted) {
        unstable.removeIf(write -> {
            boolean covered = write.ended < submitted;
            if (covered) {
                stable(write);
            }
            return covered;
        });
    }

    private void stable(Write write) {
        for (int block = write.first; block < write.first + write.count; block++) {
            for (Candidate candidate : blocks.get(block)) {
                candidate.gone |= candidate.write.ended < write.submitted;
            }
            blocks.get(block).removeIf(candidate -> candidate.gone && candidate.overwritten < oldest);
        }
    }

    /** What is wrong with content that was read between two moments, or null. */
    String wrongRead(int first, int count, MemorySegment memory, long submitted) {
        return wrong(first, count, memory, candidate -> candidate.overwritten > submitted);
    }

    /** What is wrong with content after a power loss, or null. */
    String wrongAfterPowerLoss(int first, int count, MemorySegment memory) {
        return wrong(first, count, memory, candidate -> !candidate.gone);
    }

    /** The content of a block, found after a power loss, is what counts from now on. */
    void settled(int block, MemorySegment memory, long at) {
        long id = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        List<Candidate> candidates = blocks.get(block);
        Candidate kept = candidates.stream()
                .filter(candidate -> candidate.write.content() == id && !candidate.gone)
                .findFirst()
                .orElseThrow();
        Candidate only = new Candidate(kept.write);
        kept.write.ended = Math.min(kept.write.ended, now());
        candidates.clear();
        candidates.add(only);
    }

    /** After a power loss nothing is under way: what was not acknowledged is there or not, and will not come later. */
    void powerLost() {
        unstable.clear();
        now();
        for (List<Candidate> candidates : blocks) {
            candidates.removeIf(candidate -> candidate.gone);
            for (Candidate candidate : candidates) {
                candidate.write.ended = Math.min(candidate.write.ended, time);
                candidate.overwritten = FOREVER; // Some copy may hold it, and that copy may be read.
            }
        }
    }

    private String wrong(int first, int count, MemorySegment memory, Predicate<Candidate> mayBeThere) {
        for (int block = first; block < first + count; block++) {
            long from = (long) (block - first) * BLOCK;
            long id = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, from);
            for (int at = 0; at < BLOCK; at += 16) {
                long found = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, from + at);
                long place = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, from + at + 8);
                if (found != id || place != (id == ZEROES ? 0 : block)) {
                    return "block " + block + " is no write's: " + Long.toHexString(found) + " "
                            + Long.toHexString(place) + " at byte " + at;
                }
            }
            boolean allowed = false;
            for (Candidate candidate : blocks.get(block)) {
                allowed |= candidate.write.content() == id && mayBeThere.test(candidate);
            }
            if (!allowed) {
                return "block " + block + " holds write " + id + ", and may hold "
                        + blocks.get(block).stream()
                                .filter(mayBeThere)
                                .map(c -> c.write.toString())
                                .toList();
            }
        }
        return null;
    }
}
