package io.tenfold.linux;

import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.block.RequestList;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A channel that does each request when it is submitted, by pread(2), pwrite(2), fdatasync(2) and fallocate(2): for a
 * thread without a ring, and for files in memory, which never wait.
 */
final class PreadChannel implements Channel {
    private final LinuxFile file;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment capture = NativeCalls.newCapture(arena);
    private final IoVector pieces = new IoVector(arena, FileOpening.SEGMENTS_MAX);
    private final RequestList done = new RequestList();
    private final int fd;
    private boolean lookedInBatch;
    private boolean closed;

    PreadChannel(LinuxFile file) {
        this.file = file;
        fd = file.openForChannel(capture);
    }

    @Override
    public boolean submit(Request request) {
        Requests.check(file, request);
        request.started();
        request.outcome(execute(request));
        done.add(request);
        return true;
    }

    private IoStatus execute(Request request) {
        if (request.op() != Op.READ && isCutShort()) {
            return IoStatus.OFFLINE;
        }
        IoStatus status = switch (request.op()) {
            case READ, WRITE -> transfer(request);
            case WRITE_ZEROES -> zero(request);
            case DISCARD -> fallocate(LinuxFile.fallocateMode(LinuxFile.ZeroWay.PUNCH_HOLE), request);
            case FLUSH -> flush();
        };
        return status == IoStatus.OK && request.fua() ? flush() : status;
    }

    private boolean isCutShort() {
        if (lookedInBatch) {
            return file.isCutShort();
        }
        lookedInBatch = true;
        return file.looksCutShort(capture);
    }

    private IoStatus transfer(Request request) {
        Requests.gather(request, pieces);
        return transferPieces(request.op().changes(), request.offset());
    }

    private IoStatus transferPieces(boolean write, long offset) {
        long at = offset;
        while (pieces.count() > 0) {
            long answer = transferOnce(write, at);
            if (answer > 0) {
                at += answer;
                pieces.advance(answer);
            } else if (!LinuxFile.isToBeRepeated(answer)) {
                return file.statusOf(answer);
            }
        }
        return IoStatus.OK;
    }

    private long transferOnce(boolean write, long at) {
        if (pieces.count() == 1) {
            return write
                    ? FileCalls.pwrite(capture, fd, pieces.firstAddress(), pieces.firstLength(), at)
                    : FileCalls.pread(capture, fd, pieces.firstAddress(), pieces.firstLength(), at);
        }
        return write
                ? FileCalls.pwritev(capture, fd, pieces.address(), pieces.count(), at)
                : FileCalls.preadv(capture, fd, pieces.address(), pieces.count(), at);
    }

    private IoStatus zero(Request request) {
        LinuxFile.ZeroWay way = file.zeroWay();
        while (way != LinuxFile.ZeroWay.WRITE) {
            IoStatus status = fallocate(LinuxFile.fallocateMode(way), request);
            if (status != IoStatus.NOT_SUPPORTED) {
                return status;
            }
            way = file.zeroWayAfter(way);
        }
        IoStatus status = IoStatus.OK;
        for (long at = request.offset(); at < request.end() && status == IoStatus.OK; at += Zeroes.BYTES) {
            pieces.clear();
            pieces.add(Zeroes.address(), Math.min(Zeroes.BYTES, request.end() - at));
            status = transferPieces(true, at);
        }
        return status;
    }

    private IoStatus fallocate(int mode, Request request) {
        int answer;
        do {
            answer = FileCalls.fallocate(capture, fd, mode, request.offset(), request.length());
        } while (LinuxFile.isToBeRepeated(answer));
        return Errno.status(-answer);
    }

    private IoStatus flush() {
        if (file.looksCutShort(capture)) { // Again: with FUA it was written meanwhile.
            return IoStatus.OFFLINE;
        }
        if (file.hasFlushFailed()) {
            return IoStatus.IO_ERROR;
        }
        int answer;
        do {
            answer = FileCalls.fdatasync(capture, fd);
        } while (LinuxFile.isToBeRepeated(answer));
        if (answer < 0) {
            file.flushFailed();
        }
        return Errno.status(-answer);
    }

    @Override
    public void commit() {
        lookedInBatch = false; // Nothing waits: submit does the work.
    }

    @Override
    public int poll(int max) {
        // Only what is done now: a completion that submits again must not keep its caller here for ever.
        int count = Math.min(max, done.size());
        for (int i = 0; i < count; i++) {
            done.poll().complete();
        }
        return count;
    }

    @Override
    public void close() {
        if (!closed) {
            assert done.isEmpty() : "closed with undelivered completions: " + done.size();
            closed = true;
            file.closeForChannel(capture, fd);
            arena.close();
        }
    }
}
