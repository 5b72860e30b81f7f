package io.tenfold.raid;

import io.tenfold.base.Clock;
import io.tenfold.block.Request;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Chooses the copy that answers a read, for one channel. Only among those that hold the range; write-mostly members only if
 * nobody else does; and where copies may differ nobody chooses: the first good one answers.
 *
 * <p>If one of the members is flash: the fewest reads outstanding, each weighted by how long this member has taken lately in
 * relation to the quickest. Equals take turns. A member that was not asked for long is asked once, to see how it does now.
 *
 * <p>If all are disks: in far and offset layouts the lowest address, where tracks are longest and copies of all chunks lie side
 * by side over all members. Else whoever is to read right before this range reads on; or a disk that is idle; or the one with
 * the least to do, in which a seek over the whole disk counts as 24 reads. Among idle ones the nearest head.
 *
 * <p>A channel knows what it has outstanding itself and how long answers take, in which the load of all other channels shows:
 * no counter is shared. {@link HeadPositions} alone is, of disks alone.
 *
 * <p>Threads: the channel's; {@link #reads} any. Allocates nothing after it was made.
 */
final class ReadBalance {
    /** No choice: the copies are to be asked in order. */
    static final int NONE = -1;

    /** Time is taken of every so many reads, and of each that finds a member idle. */
    private static final int SAMPLED_ONE_IN = 8;

    /** An answer counts for 1/16 of the mean, and for no more than twice the mean, or one slow answer would banish a member. */
    private static final int MEAN_SHIFT = 4;

    /** Who was not timed for 128 times his own time is asked once: so the slow cost a 128th of a channel's time at most. */
    private static final int STALE_SHIFT = 7;

    /** Times are compared among reads of like length: up to 8 KiB, 32, 128, 512, above. */
    private static final int SIZES = 5;

    /** Streams that are remembered of each disk. */
    private static final int STREAMS = 8;

    /** A disk sorts what it has been sent, so a read more costs it little, and a seek across its other work much. */
    private static final double FULL_SEEK_READS = 24;

    private static final VarHandle READS = MethodHandles.arrayElementVarHandle(long[].class);

    /** 128 bytes: the pair of lines that an adjacent-line prefetcher brings in. */
    private static final int PADDING = 16;

    private final RaidDevice device;
    private final ReadRule rule;
    private final Clock clock;
    private final boolean far;

    /** By member. Reads are written by this channel and shown to anybody: opaque, in lines of their own. */
    private final long[] reads;

    private final int[] outstanding;
    private final long[] pickedAt;
    private long picks;

    /** By member and length: the mean in nanoseconds, 0 for unknown, and when a read was timed last. */
    private final long[] meanNanos;

    private final long[] timedNanos;

    /** By member: it is being asked after long, so that its answer counts for half if it was quick. */
    private final boolean[] probed;

    /** By member, {@link #STREAMS} each: where streams will go on, in bytes of the device; the oldest is replaced. */
    private final long[] streams;

    private final int[] nextStream;

    /** Whom the read at hand could be asked of. */
    private final int[] candidates;

    private final Member[] members;
    private final long[] addresses;
    private int count;

    private long nowNanos;
    private boolean timed;

    ReadBalance(RaidDevice device, Clock clock) {
        this.device = device;
        this.clock = clock;
        rule = device.readRule();
        Geometry geometry = device.plan().geometry();
        far = geometry.layout().far() > 1;
        int all = device.members().length;
        reads = new long[all + 2 * PADDING];
        outstanding = new int[all];
        pickedAt = new long[all];
        meanNanos = new long[all * SIZES];
        timedNanos = new long[all * SIZES];
        probed = new boolean[all];
        streams = new long[all * STREAMS];
        Arrays.fill(streams, NONE);
        nextStream = new int[all];
        candidates = new int[2 * geometry.copies()];
        members = new Member[candidates.length];
        addresses = new long[candidates.length];
    }

