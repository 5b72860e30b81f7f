package io.tenfold.raid;

import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import io.tenfold.raid.md.Superblock1;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The conductor's way to one member: one request at a time, for a flush, the superblock or the log. Of the conductor's thread. */
final class MemberIo {
    private final Member member;
    private final Channel channel;
    private final int blockBytes;
    private final MemorySegment written;
    private final MemorySegment readBack;
    private final Request request = new Request(_ -> completed());

    /** Submitted: the channel had room. Pending: not answered yet. */
    private boolean submitted;

    private boolean pending;
    private long writtenBytes;

    MemberIo(Member member, Shard shard, Arena arena) {
        this.member = member;
        channel = member.device().open(shard);
        blockBytes = member.device().limits().blockBytes();
        int align = Math.max(8, member.device().limits().memoryAlignment());
        long area = Math.max(Superblock1.AREA, blockBytes);
        written = arena.allocate(area, align);
        readBack = arena.allocate(area, align);
    }

    Member member() {
        return member;
    }

    void flush() {
        start(request.flush());
    }

    /** Writes a superblock, stable when it is answered: no more blocks than it needs, so that as little as can be is torn. */
    void write(Superblock1 superblock) {
        long length = (superblock.lengthBytes() + blockBytes - 1L) / blockBytes * blockBytes;
        write(superblock.placeBytes(), superblock.bytes(), length);
    }

    /** Writes a bad-block log, whole blocks of it, stable when it is answered. */
    void writeLog(long place, byte[] log) {
        write(place, log, log.length);
    }

    private void write(long place, byte[] bytes, long length) {
        writtenBytes = length;
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, written, 0, bytes.length);
        start(request.write(place, written, 0, length, true));
    }

    /** Reads again what was written last. */
    void readBack() {
        start(request.read(request.offset(), readBack, 0, writtenBytes));
    }

    /** Whether what was read back is what was written. */
    boolean isAsWritten() {
        return readBack.asSlice(0, writtenBytes).mismatch(written.asSlice(0, writtenBytes)) == -1;
    }

    private void start(Request filled) {
        pending = true;
        submitted = channel.submit(filled);
        channel.commit();
    }

    private void completed() {
        pending = false;
    }

    /** Whether the last request has not been answered. */
    boolean isPending() {
        return pending;
    }

    /** How the last request ended. */
    IoStatus status() {
        return request.status();
    }

    /** The last request, for messages. */
    MemberFailure failure(IoStatus how) {
        return new MemberFailure(member, request.op(), request.offset(), request.length(), how);
    }

    /** Moves on; how much. */
    int poll() {
        if (!pending) {
            return 0;
        }
        int moved = channel.poll(Integer.MAX_VALUE);
        if (pending && !submitted) {
            submitted = channel.submit(request);
            channel.commit();
            moved += submitted ? 1 : 0;
        }
        return moved;
    }

    void close() {
        channel.close();
    }
}
