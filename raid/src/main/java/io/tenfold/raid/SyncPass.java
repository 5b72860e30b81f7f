package io.tenfold.raid;

import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One pass over an array while it is used: compares all copies, or fills a member, in windows that keep writes out of what is
 * worked on. Several windows are in hand at a time, each a {@link SyncWindow}.
 *
 * <p>A pass that compares goes by the array's addresses, one that fills by those of the member's data: {@link #doneBytes} is
 * where, in that order, everything before is done. What is done is not stable before the members are flushed.
 *
 * <p>Threads: the conductor's, who calls {@link #work}. It never blocks, and writes no superblock.
 */
final class SyncPass implements AutoCloseable {
    private static final int WINDOWS = 4;

    private final RaidDevice device;
    private final Shard shard;
    private final SyncKind kind;
    private final Member target;
    private final SyncSpeed speed;
    private final Arena arena = Arena.ofShared();
    private final Channel[] channels;
    private final SyncWindow[] windows = new SyncWindow[WINDOWS];
    private final Map<Member, MemberFailure> unwritten = new LinkedHashMap<>();
    private final List<String> causes = new ArrayList<>();
    private final PieceCursor cursor = new PieceCursor();
    private final Geometry geometry;
    private final int windowBytes;
    private final long from;
    private final long total;

    /** Where the next range begins; comparing: the span that the cursor cuts, and where the next one begins. */
    private long next;

    private long span;
    private long rewrittenBytes;
    private long mismatchedBytes;
    private long unreadableBytes;
    private boolean cancelled;

    /** Where the first range begins that was begun and not finished. */
    private long abandoned = Long.MAX_VALUE;

    /**
     * A pass. Nothing happens before {@link #work}.
     *
     * @param target the member to fill, or null
     * @param from where to begin, in the pass's order
     */
    SyncPass(RaidDevice device, Shard shard, SyncKind kind, Member target, long from, SyncSpeed speed) {
        this.device = device;
        this.shard = shard;
        this.kind = kind;
        this.target = target;
        this.speed = speed;
        geometry = device.plan().geometry();
        int block = device.limits().blockBytes();
        total = kind.fills() ? geometry.startOf(geometry.chunkOf(geometry.memberBytes())) : geometry.arrayBytes();
        long start = Math.min(from, total);
        this.from = kind.fills() ? start / block * block : geometry.startOf(geometry.chunkOf(start));
        next = this.from;
        span = this.from;
        Member[] members = device.members();
        channels = new Channel[members.length];
        int alignment = 8;
        for (Member member : device.roster().members()) {
            if (member.role() != Member.NO_ROLE) {
                DeviceLimits limits = member.device().limits();
                channels[member.index()] = member.device().open(shard);
                alignment = Math.max(alignment, limits.memoryAlignment());
            }
        }
        windowBytes = Math.min(SyncSpeed.IDLE_WINDOW_BYTES / block * block, device.pieceBytesMax());
        for (int i = 0; i < WINDOWS; i++) {
            windows[i] =
                    new SyncWindow(device, this, new BarrierWindow(shard), channels, arena, windowBytes, alignment);
        }
    }

    SyncKind kind() {
        return kind;
    }

    /** The member to fill, as it was when the pass began, or null. */
    Member target() {
        return target;
    }

    /**
     * Moves on.
     *
     * @param busy users are about
     * @return how much happened
     */
    int work(boolean busy) {
        int moved = 0;
        for (Channel channel : channels) {
            if (channel != null) {
                moved += channel.poll(Integer.MAX_VALUE);
            }
        }
        for (SyncWindow window : windows) {
            moved += window.work();
            while (window.isFree() && start(window, busy)) { // It may be free again at once: nothing to do there.
                moved++;
            }
        }
        for (Channel channel : channels) {
            if (channel != null) {
                channel.commit();
            }
        }
        return moved;
    }

    private boolean start(SyncWindow window, boolean busy) {
        long now = shard.clock().nanos();
        if (cancelled || speed.waitNanos(now, busy) > 0) {
            return false;
        }
        long bytesMax = busy ? Math.min(windowBytes, busyWindowBytes()) : windowBytes;
        if (!(kind.fills() ? placeByMember(window.piece(), bytesMax) : placeByArray(window.piece(), bytesMax))) {
            return false;
        }
        speed.started(now, busy, window.piece().length());
        window.start(kind.fills() ? next - window.piece().length() : span);
        return true;
    }

    private int busyWindowBytes() {
        int block = device.limits().blockBytes();
        return Math.max(block, SyncSpeed.BUSY_WINDOW_BYTES / block * block);
    }

    private boolean placeByArray(Piece piece, long bytesMax) {
        if (!cursor.hasNext()) {
            if (next == total) {
                return false;
            }
            // As much as one window takes on each of the members that lie side by side.
            long chunks = Math.max(1, geometry.runStep()) * Math.max(1, windowBytes / geometry.chunkBytes());
            span = next;
            next = Math.min(total, next + chunks * geometry.chunkBytes());
            cursor.start(geometry, span, next);
        }
        piece.begin(null, false);
        cursor.next(piece, bytesMax, Integer.MAX_VALUE);
        return true;
    }

    private boolean placeByMember(Piece piece, long bytesMax) {
        int role = target.role();
        long chunk;
        while ((chunk = next == total ? 0 : geometry.arrayChunk(role, geometry.chunkOf(next))) == Geometry.UNUSED) {
            next = geometry.startOf(geometry.chunkOf(next) + 1);
        }
        if (next == total) {
            return false;
        }
        long step = geometry.runStep();
        long within = geometry.withinChunk(next);
        long room = geometry.chunkBytes() - within;
        long last = chunk;
        while (step != 0
                && room + geometry.chunkBytes() <= bytesMax
                && geometry.arrayChunk(role, geometry.chunkOf(next + room)) == last + step) {
            last += step;
            room += geometry.chunkBytes();
        }
        piece.begin(null, false);
        piece.place(geometry, step, geometry.startOf(chunk) + within, Math.min(room, bytesMax));
        next += piece.length();
        return true;
    }

    /** How long there is nothing to do unless somebody wakes the shard. */
    long parkNanos(boolean busy) {
        boolean anyFree = false;
        for (SyncWindow window : windows) {
            anyFree |= window.isFree();
        }
        return !anyFree || cancelled || isAllBegun()
                ? Long.MAX_VALUE
                : Math.max(1, speed.waitNanos(shard.clock().nanos(), busy));
    }

    private boolean isAllBegun() {
        return next == total && (kind.fills() || !cursor.hasNext());
    }

    /** No window starts any more; those in hand end soon. What was not worked on does not count as done. */
    void cancel() {
        cancelled = true;
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Whether no window is in hand. */
    boolean isQuiet() {
        for (SyncWindow window : windows) {
            if (!window.isFree()) {
                return false;
            }
        }
        return true;
    }

    /** Whether all is done. */
    boolean isComplete() {
        return !cancelled && isAllBegun() && isQuiet();
    }

    /** Where, in the pass's order, everything before is done, though it need not be stable. */
    long doneBytes() {
        long done = Math.min(abandoned, !kind.fills() && cursor.hasNext() ? span : next);
        for (SyncWindow window : windows) {
            if (!window.isFree()) {
                done = Math.min(done, window.position());
            }
        }
        return done;
    }

    long totalBytes() {
        return total;
    }

    SyncProgress progress(long done) {
        return new SyncProgress(
                kind,
                target == null ? -1 : target.role(),
                target == null ? "" : target.toString(),
                from,
                done,
                total,
                rewrittenBytes,
                mismatchedBytes,
                unreadableBytes);
    }

    /** A window: a range was begun, and is not done. */
    void abandoned(long position) {
        abandoned = Math.min(abandoned, position);
    }

    /** A window: so much of a copy was, or is being, written. */
    void rewritten(long bytes) {
        rewrittenBytes += bytes;
    }

    /** A window: so much of a copy differs. */
    void mismatched(long bytes) {
        mismatchedBytes += bytes;
    }

    /** A window: no copy gave so much of the array. */
    void unreadable(long bytes) {
        unreadableBytes += bytes;
    }

    /** A window: this cannot be done. */
    void giveUp(String cause) {
        causes.add(cause);
        cancelled = true;
    }

    /** A window: a copy could not be written. */
    void unwritten(MemberFailure failure) {
        unwritten.putIfAbsent(failure.member(), failure);
        if (kind.fills()) {
            cancelled = true;
        }
    }

    /** Members on which a copy could not be written. */
    Iterable<Member> unwritten() {
        return unwritten.keySet();
    }

    /** What went wrong, one a line. */
    List<String> causes() {
        List<String> all = new ArrayList<>(causes);
        unwritten
                .values()
                .forEach(failure -> all.add("copy could not be written: " + failure.member() + ": " + failure));
        return all;
    }

    /** Ends its channels. Only when {@link #isQuiet}. */
    @Override
    public void close() {
        for (Channel channel : channels) {
            if (channel != null) {
                channel.close();
            }
        }
        arena.close();
    }
}
