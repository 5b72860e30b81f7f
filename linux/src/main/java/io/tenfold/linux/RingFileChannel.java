package io.tenfold.linux;

import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.block.RequestList;
import java.lang.foreign.Arena;

/**
 * A channel on a reactor's ring. Requests go to the kernel when the reactor next asks it, together with all that its
 * other channels and streams want; {@link #commit} adds nothing to that.
 *
 * <p>Flushes: one fdatasync is in flight at a time, and all flushes that come meanwhile share the next one. So none is
 * ever answered by a sync that began before it came, and two never share the one report of lost data that the kernel
 * gives for an open file. A FUA write past the page cache is one write with RWF_DSYNC; any other request with FUA joins
 * the flushes when it is done.
 */
final class RingFileChannel implements Channel {
    /** Requests in flight at most, flushes not counted. */
    private static final int DEPTH = 128;

    private final LinuxFile file;
    private final RingReactor reactor;
    private final Arena arena = Arena.ofConfined();
    private final int fd;
    private final TransferOp[] free = new TransferOp[DEPTH];
    private int freeCount;

    private final SyncOp sync;

    /** Wait for the next sync to begin. */
    private final RequestList syncNext = new RequestList();

    /** Wait for the sync that is in flight to end. */
    private final RequestList syncNow = new RequestList();

    private final RequestList done = new RequestList();
    private boolean lookedInBatch;
    private boolean closed;

    RingFileChannel(LinuxFile file, RingReactor reactor) {
        reactor.begin();
        this.file = file;
        this.reactor = reactor;
        fd = file.openForChannel(reactor.capture());
        while (freeCount < DEPTH) {
            free[freeCount++] = new TransferOp();
        }
        sync = new SyncOp();
    }

    @Override
    public boolean submit(Request request) {
        Requests.check(file, request);
        if (request.op() != Op.FLUSH && freeCount == 0) {
            return false;
        }
        request.started();
        if (request.op() != Op.READ && isCutShort()) {
            finished(request, IoStatus.OFFLINE);
        } else if (request.op() == Op.FLUSH) {
            sync(request);
        } else if (request.fua() && file.hasFlushFailed()) {
            finished(request, IoStatus.IO_ERROR);
        } else {
            free[--freeCount].begin(request);
        }
        return true;
    }

    /** Looks once a batch: a system call for each write would be felt. */
    private boolean isCutShort() {
        if (lookedInBatch) {
            return file.isCutShort();
        }
        lookedInBatch = true;
        return file.looksCutShort(reactor.capture());
    }

    @Override
    public void commit() {
        lookedInBatch = false;
        // The reactor hands over everything at once, in its park at the latest.
    }

    @Override
    public int poll(int max) {
        if (done.isEmpty()) {
            reactor.look();
        }
        // Only what is done now: a completion that submits again must not keep its caller here for ever.
        int count = Math.min(max, done.size());
        for (int i = 0; i < count; i++) {
            reactor.undelivered(-1);
            done.poll().complete();
        }
        return count;
    }

    private void finished(Request request, IoStatus status) {
        request.outcome(status);
        done.add(request);
        reactor.undelivered(1);
    }

    /** The request has nothing left to do but to become stable. */
    private void sync(Request request) {
        syncNext.add(request);
        if (!sync.inFlight) {
            startSync();
        }
    }

    private void startSync() {
        if (file.looksCutShort(reactor.capture())) {
            finishAll(syncNext, IoStatus.OFFLINE);
            return;
        }
        if (file.hasFlushFailed()) {
            finishAll(syncNext, IoStatus.IO_ERROR);
            return;
        }
        while (!syncNext.isEmpty()) {
            syncNow.add(syncNext.poll());
        }
        if (!syncNow.isEmpty()) {
            reactor.start(sync);
        }
    }

