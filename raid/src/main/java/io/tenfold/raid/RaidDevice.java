package io.tenfold.raid;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import io.tenfold.raid.md.Superblock1;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * A RAID10 array as one device, over the members that assembling found.
 *
 * <p>Reads come from the copy that is expected to answer first, where copies may differ from the first good one, and from the
 * next where one fails. A write is acknowledged when every member that
 * counts has it, and a member that does not have it is recorded on all others as failed; with FUA, and after a flush, that
 * is stable. Two writes that touch the same blocks do not overtake one another.
 *
 * <p>What is written to superblocks, is written by the {@link Conductor}: someone must call its {@code work()}, or writes
 * wait for ever. Reading needs no conductor.
 *
 * <p>Threads: any; channels belong to their shards.
 *
 * <p>Not final, so that the tests' canaries can leave out what must not be left out.
 */
public class RaidDevice implements BlockDevice {
    private static final int TRANSFER_BYTES_MAX = 32 << 20;
    private static final int OPTIMAL_BYTES_MAX = 1 << 30;
    private static final int SEGMENTS_MAX = 1024;

    /** More are forgotten, until they are met again. */
    private static final int READ_FAILURES_MAX = 256;

    /** Channels belong to shards of a lower index. */
    static final int SHARDS_MAX = 256;

    private final ArrayPlan plan;
    private final Member[] members;
    private final DeviceLimits limits;
    private final int pieceBytesMax;
    private final long zeroedPieceBytesMax;
    private final int pieceSegmentsMax;
    private final WriteGate gate = new WriteGate();
    private final IoBarrier barrier;
    private final WriteRanges ranges = new WriteRanges(this::wakeRangeWaiters);
    private final FailureReports reports;
    private final ArrayBlockingQueue<ReadFailure> readFailures = new ArrayBlockingQueue<>(READ_FAILURES_MAX);
    private final ReadRule readRule;
    private final HeadPositions heads;

    /** Replaced as a whole under this object's lock, read by anybody. */
    private volatile RaidChannel[] channels = {};

    private volatile Stripe[] stripes = {};

    /** What the stripes of closed channels had counted. */
    private final long[] closedCounts = new long[Stripe.COUNTERS];

    private final long[] closedReads;

    /** Written by the conductor alone. */
    private volatile Roster roster;

    private volatile long recordedEpoch;
    private volatile IoStatus refusal;

    private volatile boolean unrecordable;

    private volatile boolean copiesMayDiffer;

    /** Below this address of the array all copies are known to agree. */
    private volatile long copiesAgreeBelow;

    private volatile Shard conductorShard;

    /**
     * Opens an array. Nothing is written yet.
     *
     * @param readOnly take no writes, whatever the plan allows
     * @throws IllegalArgumentException if the array is to be written to and the plan says why it must not be, or a
     *     member's blocks do not fit where its data starts
     */
    public RaidDevice(ArrayPlan plan, boolean readOnly) {
        this(plan, readOnly, ReadRule.BALANCED);
    }

    /**
     * Opens an array that is read by another rule than the usual one.
     *
     * @see #RaidDevice(ArrayPlan, boolean)
     */
    public RaidDevice(ArrayPlan plan, boolean readOnly, ReadRule readRule) {
        this(plan, readOnly, readRule, BarrierDesign.WINDOWED);
    }

