package io.tenfold.queue;

import io.tenfold.base.Shard;
import java.util.ArrayList;
import java.util.List;

/**
 * What the channels of one shard have in common: the way to their hardware queue and back, and tags on their way back.
 *
 * <p>Threads: the shard's, but for {@link #giveBack}.
 */
final class QueueShard {
    private final DeviceQueue queue;
    private final int index;
    private final TagSet tags;
    private final HardwareQueue hardware;
    private final List<QueueChannel> channels = new ArrayList<>();

    /** Pieces that another shard's hardware queue has done with. */
    private final PieceInbox returned = new PieceInbox();

    /** Pieces for another shard's hardware queue. */
    private final PieceChain sending = new PieceChain();

    /** Tags of pieces that have ended: released together. */
    private final int[] freed;

    private int freedCount;

    /** How many bundles have ended since the gate was told. */
    private int endedCount;

    private Piece idleFlushes;
    private Shard shard;
    private boolean owns;
    private long now;
    private long pieces;

    /** The channel that is polled now. */
    private QueueChannel polled;

    QueueShard(DeviceQueue queue, int index, TagSet tags, HardwareQueue hardware) {
        this.queue = queue;
        this.index = index;
        this.tags = tags;
        this.hardware = hardware;
        freed = new int[tags.tagEnd()];
    }

    int index() {
        return index;
    }

    HardwareQueue hardware() {
        return hardware;
    }

    boolean isOpen() {
        return !channels.isEmpty();
    }

    boolean isLast(QueueChannel channel) {
        return channels.size() == 1 && channels.contains(channel);
    }

    /** One more channel. Called under the queue's lock, on the shard's thread. */
    void open(QueueChannel channel, Shard of) {
        shard = of;
        channels.add(channel);
        owns = hardware.owner() == this;
    }

    void close(QueueChannel channel) {
        channels.remove(channel);
        release();
    }

    /** The shard's time, if the queue needs it; else 0. */
    long now() {
        return queue.isTimed() ? shard.clock().nanos() : 0;
    }

    /** Moves everything on that can be, for all channels of the shard; delivers nothing. */
    int work(QueueChannel by, int max) {
        polled = by;
        now = now();
        int moved = owns ? hardware.poll(max, now) : 0;
        moved += takeReturned();
        release();
        for (int i = 0; i < channels.size(); i++) {
            moved += channels.get(i).step();
        }
        moved += tags.poll(index);
        for (int i = 0; i < channels.size(); i++) {
            channels.get(i).admit();
        }
        release(); // What ends on entry: its owner may not poll again, and who freezes must not wait for that.
        boolean sent = sendOff();
        polled = null;
        return sent || (owns && hardware.mustAskAgain()) ? moved + 1 : moved;
    }

    private int takeReturned() {
        int count = 0;
        Piece piece = returned.take();
        while (piece != null) {
            Piece after = piece.next;
            piece.next = null;
            ended(piece);
            count++;
            piece = after;
        }
        return count;
    }

    /** Gives the tags and the places behind the gate back of all that has ended. */
    private void release() {
        if (freedCount > 0) {
            tags.release(index, freed, 0, freedCount);
            freedCount = 0;
        }
        if (endedCount > 0) {
            queue.entryGate().leave(index, endedCount);
            endedCount = 0;
        }
    }

    /** A new batch begins: what is sent from now on has come now. */
    void begin() {
        now = now();
    }

    /** Takes a piece that is ready to go; it goes with {@link #sendOff}. */
    void send(Piece piece) {
        pieces++;
        pass(piece);
    }

    private void pass(Piece piece) {
        if (owns) {
            hardware.add(piece, now);
        } else {
            sending.add(piece);
        }
    }

    /** Wants a flush for a bundle, which ends with it. */
    void flush(Bundle bundle) {
        Piece piece = idleFlushes;
        if (piece == null) {
            piece = new Piece(Piece.NO_TAG, _ -> {});
        } else {
            idleFlushes = piece.next;
            piece.next = null;
        }
        piece.bundle = bundle;
        pass(piece);
    }

    /**
     * Lets go what {@link #send} and {@link #flush} have collected, and what came for others.
     *
     * @return whether the device got something from here
     */
    boolean sendOff() {
        if (pieces > 0) {
            queue.pieces.add(index, pieces);
            pieces = 0;
        }
        if (owns) {
            boolean sent = hardware.dispatch(now);
            hardware.returnAll();
            return sent;
        }
        if (!sending.isEmpty() && hardware.inbox.push(sending)) {
            hardware.owner().wake();
        }
        return false;
    }

    /** A piece has come back. */
    void ended(Piece piece) {
        Bundle bundle = piece.bundle;
        bundle.ended(piece.lower.status());
        if (piece.tag == Piece.NO_TAG) {
            piece.next = idleFlushes;
            idleFlushes = piece;
            bundle.channel.ended(bundle);
            return;
        }
        freed[freedCount++] = piece.tag;
        if (--bundle.away == 0 && bundle.unmade == 0) {
            bundle.channel.settled(bundle);
        }
    }

    /** A bundle of a channel has ended. */
    void count(QueueChannel channel) {
        endedCount++;
        if (channel != polled) {
            channel.wake();
        }
    }

    /** The owner of the hardware queue: these are done. */
    void giveBack(PieceChain chain) {
        if (returned.push(chain)) {
            wake();
        }
    }

    /** Any thread that got a piece from here, or found this to be a hardware queue's owner. */
    void wake() {
        shard.wake();
    }
}
