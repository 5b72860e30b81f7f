package io.tenfold.queue;

import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import io.tenfold.block.RequestList;

/** One submitter's way to a {@link SingleQueue}. Has room for whatever is submitted: what does not go in yet is parked. */
final class SingleQueueChannel implements Channel {
    final Shard shard;

    /** Submitted, and not wholly in the queue. The channel's thread. */
    final RequestList parked = new RequestList();

    /** Of the first that is parked, if some of its pieces are in the queue. The channel's thread. */
    SingleQueue.Lead begun;

    /** How many pieces may go in without asking whether there is room. Under the queue's lock, as all below. */
    int allowance;

    boolean waits;
    SingleQueueChannel nextWaiting;
    private final RequestList done = new RequestList();

    private final SingleQueue queue;
    private final RequestList ready = new RequestList();
    private boolean closed;

    SingleQueueChannel(SingleQueue queue, Shard shard) {
        this.queue = queue;
        this.shard = shard;
    }

    @Override
    public boolean submit(Request request) {
        request.started();
        parked.add(request);
        return true;
    }

    @Override
    public void commit() {
        if (!parked.isEmpty()) {
            queue.enter(this);
        }
    }

    @Override
    public int poll(int max) {
        int moved = queue.work(this);
        // Only what is ready now: a completion that submits again must not keep its caller here for ever.
        int count = Math.min(max, ready.size());
        for (int i = 0; i < count; i++) {
            ready.poll().complete();
        }
        return moved + count;
    }

    /** Ends the first parked request without asking the device; on the channel's shard. */
    void refuse(IoStatus status) {
        Request request = parked.poll();
        request.outcome(status);
        ready.add(request);
    }

    /** A request has ended; under the queue's lock, on the owner's shard. */
    void ended(Request request, Shard owner) {
        boolean first = done.isEmpty();
        done.add(request);
        if (first && !shard.equals(owner)) {
            shard.wake(); // Whoever added the others has done so already.
        }
    }

    /** Makes ended requests ready to be delivered; under the queue's lock, on the channel's shard. */
    void takeDone() {
        while (!done.isEmpty()) {
            ready.add(done.poll());
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            assert parked.isEmpty() && done.isEmpty() && ready.isEmpty()
                    : "closed with requests in flight: parked=" + parked.size() + ", ended="
                            + (done.size() + ready.size());
            queue.leave(this);
        }
    }
}