    /**
     * Opens an array that is read by another rule than the usual one, and whose writes are kept out of what a resync works
     * on by another design of the barrier.
     *
     * @see #RaidDevice(ArrayPlan, boolean)
     */
    public RaidDevice(ArrayPlan plan, boolean readOnly, ReadRule readRule, BarrierDesign design) {
        if (!readOnly && !plan.isWritable()) {
            throw new IllegalArgumentException(
                    "array must not be written to: array=" + plan.label() + ", because=" + plan.whyReadOnly());
        }
        this.plan = plan;
        barrier = design.create(SHARDS_MAX);
        List<Member> all = new ArrayList<>();
        for (ArrayPlan.Member member : plan.members()) {
            all.add(Member.of(all.size(), member));
        }
        // Pieces are cut at chunks; so that their memory stays aligned, requests keep to the larger of the two.
        int block = all.stream()
                .mapToInt(member -> Member.blockOf(member.device().limits()))
                .max()
                .orElse(512);
        plan.spares()
                .forEach(spare ->
                        all.add(Member.spare(all.size(), spare, plan.geometry().memberBytes(), block)));
        members = all.toArray(Member[]::new);
        roster = Roster.of(members, Math.max(plan.roles(), plan.geometry().members()));
        reports = new FailureReports(members.length);
        // During a reshape copies lie in two geometries, of which the balance knows one.
        this.readRule = plan.reshape().isPresent() ? ReadRule.FIRST_COPY : readRule;
        heads = new HeadPositions(members.length);
        closedReads = new long[members.length];
        copiesAgreeBelow = plan.isClean() ? Long.MAX_VALUE : plan.checkpointBytes();
        refusal = readOnly ? IoStatus.READ_ONLY : null;
        List<DeviceLimits> under = Arrays.stream(members)
                .filter(Member::canServe)
                .map(member -> member.device().limits())
                .toList();
        requireFit(block, readOnly);
        pieceBytesMax =
                under.stream().mapToInt(DeviceLimits::transferBytesMax).min().orElse(block) / block * block;
        zeroedPieceBytesMax =
                under.stream().mapToLong(DeviceLimits::zeroBytesMax).min().orElse(0) / block * block;
        pieceSegmentsMax =
                under.stream().mapToInt(DeviceLimits::segmentsMax).min().orElse(1);
        long zeroBytesMax = zeroedPieceBytesMax == 0 ? 0 : WriteRanges.LENGTH_MAX;
        Geometry geometry = plan.geometry();
        DeviceLimits whole = new DeviceLimits(
                block,
                under.stream().mapToInt(DeviceLimits::memoryAlignment).max().orElse(1),
                TRANSFER_BYTES_MAX,
                Math.clamp(pieceSegmentsMax / 2, 1, SEGMENTS_MAX),
                zeroBytesMax,
                zeroBytesMax,
                (int) Math.min(
                        geometry.chunkBytes()
                                * Math.max(
                                        1,
                                        geometry.members() / geometry.layout().near()),
                        OPTIMAL_BYTES_MAX),
                under.stream().anyMatch(DeviceLimits::rotational),
                false);
        limits = readOnly ? whole.asReadOnly() : whole;
    }

    private void requireFit(int block, boolean readOnly) {
        for (Member member : members) {
            long start = member.deviceAddress(0, false) | member.deviceAddress(0, true);
            if (member.canServe() && start % block != 0) {
                throw new IllegalArgumentException("data starts within a block of the device: member=" + member
                        + ", dataOffsetBytes=" + member.deviceAddress(0, false) + ", blockBytes=" + block);
            }
            if (!readOnly && !(member.superblock().raw() instanceof Superblock1)) {
                throw new IllegalArgumentException("superblocks of this version are read only: member=" + member
                        + ", version=" + member.superblock().version());
            }
        }
        if (!readOnly && block > Superblock1.AREA) {
            throw new IllegalArgumentException("members' blocks are larger than a superblock, so that writing one would"
                    + " overwrite what lies behind it: blockBytes=" + block);
        }
        if (plan.geometry().chunkBytes() % block != 0) {
            throw new IllegalArgumentException("chunk is smaller than a member's block: chunkBytes="
                    + plan.geometry().chunkBytes() + ", blockBytes=" + block);
        }
    }

    @Override
    public String name() {
        return plan.label();
    }

    @Override
    public long sizeBytes() {
        return plan.sizeBytes() / limits.blockBytes() * limits.blockBytes();
    }

    @Override
    public DeviceLimits limits() {
        return limits;
    }

    /**
     * Opens a channel.
     *
     * @throws IllegalArgumentException if the shard's index is 256 or more
     */
    @Override
    public Channel open(Shard shard) {
        if (shard.index() >= SHARDS_MAX) {
            throw new IllegalArgumentException(
                    "shard's index is too large: index=" + shard.index() + ", below=" + SHARDS_MAX);
        }
        RaidChannel channel = new RaidChannel(this, shard);
        synchronized (this) {
            setChannels(channels.length + 1, null, channel);
        }
        return channel;
    }

    void closed(RaidChannel channel) {
        synchronized (this) {
            for (int i = 0; i < closedCounts.length; i++) {
                closedCounts[i] += channel.stripe().counted(i);
            }
            for (int i = 0; i < closedReads.length; i++) {
                closedReads[i] += channel.balance().reads(i);
            }
            setChannels(channels.length - 1, channel, null);
        }
    }

