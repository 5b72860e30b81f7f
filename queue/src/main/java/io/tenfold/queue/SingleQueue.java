package io.tenfold.queue;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue in front of a device as it was before there were many: one list of pieces under one lock, a limit on how many
 * there may be, and those who wait woken by the batch. It is what {@link DeviceQueue} is measured against.
 *
 * <p>A request is cut where the device's limits ask for it, and its pieces go into the list together, in one hold of the
 * lock: so they reach the device next to one another, however many others compete.
 *
 * <p>The limit is soft, as it was: a request that may begin puts all its pieces in, up to half as many again as the limit.
 * A channel that finds the queue full waits, first come first served, until {@link #BATCH} pieces' room is free (or the
 * whole limit, if that is less). It is then woken and has that room for itself.
 *
 * <p>Threads: channels on any shard. The device's channel belongs to the shard that opened the first one here, whose
 * channels send what all of them have submitted, so it must poll one as long as any is in use. Once all of its channels are
 * closed, which nothing may be in flight for on any, the next that submits takes its place.
 */
public final class SingleQueue implements BlockDevice {
    /*
     * The lock is the point: every submitter and the device's completions take it. It is a monitor, which allocates
     * nothing however many threads want it. It is never held while the device or a completion is called.
     *
     * State
     *   lock       queued, free, freeLeads, held, waiting, channels, and of each channel allowance, waits, done
     *   the owner  sending, sendingCount, inFlight, ended: touched by the owner's thread alone
     *   owner      written under the lock while nothing is in flight; volatile, as each channel asks without the lock
     *              whether it is its own shard, which for the answer yes is its own writing
     * Invariants
     *   S1  held = pieces in queued, sending, at the device or in ended, and the allowances of all channels; it never
     *       passes requestsMax. With nothing of these, held is 0.
     *   S2  Whoever lowers held looks at waiting in the same hold of the lock.
     * No wake-up is lost. Suppose a channel waits for ever. By S2 there is less than a batch of room after the last change
     *   of held; a batch is at most the limit, so held > 0: a piece, which the owner will send (who put it into the queue
     *   woke him after that), and the device will end; or an allowance, whose channel was woken and gives back what it has
     *   no use for. Either lowers held once more.
     */
    /** How many pieces a channel that has waited may put in before it might wait again. */
    static final int BATCH = 32;

    private final BlockDevice device;
    private final Cuts cuts;
    private final DeviceLimits limits;
    private final int requests;
    private final int requestsMax;
    private final int batch;
    private final int deviceDepth;

    private final Object lock = new Object();
    private final PartList queued = new PartList();
    private final PartList free = new PartList();
    private Lead freeLeads;
    private int held;
    private SingleQueueChannel firstWaiting;
    private SingleQueueChannel lastWaiting;
    private final List<SingleQueueChannel> channels = new ArrayList<>();

    private volatile Shard owner;
    private Channel lower;
    private final PartList sending = new PartList();
    private final PartList ended = new PartList();
    private int inFlight;

    /** A piece at the device, or on its way. */
    private static final class Part {
        final Request lower;
        Lead lead;
        Part next;

        Part(PartList ended) {
            lower = new Request(_ -> ended.add(this));
        }
    }

    /** A request of a channel, of which at least one piece is in the queue. */
    static final class Lead {
        private Request request;
        private SingleQueueChannel channel;
        private long cutTo;

        /** How many pieces have not ended, and one more while it is not wholly cut. */
        private int left;

        private Lead next;
    }

    private static final class PartList {
        private Part first;
        private Part last;
        private int size;

        void add(Part part) {
            part.next = null;
            if (last == null) {
                first = part;
            } else {
                last.next = part;
            }
            last = part;
            size++;
        }

        Part poll() {
            Part part = first;
            if (part != null) {
                first = part.next;
                last = first == null ? null : last;
                part.next = null;
                size--;
            }
            return part;
        }
    }

