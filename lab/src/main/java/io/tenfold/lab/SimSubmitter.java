package io.tenfold.lab;

import io.tenfold.base.Prng;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import io.tenfold.block.RequestList;
import java.lang.foreign.MemorySegment;

/**
 * One who writes blocks in random order, each of its region once before any comes again, and keeps a number of writes in
 * flight: a job of fio's.
 */
final class SimSubmitter implements SimThread.Work {
    private final Channel channel;
    private final Prng prng;
    private final int blockBytes;
    private final int inFlightMax;
    private final long stepNanos;
    private final long regionStart;
    private final int[] order;
    private final RequestList idle = new RequestList();
    private final MemorySegment data;
    private final Runnable onDone;
    private int next;

    /**
     * A submitter that has nothing in flight yet.
     *
     * @param regionStart where its region begins, in bytes
     * @param regionBlocks how many blocks its region has, more than depth
     * @param data what it writes, one block
     * @param depth how many writes it keeps in flight
     * @param stepNanos how long it is busy with each thing that it does
     * @param onDone called for each write that has ended well
     */
    SimSubmitter(
            Channel channel,
            Prng prng,
            long regionStart,
            int regionBlocks,
            MemorySegment data,
            int depth,
            long stepNanos,
            Runnable onDone) {
        this.channel = channel;
        this.prng = prng;
        this.regionStart = regionStart;
        this.data = data;
        blockBytes = Math.toIntExact(data.byteSize());
        this.stepNanos = stepNanos;
        inFlightMax = depth;
        this.onDone = onDone;
        order = new int[regionBlocks];
        for (int i = 0; i < regionBlocks; i++) {
            order[i] = i;
        }
        shuffle(0);
        for (int i = 0; i < depth; i++) {
            idle.add(new Request(this::ended));
        }
    }

    /** Puts the order anew, but for the first so many. */
    private void shuffle(int from) {
        for (int i = order.length - 1; i > from; i--) {
            int other = from + prng.below(i - from + 1);
            int swapped = order[i];
            order[i] = order[other];
            order[other] = swapped;
        }
    }

    private void ended(Request request) {
        if (request.status() != IoStatus.OK) {
            throw new IllegalStateException("a simulated disk without faults failed a write: request=" + request);
        }
        onDone.run();
        idle.add(request);
    }

    private long nextOffset() {
        if (next == order.length) {
            // The last ones may still be in flight: they go to the front, and are passed over this time.
            for (int i = 0; i < inFlightMax; i++) {
                int swapped = order[i];
                order[i] = order[order.length - 1 - i];
                order[order.length - 1 - i] = swapped;
            }
            shuffle(inFlightMax);
            next = inFlightMax;
        }
        return regionStart + (long) order[next++] * blockBytes;
    }

    @Override
    public long step() {
        int moved = channel.poll(1);
        Request request = idle.poll();
        if (request != null) {
            request.write(nextOffset(), data, 0, blockBytes, false);
            if (!channel.submit(request)) {
                throw new IllegalStateException("the queue has no room: request=" + request);
            }
            channel.commit();
            return stepNanos;
        }
        return moved == 0 ? 0 : stepNanos;
    }
}
