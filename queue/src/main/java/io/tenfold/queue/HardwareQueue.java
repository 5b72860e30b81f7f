package io.tenfold.queue;

import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;

/**
 * One channel to the device and what waits for it. It belongs to the shard that first opened a channel of those that are
 * mapped to it; others leave pieces in its {@link #inbox}, and get them back in theirs.
 *
 * <p>Threads: the owner's, but for the inbox.
 */
final class HardwareQueue {
    private final DeviceQueue queue;
    private final int index;
    private final Scheduler scheduler;
    private final int deviceDepth;
    private final int retriesMax;
    private final long timeoutNanos;
    private final boolean timed;

    final PieceInbox inbox = new PieceInbox();

    /** Shards that have pieces here on their way back, one chain each. */
    private final PieceChain[] outgoing;

    private final int[] outgoingShards;
    private int outgoingCount;

    /** Set once by the owner's first channel, while no other is open. */
    private QueueShard owner;

    private Channel lower;

    private final Flights flights = new Flights();
    private final FlushMachine flushes;
    private int inFlight;

    /** The device had no room for it. The next to be sent. */
    private Piece refused;

    /** Whether something was submitted below since the last commit. */
    private boolean uncommitted;

    /** Whether the last dispatch found no room. */
    private boolean noRoom;

    private int moved;

    HardwareQueue(DeviceQueue queue, int index, QueueOptions options, int shards) {
        this.queue = queue;
        this.index = index;
        scheduler = options.schedule().create();
        deviceDepth = options.deviceDepth();
        retriesMax = options.retries();
        timeoutNanos = options.timeoutNanos();
        timed = timeoutNanos > 0;
        flushes = new FlushMachine(this);
        outgoing = new PieceChain[shards];
        for (int i = 0; i < shards; i++) {
            outgoing[i] = new PieceChain();
        }
        outgoingShards = new int[shards];
    }

    /** The shard whose thread this belongs to, or null as long as nobody has opened a channel. */
    QueueShard owner() {
        return owner;
    }

    void open(QueueShard by, Channel channel) {
        owner = by;
        lower = channel;
    }

    /** The owner's last channel is closed. */
    void close() {
        assert inFlight == 0 && refused == null && scheduler.isEmpty() && flushes.isIdle() : "closed in use: " + this;
        lower.close();
        owner = null;
        lower = null;
    }

    /** Takes a piece, which {@link #dispatch} sends on. */
    void add(Piece piece, long now) {
        if (piece.tag == Piece.NO_TAG) {
            flushes.add(piece);
        } else {
            scheduler.add(piece, now);
        }
    }

    /** Takes what others have sent. */
    void receive(long now) {
        Piece piece = inbox.take();
        while (piece != null) {
            Piece after = piece.next;
            piece.next = null;
            add(piece, now);
            moved++;
            piece = after;
        }
    }

    /**
     * Sends to the device what it may have. Calls no completion.
     *
     * @return whether it got something, and so may have done it already
     */
    boolean dispatch(long now) {
        noRoom = false;
        if (refused == null && scheduler.isEmpty() && flushes.isIdle()) {
            return false;
        }
        Gate gate = queue.dispatchGate();
        if (!gate.enter(index, 1)) {
            return false; // Whoever opens it wakes the owner.
        }
        flushes.start(now);
        while (inFlight < deviceDepth) {
            Piece piece = refused == null ? scheduler.next(now) : refused;
            if (piece == null) {
                break;
            }
            if (!send(piece, now)) {
                refused = piece;
                break;
            }
            refused = null;
            inFlight++;
        }
        boolean sent = uncommitted;
        if (sent) {
            uncommitted = false;
            lower.commit();
        }
        gate.leave(index, 1);
        return sent;
    }

    /** Submits below; false if there is no room. */
    boolean send(Piece piece, long now) {
        if (!lower.submit(piece.lower)) {
            queue.refusals.add(index, 1);
            noRoom = true;
            return false;
        }
        uncommitted = true;
        if (timed) {
            flights.add(piece, now);
        }
        return true;
    }

    /** Takes what the device has ended. */
    int poll(int max, long now) {
        moved = 0;
        receive(now);
        moved += lower.poll(max);
        if (timed) {
            lookForLate(now);
        }
        return moved;
    }

    /** Whether the device had no room though nothing is in flight, so that no completion will say when to ask again. */
    boolean mustAskAgain() {
        return noRoom && inFlight == 0 && !flushes.isUnderWay();
    }

    /** The device has ended a piece with a tag. */
    void ended(Piece piece) {
        inFlight--;
        landed(piece);
        IoStatus how = piece.lower.status();
        boolean retryable = how == IoStatus.IO_ERROR || (how != IoStatus.OK && piece.late);
        if (retryable && piece.retries < retriesMax) {
            piece.retries++;
            piece.late = false;
            queue.requeues.add(index, 1);
            scheduler.add(piece, owner.now());
            return;
        }
        giveBack(piece);
    }

    void landed(Piece piece) {
        if (timed) {
            flights.remove(piece);
        }
    }

    /** Hands a piece to the shard that it came from. */
    void giveBack(Piece piece) {
        QueueShard to = piece.bundle.channel.own();
        if (to == owner) {
            to.ended(piece);
            return;
        }
        PieceChain chain = outgoing[to.index()];
        if (chain.isEmpty()) {
            outgoingShards[outgoingCount++] = to.index();
        }
        chain.add(piece);
    }

    /** Sends off what {@link #giveBack} has collected, with one step and one wake-up for each shard. */
    void returnAll() {
        while (outgoingCount > 0) {
            int shard = outgoingShards[--outgoingCount];
            queue.shard(shard).giveBack(outgoing[shard]);
        }
    }

    private void lookForLate(long now) {
        Piece piece = flights.first();
        while (piece != null && now - piece.sentNanos >= timeoutNanos) {
            long nanos = now - piece.sentNanos;
            flights.remove(piece);
            flights.add(piece, now); // Asked again after another such time.
            piece.late = true;
            queue.late.add(index, 1);
            queue.tellLate(piece.lower, nanos);
            lower.cancel(piece.lower);
            moved++;
            piece = flights.first();
        }
    }

    void countFlush() {
        queue.flushes.add(index, 1);
    }

    @Override
    public String toString() {
        return "hardware queue " + index + " inFlight=" + inFlight + " refused=" + refused;
    }
}
