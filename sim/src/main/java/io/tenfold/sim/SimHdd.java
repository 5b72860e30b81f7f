package io.tenfold.sim;

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
 * A spinning disk in a simulated world, as slow as a real one: the arm travels, the platter turns, the data pass under the
 * head.
 *
 * <p>The disk holds up to {@link SimHddModel#depth} commands and does next the one that the head can reach first, unless the
 * oldest has waited too long. What more there is waits outside, first come first served. A command that is in the queue when
 * the one before ends costs nothing but its own seek, turn and transfer; one that finds the disk idle costs
 * {@link SimHddModel#commandNanos} more. So what follows directly is done at the rate of the medium if it is in the queue in
 * time, and costs a whole turn if not.
 *
 * <p>There is no buffer in this model: nothing is read ahead, and a write is done when it is on the medium, so that every
 * write is stable. Real disks with their cache switched on tell writes done earlier; how fast they get them onto the medium
 * is what is modelled.
 *
 * <p>It checks its submitter as {@link SimDisk} does. Threads: the world's.
 */
public final class SimHdd implements BlockDevice {
    private final SimWorld world;
    private final String name;
    private final SimHddModel model;
    private final SimMedium medium;
    private final DeviceLimits limits;
    private final HddGeometry geometry;
    private final SeekCurve curve;
    private Trace trace;

    /** In the disk's queue, the oldest first; and outside. */
    private final Command[] queue;

    private int queued;
    private final ArrayDeque<Command> outside = new ArrayDeque<>();

    private Command current;
    private long idleSince;
    private long headTrack;

    /** Hears what the disk is handed and what it has done, in the order of events. */
    public interface Trace {
        /** A request was handed to the disk at this moment of virtual time. */
        void dispatched(long nanos, Request request);

        /** A request is done; its owner will hear of it when he polls. */
        void completed(long nanos, Request request);
    }

    private static final class Command {
        final Request request;
        final HddChannel channel;
        final long arrived;
        final long track;
        final long cylinder;
        final long angle;

        Command(Request request, HddChannel channel, long arrived, HddGeometry geometry) {
            this.request = request;
            this.channel = channel;
            this.arrived = arrived;
            track = geometry.trackOf(request.offset());
            cylinder = geometry.cylinderOf(track);
            angle = geometry.angleOf(request.offset());
        }
    }

    /** A disk that holds no data: reads leave the memory as it is. */
    public SimHdd(SimWorld world, String name, SimHddModel model) {
        this(world, name, model, null);
    }

    /**
     * A disk that holds data.
     *
     * @param medium what it holds, of the model's size; null: no data
     */
    public SimHdd(SimWorld world, String name, SimHddModel model, SimMedium medium) {
        if (medium != null && medium.sizeBytes() != model.sizeBytes()) {
            throw new IllegalArgumentException("the medium is of another size: mediumBytes=" + medium.sizeBytes()
                    + ", sizeBytes=" + model.sizeBytes());
        }
        this.world = world;
        this.name = name;
        this.model = model;
        this.medium = medium;
        limits = new DeviceLimits(512, 1, model.transferBytesMax(), 256, 0, 0, 4096, true, false);
        geometry = new HddGeometry(model);
        curve = new SeekCurve(
                model.seekNanosMin(), model.seekNanosAverage(), model.seekNanosFull(), geometry.cylinders());
        queue = new Command[model.depth()];
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
        return new HddChannel(shard);
    }

    @Override
    public void close() {
        // Its world holds it.
    }

    /** Tells everything to a listener from now on. */
    public void trace(Trace listener) {
        trace = listener;
    }

    private void arrive(Request request, HddChannel channel) {
        long now = world.clock().nanos();
        if (trace != null) {
            trace.dispatched(now, request);
        }
        Command command = new Command(request, channel, now, geometry);
        if (queued == queue.length) {
            outside.add(command);
            return;
        }
        queue[queued++] = command;
        if (current == null) {
            start(Math.max(idleSince, now) + model.commandNanos());
        }
    }

    /** Takes the next command out of the queue, the head being free from that moment on. */
    private void start(long free) {
        int index = next(free);
        current = queue[index];
        System.arraycopy(queue, index + 1, queue, index, --queued - index);
        queue[queued] = null;
        if (!outside.isEmpty()) {
            queue[queued++] = outside.poll();
        }
        long end = end(current, Math.max(free, current.arrived));
        world.after(Math.max(0, end - world.clock().nanos()), () -> finish(end));
    }

    /** The oldest if it is too old, or whatever the head reaches first; of equals the oldest. */
    private int next(long free) {
        if (free - queue[0].arrived > model.ageNanosMax()) {
            return 0;
        }
        int best = 0;
        long soonest = Long.MAX_VALUE;
        for (int i = 0; i < queued; i++) {
            long reached = queue[i].request.op() == Op.FLUSH ? free : reached(queue[i], free);
            if (reached < soonest) {
                soonest = reached;
                best = i;
            }
        }
        return best;
    }

    /** When the first byte of a command is under the head. */
    private long reached(Command command, long free) {
        long there = free + moveNanos(headTrack, command.track, command.cylinder, command.request.op());
        return there + Math.floorMod(command.angle - there, geometry.turnNanos);
    }

    private long moveNanos(long from, long to, long toCylinder, Op op) {
        if (from == to) {
            return 0;
        }
        long distance = Math.abs(geometry.cylinderOf(from) - toCylinder);
        long move = distance == 0 ? model.headSwitchNanos() : Math.max(model.headSwitchNanos(), curve.nanos(distance));
        return op == Op.WRITE ? move + model.writeSettleNanos() : move;
    }

    /** When a command that is begun now is done; the head is left behind its last byte. */
    private long end(Command command, long begin) {
        Request request = command.request;
        if (request.op() == Op.FLUSH) {
            return begin;
        }
        long time = reached(command, begin);
        headTrack = command.track;
        long at = request.offset();
        while (true) {
            long here = Math.min(request.end() - at, geometry.leftInTrack(at));
            time += geometry.passNanos(at, here);
            at += here;
            if (at == request.end()) {
                return time;
            }
            long track = geometry.trackOf(at);
            time += moveNanos(headTrack, track, geometry.cylinderOf(track), request.op());
            time += Math.floorMod(geometry.angleOf(at) - time, geometry.turnNanos);
            headTrack = track;
        }
    }

    private void finish(long end) {
        Command done = current;
        Request request = done.request;
        perform(request);
        request.outcome(IoStatus.OK);
        world.note("hdd", name, request.offset(), request.length(), end);
        if (trace != null) {
            trace.completed(end, request);
        }
        current = null;
        idleSince = end;
        if (queued > 0) {
            start(end);
        }
        done.channel.done.add(request);
        done.channel.shard.wake();
    }

    private void perform(Request request) {
        if (medium == null || !request.op().carriesData()) {
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

    private final class HddChannel implements Channel {
        private final Shard shard;
        private final RequestList submitted = new RequestList();
        private final RequestList done = new RequestList();
        private int held;

        HddChannel(Shard shard) {
            this.shard = shard;
        }

        @Override
        public boolean submit(Request request) {
            if (held == model.depth()) {
                return false;
            }
            SubmitCheck.require(SimHdd.this, request);
            request.started();
            held++;
            submitted.add(request);
            return true;
        }

        @Override
        public void commit() {
            while (!submitted.isEmpty()) {
                arrive(submitted.poll(), this);
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