    /**
     * A queue for a device.
     *
     * @param device closed with this
     * @param requests how many pieces there may be before newcomers wait, 1 to {@link Tags#DEPTH_MAX}
     * @param deviceDepth most pieces at the device at a time, above 0
     * @param boundaryBytes no piece crosses a multiple of this; a multiple of the device's block; 0: there is no boundary
     */
    public SingleQueue(BlockDevice device, int requests, int deviceDepth, long boundaryBytes) {
        TagChecks.depth(requests, Tags.DEPTH_MAX);
        if (deviceDepth < 1) {
            throw new IllegalArgumentException("deviceDepth must be above 0: deviceDepth=" + deviceDepth);
        }
        this.device = device;
        this.requests = requests;
        this.deviceDepth = deviceDepth;
        requestsMax = requests + requests / 2;
        batch = Math.min(BATCH, requests);
        cuts = new Cuts(device.limits(), boundaryBytes);
        limits = cuts.offered();
        for (int i = 0; i < requestsMax; i++) {
            free.add(new Part(ended));
        }
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public long sizeBytes() {
        return device.sizeBytes();
    }

    @Override
    public DeviceLimits limits() {
        return limits;
    }

    @Override
    public Channel open(Shard shard) {
        SingleQueueChannel channel = new SingleQueueChannel(this, shard);
        synchronized (lock) {
            channels.add(channel);
            if (owner == null) {
                own(shard);
            }
        }
        return channel;
    }

    private void own(Shard shard) {
        lower = device.open(shard);
        owner = shard;
    }

    /** Puts in what a channel has submitted, as far as there is room, and lets it be sent. On the channel's shard. */
    void enter(SingleQueueChannel channel) {
        Shard sender;
        synchronized (lock) {
            if (owner == null) {
                own(channel.shard);
            }
            admit(channel);
            sender = owner;
            if (sender.equals(channel.shard)) {
                take();
            }
        }
        if (sender.equals(channel.shard)) {
            send();
        } else {
            sender.wake();
        }
    }

    /**
     * Does all that there is to do for a channel, and on the owner's shard for the device. On the channel's shard.
     *
     * @return how much has moved on
     */
    int work(SingleQueueChannel channel) {
        boolean owned = channel.shard.equals(owner);
        int moved = 0;
        Shard wanted = null;
        synchronized (lock) {
            if (channel.allowance > 0) {
                moved++;
                admit(channel);
                wanted = owned ? null : owner;
            }
            if (owned) {
                take();
            } else {
                channel.takeDone();
            }
        }
        if (wanted != null) {
            wanted.wake();
        }
        if (!owned) {
            return moved;
        }
        send();
        moved += lower.poll(Integer.MAX_VALUE);
        synchronized (lock) {
            settle();
            take();
            channel.takeDone();
        }
        send();
        return moved;
    }

    /** Cuts a channel's requests into the queue, the oldest first; under the lock. */
    private void admit(SingleQueueChannel channel) {
        if (channel.waits) {
            return;
        }
        while (!channel.parked.isEmpty()) {
            Request request = channel.parked.peek();
            if (channel.begun == null && cuts.count(request) == 0) {
                channel.refuse(cuts.refusal(request));
                continue;
            }
            if (!begin(channel, request) || !insert(channel.begun, request)) {
                await(channel);
                return;
            }
            channel.parked.poll();
            channel.begun = null;
        }
        if (channel.allowance > 0) {
            held -= channel.allowance;
            channel.allowance = 0;
            wakeWaiting();
        }
    }

    /** Lets a request begin, if it has not, unless there is no room or somebody waits for it. */
    private boolean begin(SingleQueueChannel channel, Request request) {
        if (channel.begun != null) {
            return true;
        }
        if (channel.allowance == 0 && (firstWaiting != null || held >= requests)) {
            return false;
        }
        Lead lead = freeLeads == null ? new Lead() : freeLeads;
        freeLeads = lead.next;
        lead.next = null;
        lead.request = request;
        lead.channel = channel;
        lead.cutTo = 0;
        lead.left = 1;
        request.outcome(IoStatus.OK);
        channel.begun = lead;
        return true;
    }

    /** Puts a request's pieces in; whether all of them are. */
    private boolean insert(Lead lead, Request request) {
        SingleQueueChannel channel = lead.channel;
        do {
            if (channel.allowance > 0) {
                channel.allowance--;
            } else if (held < requestsMax) {
                held++;
            } else {
                return false;
            }
            long from = lead.cutTo;
            lead.cutTo = request.op() == Op.FLUSH ? 0 : cuts.end(request, from);
            Part part = free.poll();
            part.lead = lead;
            part.lower.start(request.op(), request.offset() + from, lead.cutTo - from, request.fua());
            if (request.op().carriesData()) {
                part.lower.addPartOf(request, from, lead.cutTo - from);
            }
            queued.add(part);
            lead.left++;
        } while (lead.cutTo < request.length());
        lead.left--;
        return true;
    }

    /** Lets a channel wait: at the end, but one whose request has begun at the front. */
    private void await(SingleQueueChannel channel) {
        channel.waits = true;
        if (firstWaiting == null) {
            lastWaiting = channel;
            firstWaiting = channel;
        } else if (channel.begun != null) {
            channel.nextWaiting = firstWaiting;
            firstWaiting = channel;
        } else {
            lastWaiting.nextWaiting = channel;
            lastWaiting = channel;
        }
    }

    private void wakeWaiting() {
        while (firstWaiting != null && requests - held >= batch) {
            SingleQueueChannel channel = firstWaiting;
            firstWaiting = channel.nextWaiting;
            lastWaiting = firstWaiting == null ? null : lastWaiting;
            channel.nextWaiting = null;
            channel.waits = false;
            channel.allowance = batch;
            held += batch;
            channel.shard.wake();
        }
    }

    /** Takes from the queue what the device may have; under the lock, by the owner. */
    private void take() {
        while (queued.first != null && inFlight + sending.size < deviceDepth) {
            sending.add(queued.poll());
        }
    }

    /** Sends what was taken; what the device has no room for stays. By the owner. */
    private void send() {
        if (sending.first == null) {
            return;
        }
        while (sending.first != null && lower.submit(sending.first.lower)) {
            sending.poll();
            inFlight++;
        }
        lower.commit();
        if (sending.first != null && inFlight == 0) {
            owner.wake(); // Nothing of ours will end and so bring this back here.
        }
    }

    /** Gives the room of ended pieces back, and ended requests to their channels; under the lock, by the owner. */
    private void settle() {
        for (Part part = ended.poll(); part != null; part = ended.poll()) {
            inFlight--;
            held--;
            Lead lead = part.lead;
            part.lead = null;
            if (lead.request.status() == IoStatus.OK) {
                lead.request.outcome(part.lower.status());
            }
            free.add(part);
            if (--lead.left == 0) {
                lead.channel.ended(lead.request, owner);
                lead.request = null;
                lead.channel = null;
                lead.next = freeLeads;
                freeLeads = lead;
            }
        }
        wakeWaiting();
    }

    /** Forgets a channel; with the owner's last one the device's channel is closed. */
    void leave(SingleQueueChannel channel) {
        synchronized (lock) {
            channels.remove(channel);
            if (!channel.shard.equals(owner) || channels.stream().anyMatch(other -> other.shard.equals(owner))) {
                return;
            }
            assert held == 0 && inFlight == 0 : "closed by its owner with pieces in flight: held=" + held;
            lower.close();
            lower = null;
            owner = null;
        }
    }

    @Override
    public void close() {
        device.close();
    }
}
