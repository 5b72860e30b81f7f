package io.tenfold.queue;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;

/** One submitter of a {@link QueueRun}, with blocks of its own. */
final class QueueUser {
    final Shard shard;
    final Channel channel;

    private final QueueRun run;
    private final Prng prng;
    private final int block;
    private final int first;
    private final int count;
    private final int window;
    private final boolean sequential;
    private final BitSet busy = new BitSet();
    private int next;
    private int left;
    private int inFlight;
    private boolean polling;

    private final class Flight {
        final Request request = new Request(this::completed);
        final int at;
        final int blocks;
        final long moment;
        final IoStatus refusal;
        boolean submitted;

        Flight(Op op, boolean fua, int at, int blocks) {
            this.at = at;
            this.blocks = blocks;
            moment = run.contents.now();
            request.start(op, (long) at * block, (long) blocks * block, fua);
            if (op.carriesData()) {
                addMemory();
            }
            refusal = run.cuts.count(request) == 0 ? run.cuts.refusal(request) : null;
        }

        /** Random segments, later ones at lower places, so that order and place cannot be mistaken for one another. */
        private void addMemory() {
            int length = blocks * block;
            int alignment = run.strict.limits().memoryAlignment();
            // On the heap, where addresses begin at 0: so as aligned as the offset.
            MemorySegment memory = MemorySegment.ofArray(new byte[length]);
            int most = prng.oneIn(3) ? length : prng.oneIn(4) ? Math.max(alignment, block / 2) : 2 * block;
            for (int done = 0; done < length; ) {
                int bytes = Math.min(length - done, alignment * (1 + prng.below(most / alignment)));
                done += bytes;
                request.add(memory, length - done, bytes);
            }
        }

        void begin() {
            boolean changes = request.op().changes();
            long will = !changes
                    ? 0
                    : run.contents.begin(
                            at, blocks, request.op() == Op.WRITE, request.op() == Op.DISCARD ? Contents.ANY : 0);
            if (request.op() == Op.WRITE) {
                byte[] data = new byte[blocks * block];
                Contents.fill(data, 0, data.length, will);
                copy(data, true);
            } else if (request.op() == Op.READ) {
                byte[] data = new byte[blocks * block];
                Contents.fill(data, 0, data.length, 0x5a5a5a5a);
                copy(data, true);
            }
            inFlight++;
            submitted = true;
        }

        private void copy(byte[] data, boolean in) {
            int done = 0;
            for (int i = 0; i < request.segments(); i++) {
                int length = (int) request.memoryLength(i);
                if (in) {
                    MemorySegment.copy(
                            data, done, request.memory(i), ValueLayout.JAVA_BYTE, request.memoryOffset(i), length);
                } else {
                    MemorySegment.copy(
                            request.memory(i), ValueLayout.JAVA_BYTE, request.memoryOffset(i), data, done, length);
                }
                done += length;
            }
        }

        private void completed(Request ended) {
            require(submitted, "completed twice");
            submitted = false;
            require(polling && shard.equals(run.current), "completed outside its channel's poll");
            inFlight--;
            busy.clear(at, at + blocks);
            IoStatus status = request.status();
            if (refusal != null) {
                require(status == refusal, "should have been refused with " + refusal);
                if (request.op().changes()) {
                    run.contents.undo(at, blocks);
                }
                return;
            }
            require(status == IoStatus.OK || (run.faulty && status == IoStatus.IO_ERROR), "failed");
            boolean failed = status != IoStatus.OK;
            if (request.op().changes()) {
                run.contents.end(at, blocks, request.fua(), failed);
            } else if (request.op() == Op.FLUSH && !failed) {
                run.contents.flushed(moment);
            } else if (request.op() == Op.READ && !failed) {
                byte[] data = new byte[blocks * block];
                copy(data, false);
                for (int i = 0; i < blocks; i++) {
                    long expected = run.contents.current(at + i);
                    require(
                            expected == Contents.ANY || Contents.isFullOf(data, i * block, block, expected),
                            "read other than block " + (at + i) + "'s " + expected);
                }
            }
        }

        private void require(boolean holds, String wrong) {
            if (!holds) {
                throw new AssertionError(run.what(wrong, "shard=" + shard + ", request=" + request));
            }
        }
    }

    QueueUser(QueueRun run, Shard shard, int first, int count, int requests) {
        this.run = run;
        this.shard = shard;
        this.first = first;
        this.count = count;
        prng = run.prng;
        block = run.strict.limits().blockBytes();
        left = requests;
        window = 1 + prng.below(prng.oneIn(2) ? 4 : 24);
        sequential = prng.oneIn(3);
        next = first;
        channel = run.subject.queue().open(shard);
    }

    boolean isDone() {
        return left == 0 && inFlight == 0;
    }

    int turn() {
        polling = true;
        int moved = channel.poll(1 + prng.below(8));
        polling = false;
        int submitted = 0;
        while (left > 0 && inFlight < window && (inFlight == 0 || !prng.oneIn(3))) {
            Flight flight = draw();
            if (flight == null) {
                break;
            }
            busy.set(flight.at, flight.at + flight.blocks);
            flight.begin();
            if (!channel.submit(flight.request)) {
                throw new AssertionError(run.what("a queue has room for whatever is submitted", flight.request));
            }
            left--;
            submitted++;
        }
        if (submitted > 0) {
            channel.commit();
        }
        return moved + submitted;
    }

    /** A request for blocks that no other is in flight for; null if chance finds none. */
    private Flight draw() {
        int kind = prng.below(20);
        if (kind == 0) {
            return new Flight(Op.FLUSH, false, 0, 0);
        }
        Op op = kind < 7 ? Op.READ : kind < 18 ? Op.WRITE : prng.oneIn(2) ? Op.DISCARD : Op.WRITE_ZEROES;
        int blocks = 1 + prng.below(prng.oneIn(4) ? 60 : 6);
        int at = sequential ? next : first + prng.below(count);
        blocks = Math.min(blocks, first + count - at);
        next = at + blocks == first + count ? first : at + blocks;
        int taken = busy.nextSetBit(at);
        if (blocks <= 0 || (taken >= 0 && taken < at + blocks)) {
            next = first + prng.below(count);
            return null;
        }
        return new Flight(op, op.changes() && prng.oneIn(5), at, blocks);
    }

    @Override
    public String toString() {
        return shard + " left=" + left + " inFlight=" + inFlight;
    }
}