    private void setChannels(int count, RaidChannel without, RaidChannel with) {
        RaidChannel[] next = new RaidChannel[count];
        int at = 0;
        for (RaidChannel channel : channels) {
            if (channel != without) {
                next[at++] = channel;
            }
        }
        if (with != null) {
            next[at] = with;
        }
        Stripe[] nextStripes = new Stripe[count];
        Arrays.setAll(nextStripes, i -> next[i].stripe());
        stripes = nextStripes;
        channels = next;
    }

    /** Closes the members. Does not mark the array clean: that is {@link Conductor#stop}. */
    @Override
    public void close() {
        for (Member member : members) {
            member.device().close();
        }
    }

    /** What was assembled. */
    public ArrayPlan plan() {
        return plan;
    }

    Member[] members() {
        return members;
    }

    Roster roster() {
        return roster;
    }

    /** What keeps its bad-block logs, for its conductor. */
    BadBlockKeeper badBlockKeeper() {
        return new BadBlockKeeper(members);
    }

    WriteGate gate() {
        return gate;
    }

    IoBarrier barrier() {
        return barrier;
    }

    WriteRanges ranges() {
        return ranges;
    }

    FailureReports reports() {
        return reports;
    }

    Stripe[] stripes() {
        return stripes;
    }

    int pieceBytesMax() {
        return pieceBytesMax;
    }

    long zeroedPieceBytesMax() {
        return zeroedPieceBytesMax;
    }

    int pieceSegmentsMax() {
        return pieceSegmentsMax;
    }

    /** Gives an operation's cursor the next part that lies in one geometry. */
    void nextSpan(Operation operation) {
        long from = operation.nextSpan();
        long end = operation.request().end();
        ArrayPlan.Reshape reshape = plan.reshape().orElse(null);
        if (reshape == null) {
            operation.span(plan.geometry(), end, false);
        } else {
            boolean reshaped = reshape.isReshaped(from);
            long position = reshape.positionBytes();
            operation.span(
                    reshaped ? reshape.geometry() : plan.geometry(),
                    from < position ? Math.min(end, position) : end,
                    reshaped);
        }
    }

    /** How a write is to fail at once, or null. */
    IoStatus refusal() {
        return refusal;
    }

    /** Tells the conductor that a member failed; the ticket of that report. */
    long report(MemberFailure failure) {
        long ticket = reports.report(failure.member().index(), failure);
        wakeConductor();
        return ticket;
    }

    /** Tells the conductor what a member could not read, so that it is repaired; or not, if too much waits for that. */
    void readFailed(ReadFailure failure) {
        if (!limits.readOnly() && readFailures.offer(failure)) {
            wakeConductor();
        }
    }

    /** The conductor: what is to be repaired next, or null. */
    ReadFailure takeReadFailure() {
        return readFailures.poll();
    }

    /** What repairs it, for its conductor. */
    ReadRepair readRepair(Shard shard, Arena arena) {
        return new ReadRepair(this, shard, arena);
    }

    /** Tells the conductor what a write came to on a range of a member; the ticket of that report. */
    long report(RangeReport range) {
        long ticket = reports.report(range);
        wakeConductor();
        return ticket;
    }

    /** A write ended with an error after some copies may have got it: the array is not clean until it was compared. */
    void copiesMayDiffer() {
        copiesMayDiffer = true;
    }

    boolean doCopiesDiffer() {
        return copiesMayDiffer;
    }

    /** The conductor: below this address of the array all copies agree, and that is stable. Above all others: everywhere. */
    void copiesAgreeBelow(long address) {
        copiesAgreeBelow = address;
    }

    long copiesAgreeBelow() {
        return copiesAgreeBelow;
    }

    /** Whether all copies agree, but for what writes under way are changing. */
    boolean doCopiesAgree() {
        return copiesAgreeBelow == Long.MAX_VALUE;
    }

    /** Whether any copy of what lies below an address of the array is as good as the first: otherwise none but the first is. */
    boolean doCopiesAgreeBelow(long address) {
        return address <= copiesAgreeBelow && !copiesMayDiffer;
    }

    ReadRule readRule() {
        return readRule;
    }

    HeadPositions heads() {
        return heads;
    }

