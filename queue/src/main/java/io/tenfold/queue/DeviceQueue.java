package io.tenfold.queue;

import io.tenfold.base.Shard;
import io.tenfold.base.StripedCounter;
import io.tenfold.base.Waiter;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A queue in front of a device: takes requests longer than the device does and from more threads than it has channels, and
 * keeps a bounded number of them in flight.
 *
 * <p>The life of a request: {@link Channel#submit} collects it and merges it with the one before, if both are adjacent.
 * {@link Channel#commit} cuts what is too long, gets a tag for each piece, and hands the pieces to the hardware queue of the
 * shard, which sends them to the device in the order of its {@link Schedule}. A request without a tag waits in its channel;
 * {@code submit} always answers true. {@link Channel#poll} brings tags and completions.
 *
 * <p>Shards: the shards that open channels have the indexes {@code 0 .. shards-1}; each belongs to one thread. Shard
 * {@code s} uses hardware queue {@code s * hardwareQueues / shards}. The first shard that opens a channel owns the hardware
 * queue and does the I/O of all that share it: it must go on polling as long as they have channels, and close its own last.
 *
 * <p>Order: none between requests that are in flight, as the contract says. A failure of a merged piece is told to each of
 * its requests.
 *
 * <p>Nothing is allocated for a request once as many have been in flight as ever will be. Threads: any; see each method.
 */
public final class DeviceQueue implements BlockDevice {
    /** Told of requests that take too long, see {@link QueueOptions#timeoutNanos}. */
    @FunctionalInterface
    public interface LateListener {
        /**
         * The device has been at something for too long; it has been asked to end it, and may be told so again.
         *
         * <p>Called within a poll of the owner of the hardware queue. Must neither throw nor use the queue.
         *
         * @param nanos how long since it was sent, or since the last such call
         */
        void late(Op op, long offset, long length, long nanos);
    }

    private final BlockDevice device;
    private final QueueOptions options;
    private final DeviceLimits limits;
    private final Cuts cuts;
    private final TagSet tags;
    private final Piece[] pieceTable;
    private final Gate entryGate;
    private final Gate dispatchGate;
    private final HardwareQueue[] hardware;
    private final QueueShard[] shards;
    private final CopyOnWriteArrayList<QueueChannel> channels = new CopyOnWriteArrayList<>();
    private final boolean timed;
    private volatile LateListener lateListener = (_, _, _, _) -> {};

    final StripedCounter requests;
    final StripedCounter merged;
    final StripedCounter pieces;
    final StripedCounter requeues;
    final StripedCounter refusals;
    final StripedCounter flushes;
    final StripedCounter late;

    /**
     * A queue in front of a device.
     *
     * @param device what does the work; closed with this
     * @param shards how many shards may open channels, above 0
     * @throws IllegalArgumentException if the options do not fit the device or the number of shards
     */
    public DeviceQueue(BlockDevice device, QueueOptions options, int shards) {
        TagChecks.sizes(options.depth(), shards);
        if (options.hardwareQueues() > shards) {
            throw new IllegalArgumentException("there must be no more hardware queues than shards: hardwareQueues="
                    + options.hardwareQueues() + ", shards=" + shards);
        }
        this.device = device;
        this.options = options;
        cuts = new Cuts(device.limits(), options.boundaryBytes());
        limits = cuts.offered();
        timed = options.timeoutNanos() > 0 || options.schedule() == Schedule.DEADLINE;
        tags = new TagSet(options.tagDesign(), options.depth(), 0, shards, options.wakePolicy());
        pieceTable = new Piece[tags.tagEnd()];
        for (int tag = 0; tag < pieceTable.length; tag++) {
            pieceTable[tag] = new Piece(tag, DeviceQueue::ended);
        }
        entryGate = new Gate(shards);
        dispatchGate = new Gate(options.hardwareQueues());
        hardware = new HardwareQueue[options.hardwareQueues()];
        for (int i = 0; i < hardware.length; i++) {
            hardware[i] = new HardwareQueue(this, i, options, shards);
        }
        this.shards = new QueueShard[shards];
        for (int i = 0; i < shards; i++) {
            this.shards[i] = new QueueShard(this, i, tags, hardware[(int) ((long) i * hardware.length / shards)]);
        }
        requests = new StripedCounter(shards);
        merged = new StripedCounter(shards);
        pieces = new StripedCounter(shards);
        requeues = new StripedCounter(hardware.length);
        refusals = new StripedCounter(hardware.length);
        flushes = new StripedCounter(hardware.length);
        late = new StripedCounter(hardware.length);
    }

    private static void ended(Piece piece) {
        piece.bundle.channel.own().hardware().ended(piece);
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public long sizeBytes() {
        return device.sizeBytes();
    }

    /** The device's, but transfers, segments and ranges may be longer than it takes, as they are cut. */
    @Override
    public DeviceLimits limits() {
        return limits;
    }

    /**
     * Opens a channel for the calling thread. A shard may have several.
     *
     * @throws IllegalArgumentException if the shard's index is not below the number of shards
     */
    @Override
    public synchronized Channel open(Shard shard) {
        if (shard.index() >= shards.length) {
            throw new IllegalArgumentException(
                    "the queue was made for fewer shards: index=" + shard.index() + ", shards=" + shards.length);
        }
        QueueShard own = shards[shard.index()];
        if (own.hardware().owner() == null) {
            own.hardware().open(own, device.open(shard));
        }
        tags.attach(own.index(), shard);
        QueueChannel channel = new QueueChannel(this, own, shard, options);
        own.open(channel, shard);
        channels.add(channel);
        return channel;
    }

    synchronized void close(QueueChannel channel) {
        if (!channels.contains(channel)) {
            return;
        }
        QueueShard own = channel.own();
        boolean last = own.isLast(channel);
        if (last && own.hardware().owner() == own && isUsedByOthers(own)) {
            throw new IllegalStateException("the owner of a hardware queue must close last: shard=" + own.index());
        }
        channels.remove(channel);
        own.close(channel);
        if (last && own.hardware().owner() == own) {
            own.hardware().close();
        }
    }

    private boolean isUsedByOthers(QueueShard owner) {
        for (QueueShard shard : shards) {
            if (shard != owner && shard.hardware() == owner.hardware() && shard.isOpen()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Changes how many pieces may be in the queue. More may be at once; fewer are as pieces end.
     *
     * @param depth 1 to the {@link QueueOptions#depth} that this was made with
     */
    public void resize(int depth) {
        tags.resize(depth);
    }

    /**
     * Lets no request in any more, and parks the caller until all that are in have ended. Requests may still be submitted and
     * committed, and wait. Each call needs an {@link #unfreeze}.
     *
     * @param caller whom to park: the calling thread, which is not one that polls a channel of this queue with requests in it
     */
    public void freeze(Waiter caller) {
        entryGate.close(caller);
    }

    /** Ends a {@link #freeze}. */
    public void unfreeze() {
        if (entryGate.open()) {
            wakeAll();
        }
    }

    /**
     * Lets nothing go to the device any more, and parks the caller while something is just on its way there. What is at the
     * device ends as ever. Each call needs an {@link #unquiesce}; a {@link #freeze} in between may wait for that.
     *
     * @param caller whom to park: the calling thread
     */
    public void quiesce(Waiter caller) {
        dispatchGate.close(caller);
    }

    /** Ends a {@link #quiesce}. */
    public void unquiesce() {
        if (dispatchGate.open()) {
            wakeAll();
        }
    }

    private void wakeAll() {
        for (QueueChannel channel : channels) {
            channel.wake();
        }
    }

    /** Names who is told of requests that take too long. */
    public void onLate(LateListener listener) {
        lateListener = listener;
    }

    /** What has been done so far. */
    public QueueStatistics statistics() {
        return new QueueStatistics(
                requests.sum(),
                merged.sum(),
                pieces.sum(),
                requeues.sum(),
                refusals.sum(),
                flushes.sum(),
                late.sum(),
                tags.statistics());
    }

    void tellLate(Request lower, long nanos) {
        lateListener.late(lower.op(), lower.offset(), lower.length(), nanos);
    }

    TagSet tags() {
        return tags;
    }

    Cuts cuts() {
        return cuts;
    }

    Piece[] pieceTable() {
        return pieceTable;
    }

    Gate entryGate() {
        return entryGate;
    }

    Gate dispatchGate() {
        return dispatchGate;
    }

    QueueShard shard(int index) {
        return shards[index];
    }

    boolean isTimed() {
        return timed;
    }

    /** Closes the device too. */
    @Override
    public void close() {
        device.close();
    }
}
