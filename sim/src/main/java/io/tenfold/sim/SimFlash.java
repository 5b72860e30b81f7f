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
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;

/**
 * A flash disk in a simulated world that is as fast as its {@link SimFlashModel} says. A request waits for one of the units,
 * first come first served, keeps it for a time drawn anew, and then leaves by the bus, one after the other.
 *
 * <p>Kinder than flash is: any unit can do any request, where in a real disk each place belongs to one of them; writes take as
 * long as reads and are stable at once; nothing is cleaned up in the background.
 *
 * <p>It checks its submitter as {@link SimDisk} does. Threads: the world's.
 */
public final class SimFlash implements BlockDevice {
    private final SimWorld world;
    private final String name;
    private final SimFlashModel model;
    private final SimMedium medium;
    private final DeviceLimits limits;
    private final Prng prng;
    private final ArrayDeque<Command> waiting = new ArrayDeque<>();
    private int busy;
    private long busFree;

    private record Command(Request request, FlashChannel channel) {}

    /**
     * A disk.
     *
     * @param medium what it holds, of the model's size
     */
    public SimFlash(SimWorld world, String name, SimFlashModel model, SimMedium medium) {
        if (medium.sizeBytes() != model.sizeBytes()) {
            throw new IllegalArgumentException("the medium is of another size: mediumBytes=" + medium.sizeBytes()
                    + ", sizeBytes=" + model.sizeBytes());
        }
        this.world = world;
        this.name = name;
        this.model = model;
        this.medium = medium;
        limits = new DeviceLimits(512, 1, model.transferBytesMax(), 256, 0, 0, 4096, false, false);
        prng = new Prng(world.random().nextLong());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long sizeBytes() {
        return model.sizeBytes();
    }

    @Override
    public DeviceLimits limits() {
        return limits;
    }

    @Override
    public Channel open(Shard shard) {
        return new FlashChannel(shard);
    }

    @Override
    public void close() {
        // Its world holds it.
    }

    private void start(Command command) {
        if (busy == model.units()) {
            waiting.add(command);
            return;
        }
        busy++;
        world.after(unitNanos(), () -> leave(command));
    }

    private long unitNanos() {
        double uniform = (prng.nextLong() >>> 11) * 0x1p-53;
        double above = -StrictMath.log(1 - uniform) * (model.unitNanosMean() - model.unitNanosMin());
        return model.unitNanosMin() + (long) above;
    }

    /** A unit has done its part. */
    private void leave(Command command) {
        busy--;
        if (!waiting.isEmpty()) {
            start(waiting.poll());
        }
        long now = world.clock().nanos();
        long transfer = (long) (command.request.length() * 1e9 / model.busBytesPerSecond());
        busFree = Math.max(now, busFree) + transfer;
        world.after(busFree - now, () -> finish(command));
    }

    private void finish(Command command) {
        Request request = command.request;
        perform(request);
        request.outcome(IoStatus.OK);
        world.note(
                "flash", name, request.offset(), request.length(), world.clock().nanos());
        command.channel.done.add(request);
        command.channel.shard.wake();
    }

    private void perform(Request request) {
        if (!request.op().carriesData()) {
            return;
        }
        long at = request.offset();
        for (int i = 0; i < request.segments(); i++) {
            MemorySegment memory = request.memory(i);
            long length = request.memoryLength(i);
            if (request.op() == Op.READ) {
                medium.read(at, memory, request.memoryOffset(i), length);
            } else {
                byte[] data = memory.asSlice(request.memoryOffset(i), length).toArray(ValueLayout.JAVA_BYTE);
                medium.write(at, data, 0, data.length);
            }
            at += length;
        }
    }

    private final class FlashChannel implements Channel {
        private final Shard shard;
        private final RequestList submitted = new RequestList();
        private final RequestList done = new RequestList();
        private int held;

        FlashChannel(Shard shard) {
            this.shard = shard;
        }

        @Override
        public boolean submit(Request request) {
            if (held == model.depth()) {
                return false;
            }
            SubmitCheck.require(SimFlash.this, request);
            request.started();
            held++;
            submitted.add(request);
            return true;
        }

        @Override
        public void commit() {
            while (!submitted.isEmpty()) {
                start(new Command(submitted.poll(), this));
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