    private void finishAll(RequestList requests, IoStatus status) {
        while (!requests.isEmpty()) {
            finished(requests.poll(), status);
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        assert freeCount == DEPTH && !sync.inFlight && done.isEmpty()
                : "closed with requests in flight: transfers=" + (DEPTH - freeCount) + ", undelivered=" + done.size();
        closed = true;
        reactor.undelivered(-done.size()); // None, or what is lost would keep the reactor awake for ever.
        for (TransferOp op : free) {
            reactor.retire(op);
        }
        reactor.retire(sync);
        file.closeForChannel(reactor.capture(), fd);
        arena.close();
    }

    /** A read, write, discard or write of zeroes, and what is left of it. */
    private final class TransferOp extends RingOp {
        private final IoVector pieces = new IoVector(arena, FileOpening.SEGMENTS_MAX);
        private Request request;
        private long at;
        private LinuxFile.ZeroWay zeroWay;

        TransferOp() {
            super(reactor);
        }

        void begin(Request from) {
            request = from;
            at = from.offset();
            switch (from.op()) {
                case READ, WRITE -> Requests.gather(from, pieces);
                case WRITE_ZEROES -> zeroBy(file.zeroWay());
                case DISCARD, FLUSH -> {}
            }
            reactor.start(this);
        }

        private void zeroBy(LinuxFile.ZeroWay way) {
            zeroWay = way;
            if (way == LinuxFile.ZeroWay.WRITE) {
                nextZeroes();
            }
        }

        private void nextZeroes() {
            pieces.clear();
            if (at < request.end()) {
                pieces.add(Zeroes.address(), Math.min(Zeroes.BYTES, request.end() - at));
            }
        }

        @Override
        void fill(long sqe) {
            switch (request.op()) {
                case READ -> fillTransfer(sqe, SqeLayout.OP_READ, SqeLayout.OP_READV, 0);
                case WRITE -> {
                    int flags = isStableByItself() ? FileCalls.RWF_DSYNC : 0;
                    fillTransfer(sqe, SqeLayout.OP_WRITE, SqeLayout.OP_WRITEV, flags);
                }
                case DISCARD -> fillFallocate(sqe, LinuxFile.ZeroWay.PUNCH_HOLE);
                case WRITE_ZEROES -> {
                    if (zeroWay == LinuxFile.ZeroWay.WRITE) {
                        fillTransfer(sqe, SqeLayout.OP_WRITE, SqeLayout.OP_WRITEV, 0);
                    } else {
                        fillFallocate(sqe, zeroWay);
                    }
                }
                case FLUSH -> throw new AssertionError("a flush is not a transfer: " + request);
            }
        }

        private void fillTransfer(long sqe, int single, int vectored, int flags) {
            if (pieces.count() == 1) {
                SqeLayout.fill(sqe, single, fd, at, pieces.firstAddress(), (int) pieces.firstLength(), flags, id);
            } else {
                SqeLayout.fill(sqe, vectored, fd, at, pieces.address(), pieces.count(), flags, id);
            }
        }

        private void fillFallocate(long sqe, LinuxFile.ZeroWay way) {
            // This operation has its length in the place of the address, and its mode in that of the length.
            int mode = LinuxFile.fallocateMode(way);
            SqeLayout.fill(sqe, SqeLayout.OP_FALLOCATE, fd, request.offset(), request.length(), mode, 0, id);
        }

        /** A FUA write that the kernel makes stable, without a sync of ours. */
        private boolean isStableByItself() {
            return request.op() == Op.WRITE && request.fua() && file.isDirect();
        }

        @Override
        void answered() {
            if (LinuxFile.isToBeRepeated(result)) {
                reactor.start(this);
                return;
            }
            switch (request.op()) {
                case READ, WRITE -> transferred();
                case WRITE_ZEROES -> zeroed();
                case DISCARD, FLUSH -> end(Errno.status(-result));
            }
        }

        private void transferred() {
            if (result > 0) {
                pieces.advance(result);
                at += result;
            }
            if (result > 0 && pieces.count() > 0) {
                reactor.start(this);
            } else {
                end(file.statusOf(result));
            }
        }

        private void zeroed() {
            boolean byWriting = zeroWay == LinuxFile.ZeroWay.WRITE;
            IoStatus status = byWriting ? file.statusOf(result) : Errno.status(-result);
            if (!byWriting && status == IoStatus.NOT_SUPPORTED) {
                zeroBy(file.zeroWayAfter(zeroWay));
                reactor.start(this);
                return;
            }
            if (byWriting && status == IoStatus.OK) {
                pieces.advance(result);
                at += result;
                if (pieces.count() == 0) {
                    nextZeroes();
                }
                if (pieces.count() > 0) {
                    reactor.start(this);
                    return;
                }
            }
            end(status);
        }

        private void end(IoStatus status) {
            Request ended = request;
            boolean wasStable = isStableByItself();
            request = null;
            free[freeCount++] = this;
            if (wasStable && status != IoStatus.OK && status != IoStatus.NO_SPACE) {
                // Its write or its sync: the kernel does not say. Room is asked for by the write, past the page cache,
                // so what was written before is not in doubt where there is none.
                file.flushFailed();
            }
            if (status == IoStatus.OK && ended.fua() && !wasStable) {
                sync(ended);
            } else {
                finished(ended, status);
            }
        }
    }

    /** The sync that is in flight, or the next. */
    private final class SyncOp extends RingOp {
        SyncOp() {
            super(reactor);
        }

        @Override
        void fill(long sqe) {
            SqeLayout.fill(sqe, SqeLayout.OP_FSYNC, fd, 0, 0, 0, SqeLayout.FSYNC_DATASYNC, id);
        }

        @Override
        void answered() {
            if (LinuxFile.isToBeRepeated(result)) {
                reactor.start(this);
                return;
            }
            if (result < 0) {
                file.flushFailed();
            }
            IoStatus status = result < 0 ? Errno.status(-result) : IoStatus.OK;
            finishAll(syncNow, status == IoStatus.OK && file.hasFlushFailed() ? IoStatus.IO_ERROR : status);
            startSync();
        }
    }
}