    /** Whether all that lack an operation are known, and recorded on all others; or whether that will never be. */
    boolean isRecorded(Operation operation) {
        return unrecordable || (operation.ticket() <= reports.handled() && operation.epoch() <= recordedEpoch);
    }

    /** How an operation ends on behalf of those that failed it, which is known now. */
    IoStatus verdict(Operation operation) {
        if (operation.epoch() > recordedEpoch
                || operation.ticket() > reports.handled()
                || (operation.ticket() > 0 && unrecordable)) {
            copiesMayDiffer();
            return IoStatus.IO_ERROR;
        }
        Roster now = roster;
        for (int i = operation.failed().nextSetBit(0);
                i >= 0;
                i = operation.failed().nextSetBit(i + 1)) {
            if (now.contains(members[i])) { // It is needed, so it stays, and the write has failed.
                copiesMayDiffer();
                return refusal == IoStatus.OFFLINE ? IoStatus.OFFLINE : IoStatus.IO_ERROR;
            }
        }
        return operation.bad().isEmpty() ? IoStatus.OK : verdictOnBad(operation, now);
    }

    private IoStatus verdictOnBad(Operation operation, Roster now) {
        for (Member member : now.members()) {
            if (operation.bad().get(member.index()) && member.hasLogOverflowed()) {
                copiesMayDiffer(); // It is needed, so it stays, and nothing on it says that its copy is bad.
                return IoStatus.IO_ERROR;
            }
        }
        return isHeld(operation.request(), now) ? IoStatus.OK : IoStatus.MEDIUM_ERROR;
    }

    /** Whether each block of a request has a copy that can be read. */
    private boolean isHeld(Request request, Roster now) {
        Geometry geometry = plan.geometry();
        int block = limits.blockBytes();
        for (long at = request.offset(); at < request.end(); at += block) {
            boolean held = false;
            for (int copy = 0; copy < geometry.copies() && !held; copy++) {
                long place = geometry.locate(geometry.chunkOf(at), copy);
                long address = geometry.startOf(Geometry.memberChunk(place)) + geometry.withinChunk(at);
                held = isHeldBy(now.active(Geometry.role(place)), address, block)
                        || isHeldBy(now.replacement(Geometry.role(place)), address, block);
            }
            if (!held) {
                return false;
            }
        }
        return true;
    }

    private static boolean isHeldBy(Member member, long address, long length) {
        return member != null && member.holds(address, length, false);
    }

    /** The conductor: from now on these count. */
    void publish(Roster next) {
        roster = next;
    }

    /** The conductor: a roster of this age is stable on all that it names. */
    void recorded(long epoch) {
        recordedEpoch = epoch;
    }

    /** The age of the roster that is stable on all that it names. */
    long recordedEpoch() {
        return recordedEpoch;
    }

    /** The conductor: writes are refused from now on. */
    void refuse(IoStatus how) {
        refusal = how;
    }

    /** The conductor: superblocks cannot be written where they must be; no failure will be recorded any more. */
    void cannotRecord() {
        if (refusal == null) {
            refusal = IoStatus.IO_ERROR;
        }
        unrecordable = true;
    }

    boolean isUnrecordable() {
        return unrecordable;
    }

    void conductedBy(Shard shard) {
        conductorShard = shard;
    }

    void wakeConductor() {
        Shard shard = conductorShard;
        if (shard != null) {
            shard.wake();
        }
    }

    void wakeChannels() {
        for (RaidChannel channel : channels) {
            channel.wake();
        }
    }

    private void wakeRangeWaiters() {
        for (RaidChannel channel : channels) {
            if (channel.stripe().get(Stripe.WAITS_FOR_RANGE) != 0) {
                channel.wake();
            }
        }
    }

    /** How many reads each member has been asked, in the order of the plan's members. Exact once nobody reads. */
    public long[] readsByMember() {
        synchronized (this) {
            long[] sums = Arrays.copyOf(closedReads, plan.members().size());
            for (RaidChannel channel : channels) {
                for (int i = 0; i < sums.length; i++) {
                    sums[i] += channel.balance().reads(i);
                }
            }
            return sums;
        }
    }

    /** A counter of {@link Stripe}, summed up. */
    long count(int counter) {
        synchronized (this) {
            long sum = closedCounts[counter];
            for (Stripe stripe : stripes) {
                sum += stripe.counted(counter);
            }
            return sum;
        }
    }
}