    /** Which candidate of a piece, as {@link RaidChannel} counts them, is to be asked; or {@link #NONE}. */
    int choose(Piece piece, Roster roster) {
        timed = false;
        if (rule == ReadRule.FIRST_COPY
                || !device.doCopiesAgreeBelow(piece.operation().request().end())) {
            return NONE;
        }
        collect(piece, roster);
        if (count < 2) {
            return count == 0 ? NONE : candidates[0];
        }
        boolean flash = false;
        int leastOutstanding = Integer.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            flash |= !members[i].isRotational();
            leastOutstanding = Math.min(leastOutstanding, outstanding[members[i].index()]);
        }
        if (rule == ReadRule.NEAREST_HEAD) {
            return candidates[nearestHead()];
        }
        if (!flash) {
            return candidates[far ? lowest() : soonestUnderTheHead()];
        }
        timed = leastOutstanding == 0 || picks % SAMPLED_ONE_IN == 0;
        nowNanos = timed ? clock.nanos() : 0;
        return candidates[quickest(sizeOf(piece.windowLength()))];
    }

    /** Puts together whom a piece's window can be asked of: the write-mostly ones only if they are all there is. */
    private void collect(Piece piece, Roster roster) {
        count = 0;
        boolean writeMostly = true;
        for (int copy = 0; copy < piece.copies(); copy++) {
            long place = piece.locate(copy);
            long address = piece.address(place, piece.windowStart());
            for (int kind = 0; kind < 2; kind++) {
                int role = Geometry.role(place);
                Member member = kind == 0 ? roster.active(role) : roster.replacement(role);
                if (member == null
                        || (member.isWriteMostly() && !writeMostly)
                        || !member.holds(address, piece.windowLength(), piece.isReshaped())) {
                    continue;
                }
                if (writeMostly && !member.isWriteMostly()) {
                    writeMostly = false;
                    count = 0;
                }
                candidates[count] = 2 * copy + kind;
                members[count] = member;
                addresses[count] = member.deviceAddress(address, piece.isReshaped());
                count++;
            }
        }
    }

    private int quickest(int size) {
        long fastest = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            int cell = members[i].index() * SIZES + size;
            long mean = meanNanos[cell];
            if (mean != 0) {
                fastest = Math.min(fastest, mean);
                if (timed && nowNanos - timedNanos[cell] > mean << STALE_SHIFT) {
                    probed[members[i].index()] = true;
                    return i;
                }
            }
        }
        int best = 0;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            int member = members[i].index();
            // In halves, and less than one and a half is one: what differs by chance is not different.
            long mean = Math.max(fastest, meanNanos[member * SIZES + size]);
            long halves = fastest == Long.MAX_VALUE ? 2 : 2 * mean / fastest;
            long cost = (outstanding[member] + 1) * (halves < 3 ? 2 : halves);
            if (cost < least || (cost == least && pickedAt[member] < pickedAt[members[best].index()])) {
                least = cost;
                best = i;
            }
        }
        return best;
    }

    private int lowest() {
        int best = 0;
        for (int i = 1; i < count; i++) {
            if (addresses[i] < addresses[best]) {
                best = i;
            }
        }
        return best;
    }

    private int soonestUnderTheHead() {
        int best = 0;
        double least = Double.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            if (streamAt(members[i].index(), addresses[i]) != NONE) {
                return i;
            }
            int member = members[i].index();
            double distance = Math.abs(addresses[i] - device.heads().get(member));
            double seek =
                    FULL_SEEK_READS * Math.sqrt(distance / members[i].device().sizeBytes());
            double cost = outstanding[member] == 0 ? seek - FULL_SEEK_READS : seek + outstanding[member];
            if (cost < least) {
                least = cost;
                best = i;
            }
        }
        return best;
    }

    private int nearestHead() {
        int best = 0;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            int member = members[i].index();
            if (!far && device.heads().pending(member) == 0) {
                return i;
            }
            long distance =
                    far ? addresses[i] : Math.abs(addresses[i] - device.heads().get(member));
            if (distance < least) {
                least = distance;
                best = i;
            }
        }
        return best;
    }

    private int streamAt(int member, long address) {
        for (int at = member * STREAMS; at < (member + 1) * STREAMS; at++) {
            if (streams[at] == address) {
                return at;
            }
        }
        return NONE;
    }

    /** A member is asked for a piece's window now, whoever chose it. */
    void asked(Piece piece, Member member, long deviceAddress) {
        int index = member.index();
        READS.setOpaque(reads, PADDING + index, (long) READS.get(reads, PADDING + index) + 1);
        outstanding[index]++;
        if (rule == ReadRule.NEAREST_HEAD) {
            device.heads().addPending(index, 1);
        }
        pickedAt[index] = ++picks;
        piece.timedFrom(timed ? nowNanos : Piece.NOT_TIMED);
        if (timed) {
            timedNanos[index * SIZES + sizeOf(piece.windowLength())] = nowNanos;
            timed = false;
        }
        if (member.isRotational() || rule == ReadRule.NEAREST_HEAD) {
            long end = deviceAddress + piece.windowLength();
            device.heads().set(index, end);
            int stream = streamAt(index, deviceAddress);
            if (stream == NONE) {
                stream = index * STREAMS + nextStream[index];
                nextStream[index] = (nextStream[index] + 1) % STREAMS;
            }
            streams[stream] = end;
        }
    }

    /** A member has answered a piece's read, well or not. */
    void answered(Piece piece, Member member, Request request) {
        outstanding[member.index()]--;
        if (rule == ReadRule.NEAREST_HEAD) {
            device.heads().addPending(member.index(), -1);
        }
        if (piece.timedFrom() != Piece.NOT_TIMED) {
            int cell = member.index() * SIZES + sizeOf(request.length());
            long nanos = Math.max(1, clock.nanos() - piece.timedFrom());
            long mean = meanNanos[cell];
            if (mean == 0) {
                meanNanos[cell] = nanos;
            } else if (probed[member.index()] && nanos < mean) {
                meanNanos[cell] = (mean + nanos) / 2;
            } else {
                long step = (Math.min(nanos, 2 * mean) - mean) >> MEAN_SHIFT;
                meanNanos[cell] = Math.max(1, mean + step);
            }
            probed[member.index()] = false;
        }
    }

    private static int sizeOf(long bytes) {
        return bytes <= 8 << 10 ? 0 : bytes <= 32 << 10 ? 1 : bytes <= 128 << 10 ? 2 : bytes <= 512 << 10 ? 3 : 4;
    }

    /** How many reads this channel has asked of a member. Any thread. */
    long reads(int member) {
        return (long) READS.getOpaque(reads, PADDING + member);
    }
}
