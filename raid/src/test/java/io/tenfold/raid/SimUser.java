package io.tenfold.raid;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.Request;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Somebody who uses an array from one shard: random requests, each answer checked against the history. */
final class SimUser {
    private static final int DEPTH = 8;
    private static final int BLOCKS_MAX = 48;
    private static final long NAP_NANOS_MAX = 400_000;

    private final VolumeRun run;
    private final Prng prng;
    private final Channel channel;
    private final int blocks;

    /** Blocks that a request starts and ends at a multiple of. */
    private final int unit;

    private final ArrayDeque<Slot> free = new ArrayDeque<>();
    private final List<Slot> slots = new ArrayList<>();
    private final Shard shard;
    private boolean resting;

    /** One request at a time. */
    private final class Slot {
        final Request request = new Request(_ -> ended());
        final MemorySegment memory = run.memory(BLOCKS_MAX * BlockHistory.BLOCK);
        BlockHistory.Write write;
        long submitted;
        int first;
        int count;

        void ended() {
            free.add(this);
            run.answered(this.request, first, count, memory, write, submitted);
        }
    }

    SimUser(VolumeRun run, int index) {
        this.run = run;
        prng = new Prng(run.array.world.random().nextLong());
        blocks = (int) (run.array.device.sizeBytes() / BlockHistory.BLOCK);
        unit = run.array.device.limits().blockBytes() / BlockHistory.BLOCK;
        shard = run.array.world.loop(index, this::turn);
        channel = run.array.device.open(shard);
        for (int i = 0; i < DEPTH; i++) {
            slots.add(new Slot());
            free.add(slots.getLast());
        }
    }

    /** Submits nothing for a while, or goes on. */
    void rest(boolean now) {
        resting = now;
        shard.wake();
    }

    /** When its oldest request under way was submitted. */
    long oldest() {
        long oldest = Long.MAX_VALUE;
        for (Slot slot : slots) {
            oldest = free.contains(slot) ? oldest : Math.min(oldest, slot.submitted);
        }
        return oldest;
    }

    boolean isIdle() {
        return free.size() == DEPTH;
    }

    void close() {
        channel.close();
    }

    private void turn(Shard own) {
        int moved = channel.poll(100);
        int wanted = resting ? 0 : prng.below(4);
        for (int i = 0; i < wanted && !free.isEmpty(); i++) {
            submit(free.poll());
        }
        channel.commit();
        if (moved == 0) {
            own.park(resting || free.isEmpty() ? Long.MAX_VALUE : prng.below(NAP_NANOS_MAX));
        }
    }

    private void submit(Slot slot) {
        // Half of all requests go to a few blocks, so that they meet.
        int range = prng.oneIn(2) ? Math.min(64, blocks) : blocks;
        slot.first = unit * prng.below(range / unit);
        slot.count = unit * (1 + prng.below(Math.min(BLOCKS_MAX, blocks - slot.first) / unit));
        slot.write = null;
        Request request = slot.request;
        long at = (long) slot.first * BlockHistory.BLOCK;
        long length = (long) slot.count * BlockHistory.BLOCK;
        boolean fua = prng.oneIn(6);
        switch (prng.below(10)) {
            case 0, 1, 2, 3, 4 -> {
                slot.write = run.history.submitted(slot.first, slot.count, false, fua);
                BlockHistory.fill(slot.write, slot.memory);
                request.write(at, slot.memory, 0, length, fua);
            }
            case 5 -> {
                slot.write = run.history.submitted(slot.first, slot.count, true, fua);
                if (prng.oneIn(2)) {
                    request.discard(at, length, fua);
                } else {
                    request.writeZeroes(at, length, fua);
                }
            }
            case 6 -> request.flush();
            default -> request.read(at, slot.memory, 0, length);
        }
        slot.submitted = run.history.now();
        if (!channel.submit(request)) {
            throw new AssertionError("no room for so few: " + request);
        }
    }
}
