package io.tenfold.sim;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.block.RequestList;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * A disk with a volatile cache, in a simulated world.
 *
 * <p>A write takes effect when it completes, and is in the cache until a flush that was submitted afterwards, or at once
 * stable with FUA. {@link #cutPower} decides for each write that is not stable, those in flight included, whether it is
 * kept, dropped or torn, in any combination. A write that fails may have changed any part of its range; a read that fails
 * leaves garbage in its memory.
 *
 * <p>It checks its submitter: a request outside of its limits, or one that is never committed, is an error of the code
 * above and not of the disk. Faults are injected from outside and counted, so that a checker can tell them from a bug.
 *
 * <p>Threads: the world's.
 */
public final class SimDisk implements BlockDevice {
    private static final int SLOW_FACTOR = 20;
    private static final int SECTOR = SimMedium.SECTOR;

    private final SimWorld world;
    private final String name;
    private final SimMedium stable;
    private final SimMedium current;
    private final SimDiskModel model;
    private final DeviceLimits limits;
    private final Prng prng;
    private final long garbage;

    private final ArrayDeque<CachedWrite> unstable = new ArrayDeque<>();
    private final List<Flight> inFlight = new ArrayList<>();
    private final List<Fault> faults = new ArrayList<>();
    private long writes;
    private long injected;
    private int slowdown = 1;
    private boolean vanished;
    private boolean powered = true;

    /** Something that goes wrong. */
    @FunctionalInterface
    public interface Fault {
        /** How this request is to fail, or null if this fault does not touch it. Asked once when it completes. */
        IoStatus strike(Request request);
    }

    /** What a write changed that no flush has covered. */
    private static final class CachedWrite {
        final long number;
        final long offset;
        final byte[] data;

        /** Its sectors that something newer and stable has replaced. */
        final BitSet overwritten = new BitSet();

        CachedWrite(long number, long offset, byte[] data) {
            this.number = number;
            this.offset = offset;
            this.data = data;
        }
    }

    /** A request on its way. {@code flushes}: the last write that it makes stable. */
    private record Flight(Request request, SimChannel channel, long flushes) {}

    /**
     * A disk with power on, an empty cache and no faults.
     *
     * @param medium what it holds, and what it leaves behind
     */
    public SimDisk(SimWorld world, String name, SimMedium medium, SimDiskModel model) {
        this.world = world;
        this.name = name;
        this.stable = medium;
        this.current = medium.copy();
        this.model = model;
        this.prng = new Prng(world.random().nextLong());
        this.garbage = prng.nextLong();
        int block = model.blockBytes();
        limits = new DeviceLimits(
                block,
                block,
                1 << 20,
                64,
                1L << 30,
                model.zeroes() ? 1L << 30 : 0,
                Math.max(4096, block),
                false,
                false);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long sizeBytes() {
        return stable.sizeBytes();
    }

    @Override
    public DeviceLimits limits() {
        return limits;
    }

    @Override
    public Channel open(Shard shard) {
        return new SimChannel(shard);
    }

    @Override
    public void close() {
        // Its world holds it.
    }

    /** Lets something go wrong from now on. */
    public void inject(Fault fault) {
        faults.add(fault);
    }

    /** Fails the next {@code count} requests of one kind. */
    public void failNext(Op op, int count, IoStatus how) {
        int[] left = {count};
        inject(request -> request.op() == op && left[0]-- > 0 ? how : null);
    }

    /** Makes sectors unreadable until they are written. */
    public void spoil(long offset, long length) {
        stable.spoil(offset, length);
        current.spoil(offset, length);
        world.note("spoil", name, offset, length, 0);
    }

    /** Multiplies its service times from now on. */
    public void slowdown(int factor) {
        slowdown = factor;
    }

    /** Takes it away: whatever is in flight and whatever comes fails with {@link IoStatus#OFFLINE}. */
    public void vanish() {
        vanished = true;
        world.note("vanish", name, 0, 0, 0);
    }

    /** How many requests have failed because somebody had injected the fault. */
    public long injected() {
        return injected;
    }

    /** What it answers now, cache included; for tests that look behind the contract. */
    public byte[] peek(long offset, int length) {
        return current.read(offset, length);
    }

    /** How many writes a power loss could take away. */
    public int unstableWrites() {
        return unstable.size();
    }

    /**
     * Takes its power. Nothing completes any more; the medium is left with what was stable, and with any part of what was
     * not.
     *
     * @return the medium
     */
    public SimMedium cutPower() {
        powered = false;
        for (CachedWrite write : unstable) {
            surviveInPart(write.offset, write.data, write.overwritten);
        }
        for (Flight flight : inFlight) {
            if (flight.request.op().changes()) {
                surviveInPart(flight.request.offset(), dataOf(flight.request), new BitSet());
            }
        }
        world.note("power cut", name, unstable.size(), inFlight.size(), 0);
        unstable.clear();
        return stable;
    }

    private void surviveInPart(long offset, byte[] data, BitSet overwritten) {
        int fate = prng.below(3);
        if (fate == 0) {
            return;
        }
        for (int at = 0; at < data.length; at += model.tearBytes()) {
            int length = Math.min(model.tearBytes(), data.length - at);
            if ((fate == 1 || prng.oneIn(2)) && overwritten.nextSetBit(at / SECTOR) != at / SECTOR) {
                stable.write(offset + at, data, at, length);
            }
        }
    }

    private void start(Request request, SimChannel channel) {
        Flight flight = new Flight(request, channel, writes);
        inFlight.add(flight);
        long nanos = model.serviceNanosMin()
                + (model.serviceNanosMax() > model.serviceNanosMin()
                        ? prng.below(model.serviceNanosMax() - model.serviceNanosMin())
                        : 0);
        if (model.slowOneIn() > 0 && prng.oneIn(model.slowOneIn())) {
            nanos *= SLOW_FACTOR;
        }
        world.after(nanos * slowdown, () -> finish(flight));
    }

    private void finish(Flight flight) {
        if (!powered) {
            return;
        }
        inFlight.remove(flight);
        Request request = flight.request;
        IoStatus outcome = verdict(request);
        if (outcome == IoStatus.OK) {
            perform(request, flight.flushes);
        } else if (request.op().changes() && outcome != IoStatus.OFFLINE) {
            byte[] data = dataOf(request);
            for (int at = 0; at < data.length; at += SECTOR) {
                if (prng.oneIn(2)) {
                    cache(request.offset() + at, Arrays.copyOfRange(data, at, at + SECTOR));
                }
            }
        } else if (request.op() == Op.READ) {
            fillWithGarbage(request);
        }
        String what = request.op() + (request.fua() ? "+FUA " : " ") + outcome;
        world.note(what, name, request.offset(), request.length(), 0);
        request.outcome(outcome);
        flight.channel.done.add(request);
        flight.channel.shard.wake();
    }

    private IoStatus verdict(Request request) {
        if (vanished) {
            injected++;
            return IoStatus.OFFLINE;
        }
        for (Fault fault : faults) {
            IoStatus how = fault.strike(request);
            if (how != null) {
                injected++;
                return how;
            }
        }
        if (request.op() == Op.READ && !current.isReadable(request.offset(), request.length())) {
            injected++;
            return IoStatus.MEDIUM_ERROR;
        }
        return IoStatus.OK;
    }

    private void perform(Request request, long flushes) {
        switch (request.op()) {
            case READ -> {
                long at = request.offset();
                for (int i = 0; i < request.segments(); i++) {
                    current.read(at, request.memory(i), request.memoryOffset(i), request.memoryLength(i));
                    at += request.memoryLength(i);
                }
            }
            case FLUSH -> {
                while (!unstable.isEmpty() && unstable.peek().number <= flushes) {
                    settle(unstable.poll());
                }
            }
            case WRITE, WRITE_ZEROES, DISCARD -> {
                byte[] data = dataOf(request);
                if (request.fua()) {
                    overwriteCached(request.offset(), data.length);
                    current.write(request.offset(), data, 0, data.length);
                    stable.write(request.offset(), data, 0, data.length);
                } else {
                    cache(request.offset(), data);
                }
            }
        }
    }

    private void cache(long offset, byte[] data) {
        current.write(offset, data, 0, data.length);
        unstable.add(new CachedWrite(++writes, offset, data));
    }

    private void settle(CachedWrite write) {
        for (int at = 0; at < write.data.length; at += SECTOR) {
            if (!write.overwritten.get(at / SECTOR)) {
                stable.write(write.offset + at, write.data, at, SECTOR);
            }
        }
    }

    /** What is older in the cache must not come over what is stable already. */
    private void overwriteCached(long offset, long length) {
        for (CachedWrite write : unstable) {
            long from = Math.max(offset, write.offset);
            long to = Math.min(offset + length, write.offset + write.data.length);
            if (from < to) {
                write.overwritten.set((int) ((from - write.offset) / SECTOR), (int) ((to - write.offset) / SECTOR));
            }
        }
    }

    private byte[] dataOf(Request request) {
        byte[] data = new byte[Math.toIntExact(request.length())];
        if (request.op() == Op.WRITE) {
            MemorySegment into = MemorySegment.ofArray(data);
            long at = 0;
            for (int i = 0; i < request.segments(); i++) {
                MemorySegment.copy(request.memory(i), request.memoryOffset(i), into, at, request.memoryLength(i));
                at += request.memoryLength(i);
            }
        } else if (request.op() == Op.DISCARD && model.discardLeavesGarbage()) {
            for (int at = 0; at < data.length; at++) {
                data[at] = (byte) (((garbage ^ (request.offset() + at)) * 0x9E3779B97F4A7C15L) >>> 56);
            }
        }
        return data;
    }

    private void fillWithGarbage(Request request) {
        for (int i = 0; i < request.segments(); i++) {
            request.memory(i)
                    .asSlice(request.memoryOffset(i), request.memoryLength(i))
                    .fill((byte) 0xee);
        }
    }

    private final class SimChannel implements Channel {
        private final Shard shard;
        private final RequestList submitted = new RequestList();
        private final RequestList done = new RequestList();
        private int held;

        SimChannel(Shard shard) {
            this.shard = shard;
        }

        @Override
        public boolean submit(Request request) {
            if (held == model.depth()) {
                return false;
            }
            SubmitCheck.require(SimDisk.this, request);
            request.started();
            held++;
            submitted.add(request);
            return true;
        }

        @Override
        public void commit() {
            while (!submitted.isEmpty()) {
                start(submitted.poll(), this);
            }
        }

        @Override
        public int poll(int max) {
            int count = Math.min(max, done.size());
            for (int i = 0; i < count; i++) {
                held--;
                done.poll().complete();
            }
            return count;
        }

        @Override
        public void close() {
            if (held > 0) {
                throw new AssertionError("closed with requests in flight: disk=" + name + ", requests=" + held);
            }
        }
    }
}
