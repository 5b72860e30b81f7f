package io.tenfold.queue;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.block.RequestList;
import java.util.HashSet;
import java.util.Set;

/**
 * What a queue stands in front of in a simulation: passes requests on, tells a watcher of each, and now and then has no
 * room, fails, or does nothing until it is asked to end the request. It can be spoiled, to show that checks above find it.
 *
 * <p>Threads: the world's.
 */
final class WatchedDevice implements BlockDevice {
    /** What a spoiled device, or a checker that is told something wrong, does. */
    enum Sabotage {
        NONE,
        /** A flush is answered, and nothing done. */
        DROP_FLUSH,
        /** FUA is forgotten. */
        DROP_FUA,
        /** A write is answered, and nothing done. */
        LOSE_PIECE,
        /** A write goes one sector further. */
        SHIFT_PIECE,
        /** A request never ends. */
        LOSE_COMPLETION,
        /** A shard is not woken. */
        LOSE_WAKE,
        /** A request ends twice. */
        TWICE,
        /** The queue is held to one piece less at the device than it was told. */
        WRONG_DEPTH,
        /** A queue that makes pieces one by one is held to the promise that a request's are made together. */
        WRONG_PROMISE,
        /** A queue that nobody stopped is held to be. */
        WRONG_STOP
    }

    /** What happens, as it happens. */
    interface Watcher {
        /** A request has been taken. */
        void taken(Request request, int channel);

        /** It is about to be given back. */
        void ended(Request request, int channel, IoStatus how);
    }

    private final BlockDevice disk;
    private final Prng prng;
    private final Watcher watcher;
    private final WriteCache cache;
    private final Sabotage sabotage;
    private int channels;

    /** Once in so many; 0: never. Set before use. */
    int refuseOneIn;

    int failOneIn;
    int stickOneIn;

    long refusals;

    WatchedDevice(BlockDevice disk, Prng prng, WriteCache cache, Sabotage sabotage, Watcher watcher) {
        this.disk = disk;
        this.prng = prng;
        this.cache = cache;
        this.sabotage = sabotage;
        this.watcher = watcher;
    }

    private boolean once(int oneIn) {
        return oneIn > 0 && prng.oneIn(oneIn);
    }

    @Override
    public String name() {
        return disk.name();
    }

    @Override
    public long sizeBytes() {
        return disk.sizeBytes();
    }

    @Override
    public DeviceLimits limits() {
        return disk.limits();
    }

    @Override
    public Channel open(Shard shard) {
        return new WatchedChannel(disk.open(shard), shard, channels++);
    }

    @Override
    public void close() {
        disk.close();
    }

    private final class WatchedChannel implements Channel {
        private final Channel under;
        private final Shard shard;
        private final int index;
        private final Set<Request> stuck = new HashSet<>();
        private final RequestList done = new RequestList();

        WatchedChannel(Channel under, Shard shard, int index) {
            this.under = under;
            this.shard = shard;
            this.index = index;
        }

        @Override
        public boolean submit(Request request) {
            if (once(refuseOneIn)) {
                refusals++;
                return false;
            }
            boolean changes = request.op().changes();
            if (once(stickOneIn)) {
                stuck.add(request);
            } else if (once(failOneIn)) {
                end(request, prng.oneIn(8) ? IoStatus.MEDIUM_ERROR : IoStatus.IO_ERROR);
            } else if ((sabotage == Sabotage.DROP_FLUSH && request.op() == Op.FLUSH)
                    || (sabotage == Sabotage.LOSE_PIECE && changes && prng.oneIn(20))) {
                end(request, IoStatus.OK);
            } else if (!under.submit(copy(request))) {
                refusals++;
                return false;
            }
            request.started();
            watcher.taken(request, index);
            return true;
        }

        private Request copy(Request request) {
            boolean loses = sabotage == Sabotage.LOSE_COMPLETION && prng.oneIn(20);
            Request copy = new Request(below -> {
                if (!loses) {
                    finish(request, below.status());
                }
                if (sabotage == Sabotage.TWICE && prng.oneIn(20)) {
                    finish(request, below.status());
                }
            });
            boolean fua = request.op().changes() && (request.fua() || cache == WriteCache.WRITE_THROUGH);
            long shift = sabotage == Sabotage.SHIFT_PIECE
                            && request.op() == Op.WRITE
                            && request.end() + limits().blockBytes() <= sizeBytes()
                            && prng.oneIn(8)
                    ? limits().blockBytes()
                    : 0;
            copy.start(request.op(), request.offset() + shift, request.length(), fua && sabotage != Sabotage.DROP_FUA);
            if (request.op().carriesData()) {
                copy.addPartOf(request, 0, request.length());
            }
            return copy;
        }

        private void end(Request request, IoStatus how) {
            request.outcome(how);
            done.add(request);
            shard.wake();
        }

        private void finish(Request request, IoStatus how) {
            watcher.ended(request, index, how);
            request.complete(how);
        }

        @Override
        public void commit() {
            under.commit();
        }

        @Override
        public int poll(int max) {
            int count = Math.min(max, done.size());
            for (int i = 0; i < count; i++) {
                Request request = done.poll();
                finish(request, request.status());
            }
            return count < max ? count + under.poll(max - count) : count;
        }

        @Override
        public void cancel(Request request) {
            if (stuck.remove(request)) {
                end(request, IoStatus.OFFLINE);
            }
        }

        @Override
        public void close() {
            under.close();
        }
    }
}
