package io.tenfold.queue;

import io.tenfold.base.Prng;
import io.tenfold.block.Channel;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Who submits to one channel in a {@link QueueLife}: requests of all kinds and sizes, in batches. */
final class LifeUser {
    private static final int REQUESTS = 120;

    final Channel channel;
    private final QueueLife life;
    private final Prng prng;
    private final int windowMax;
    private int left = REQUESTS;
    private boolean uncommitted;

    /** Where the last request ended: the next often follows it, so that both may become one. */
    private long last;

    /** How many requests are on their way. */
    int open;

    LifeUser(QueueLife life, Channel channel) {
        this.life = life;
        this.channel = channel;
        prng = life.prng;
        windowMax = 1 + prng.below(16);
    }

    /** Whether all has ended. What was refused may have before it was committed, but counts when it is. */
    boolean isDone() {
        return left == 0 && open == 0 && !uncommitted;
    }

    /** No more than a few requests from now on. */
    void finish() {
        left = Math.min(left, 8);
    }

    /** Submits some requests perhaps; whether it wants to come again though nothing happens. */
    boolean act() {
        if (left > 0 && open < windowMax && prng.oneIn(2)) {
            for (int i = prng.below(8); i >= 0 && left > 0 && open < windowMax; i--) {
                submit();
            }
        }
        if (uncommitted && !prng.oneIn(8)) {
            uncommitted = false;
            channel.commit();
        }
        return uncommitted || (left > 0 && open < windowMax);
    }

    private void submit() {
        Op op = randomOp();
        boolean fua = op.changes() && prng.oneIn(4);
        int blocks = (int) (life.sizeBytes() / life.block);
        int count = 1 + prng.below(Math.min(blocks, prng.oneIn(4) ? 64 : 6));
        long length = op == Op.FLUSH ? 0 : (long) count * life.block;
        long offset = prng.oneIn(2) && last + length <= life.sizeBytes()
                ? last
                : (long) prng.below(blocks - count + 1) * life.block;
        if (op == Op.FLUSH) {
            offset = 0;
        } else if (!life.lock(offset, length, op.changes())) {
            return;
        }
        last = op == Op.FLUSH ? last : offset + length;
        send(op, fua, offset, length);
    }

    private Op randomOp() {
        int dice = prng.below(20);
        if (dice < 8) {
            return Op.WRITE;
        }
        if (dice < 15) {
            return Op.READ;
        }
        return dice < 17 ? Op.FLUSH : dice < 18 ? Op.DISCARD : Op.WRITE_ZEROES;
    }

    private void send(Op op, boolean fua, long offset, long length) {
        long failuresBefore = life.flushFailures();
        long[] complete = op == Op.FLUSH ? life.complete() : null;
        byte[] data = new byte[(int) length];
        int[] ends = {0};
        boolean[] refused = {false};
        Request request = new Request(ended -> {
            life.require(++ends[0] == 1, "ended twice: " + ended);
            open--;
            life.ended(ended, refused[0], failuresBefore, complete, data);
        });
        request.start(op, offset, length, fua);
        if (op.changes()) {
            byte[] brings = life.begin(request);
            System.arraycopy(brings, 0, data, 0, op == Op.WRITE ? data.length : 0);
        } else {
            Arrays.fill(data, (byte) 0x5a);
        }
        if (op.carriesData()) {
            scatter(request, data);
        }
        refused[0] = op != Op.FLUSH && life.cuts.count(request) == 0;
        life.cut += op != Op.FLUSH && life.cuts.count(request) > 1 ? 1 : 0;
        left--;
        open++;
        uncommitted = true;
        life.require(channel.submit(request), "a queue takes everything: " + request);
    }

    /** Adds the memory in one or several segments, each aligned as a block of the device is. */
    private void scatter(Request request, byte[] data) {
        MemorySegment memory = QueueLife.memory(data);
        int unit = prng.oneIn(4) ? SectorModel.SECTOR : life.block;
        int most = prng.oneIn(2) ? data.length : unit * (1 + prng.below(4));
        for (int at = 0; at < data.length; ) {
            int take = Math.min(most, data.length - at);
            request.add(memory, at, take);
            at += take;
        }
    }
}
