package io.tenfold.lab;

import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import io.tenfold.block.RequestList;
import io.tenfold.sim.SimWorld;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/** One who keeps a number of reads in flight: a job of fio's, or a reader with read-ahead. */
final class SimReader implements SimWorld.Loop {
    private static final int POLLED_MAX = 1_000;

    private final RequestList idle = new RequestList();
    private final MemorySegment memory;
    private final LongSupplier offsets;
    private final Runnable onDone;
    private Channel channel;

    /**
     * A reader that has nothing in flight yet.
     *
     * @param depth how many reads it keeps in flight
     * @param length of each, in bytes
     * @param offsets where the next is
     * @param onDone called for each read that has ended well
     */
    SimReader(int depth, int length, LongSupplier offsets, Runnable onDone) {
        memory = MemorySegment.ofArray(new byte[length]);
        this.offsets = offsets;
        this.onDone = onDone;
        for (int i = 0; i < depth; i++) {
            idle.add(new Request(this::ended));
        }
    }

    /** What it reads from now on. */
    void reads(Channel from) {
        channel = from;
    }

    private void ended(Request request) {
        if (request.status() != IoStatus.OK) {
            throw new IllegalStateException("a simulated disk without faults failed a read: request=" + request);
        }
        onDone.run();
        idle.add(request);
    }

    @Override
    public void turn(Shard shard) {
        int moved = channel.poll(POLLED_MAX);
        while (!idle.isEmpty()) {
            Request request = idle.poll();
            request.read(offsets.getAsLong(), memory, 0, memory.byteSize());
            if (!channel.submit(request)) {
                throw new IllegalStateException("no room for what is in flight: request=" + request);
            }
            moved++;
        }
        channel.commit();
        if (moved == 0) {
            shard.park(Long.MAX_VALUE);
        }
    }
}
