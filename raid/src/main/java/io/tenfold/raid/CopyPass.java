package io.tenfold.raid;

import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import java.lang.foreign.Arena;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the copies of an array agree that was not stopped in order: reads all copies of every range, takes the first good
 * one, and rewrites those that differ; then the conductor marks the array clean. Runs before anybody else uses the array.
 * It may be broken off at any moment: the array stays marked dirty, and the next pass starts over.
 *
 * <p>Where a copy cannot be read another counts, block by block, and the unreadable one is rewritten. A block that no copy
 * gives is left as it is, and counted.
 *
 * <p>Threads: the conductor's owner, who calls {@link #work} and {@link Conductor#work} in turn.
 */
public final class CopyPass implements AutoCloseable {
    private static final int WINDOWS = 4;
    private static final int WINDOW_BYTES_MAX = 1 << 20;

    /** The pass goes over the array in spans of this, all members of a span being busy at a time. */
    private static final long SPAN_BYTES = 64L << 20;

    private final RaidDevice device;
    private final Conductor conductor;
    private final Arena arena = Arena.ofShared();
    private final Channel[] channels;
    private final CopyWindow[] windows = new CopyWindow[WINDOWS];
    private final Map<Member, MemberFailure> unwritten = new LinkedHashMap<>();
    private final PieceCursor cursor = new PieceCursor();
    private final long from;
    private final long total;

    private long nextSpan;
    private long doneBytes;
    private long rewrittenBytes;
    private long unreadableBytes;
    private boolean ended;

    /**
     * A pass over what is not known to agree. Nothing happens before {@link #work}.
     *
     * @throws IllegalArgumentException if the array takes no writes
     */
    public CopyPass(RaidDevice device, Conductor conductor) {
        if (device.limits().readOnly()) {
            throw new IllegalArgumentException(
                    "copies cannot be compared and rewritten read-only: array=" + device.name());
        }
        this.device = device;
        this.conductor = conductor;
        Geometry geometry = device.plan().geometry();
        total = geometry.arrayBytes();
        from = geometry.startOf(geometry.chunkOf(Math.min(device.plan().checkpointBytes(), total)));
        nextSpan = from;
        Member[] members = device.members();
        channels = new Channel[members.length];
        int alignment = 8;
        for (Member member : members) {
            if (member.role() != Member.NO_ROLE) {
                DeviceLimits limits = member.device().limits();
                channels[member.index()] = member.device().open(conductor.shard());
                alignment = Math.max(alignment, limits.memoryAlignment());
            }
        }
        int block = device.limits().blockBytes();
        int windowBytes = Math.min(WINDOW_BYTES_MAX / block * block, device.pieceBytesMax());
        for (int i = 0; i < WINDOWS; i++) {
            windows[i] = new CopyWindow(device, channels, unwritten, arena, windowBytes, alignment);
        }
    }

    /**
     * Moves on.
     *
     * @return how much happened; 0: the owner may park without limit, as members' answers wake the shard
     */
    public int work() {
        int moved = 0;
        for (Channel channel : channels) {
            if (channel != null) {
                moved += channel.poll(Integer.MAX_VALUE);
            }
        }
        boolean idle = true;
        for (CopyWindow window : windows) {
            moved += window.work();
            if (window.isFree()) {
                collect(window);
                if (start(window)) {
                    moved++;
                    idle = false; // Even if it is free again, as where there is but one copy: more may follow.
                }
            } else {
                idle = false;
            }
        }
        for (Channel channel : channels) {
            if (channel != null) {
                channel.commit();
            }
        }
        if (idle && !ended && device.reports().handled() == device.reports().drawn()) {
            ended = true;
            moved++;
            if (unwritten.keySet().stream().anyMatch(device.roster()::contains)) {
                device.copiesMayDiffer(); // It is needed, so it stays, with a copy that differs.
            }
            if (hasSucceeded()) {
                conductor.copiesAgree();
            }
        }
        return moved;
    }

    private void collect(CopyWindow window) {
        doneBytes += window.takeDoneBytes();
        rewrittenBytes += window.takeRewrittenBytes();
        unreadableBytes += window.takeUnreadableBytes();
    }

    private boolean start(CopyWindow window) {
        if (device.refusal() != null) {
            return false;
        }
        if (!cursor.hasNext()) {
            if (nextSpan == total) {
                return false;
            }
            long end = Math.min(total, nextSpan + SPAN_BYTES);
            cursor.start(device.plan().geometry(), nextSpan, end);
            nextSpan = end;
        }
        window.start(cursor);
        return true;
    }

    /** Whether the pass is over, one way or the other, and the conductor has done what follows. */
    public boolean isDone() {
        return ended && (!hasSucceeded() || conductor.isServing());
    }

    /** Whether all went well so far: no member that is needed failed. */
    public boolean hasSucceeded() {
        return device.refusal() == null && !device.doCopiesDiffer();
    }

    /** For each member on which a copy could not be rewritten: what failed there first, with the values. */
    public List<String> unwritten() {
        return unwritten.values().stream()
                .map(failure -> failure.member() + ": " + failure)
                .toList();
    }

    /** Array bytes compared so far. */
    public long doneBytes() {
        return doneBytes;
    }

    /** Array bytes to compare. */
    public long totalBytes() {
        return total - from;
    }

    /** Bytes of copies that were rewritten, because they differed or could not be read. */
    public long rewrittenBytes() {
        return rewrittenBytes;
    }

    /** Array bytes that no copy gave. */
    public long unreadableBytes() {
        return unreadableBytes;
    }

    /** Ends its channels. Only when {@link #isDone}. */
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
