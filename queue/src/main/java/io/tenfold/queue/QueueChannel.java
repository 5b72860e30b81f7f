package io.tenfold.queue;

import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;

/**
 * One submitter of a {@link DeviceQueue}: collects and merges what is submitted, and after a commit makes pieces of it as
 * tags are to be had.
 *
 * <p>A request's way: plugged (submitted), outside (committed, but the queue is frozen), ready (waits for tags), then its
 * pieces are away, then it is done and waits for {@link #poll}.
 *
 * <p>Threads: its shard's.
 */
final class QueueChannel implements Channel {
    private final DeviceQueue queue;
    private final QueueShard own;
    private final Shard shard;
    private final TagSet tags;
    private final Cuts cuts;
    private final Piece[] pieces;
    private final Gate entry;
    private final boolean handsOver;
    private final boolean waitsForAll;
    private final boolean wholeRequests;
    private final WriteCache writeCache;

    private final BundleList plug = new BundleList();
    private final BundleList plugFlushes = new BundleList();
    private final BundleList outside = new BundleList();
    private final BundleList outsideFlushes = new BundleList();
    private final BundleList ready = new BundleList();
    private final BundleList done = new BundleList();
    private Bundle idle;

    /** How many of those that are ready are cut. */
    private int cutCount;

    /** What waits for tags for the first that is ready, as a submitter that may block would. */
    private final TagClaim claim;

    private boolean waits;

    /** A piece of a request that is not cut as a whole has been sent since the last poll: the next one waits for a poll. */
    private boolean stepped;

    private final int[] taken;
    private long submitted;
    private long merged;
    private int open;

    QueueChannel(DeviceQueue queue, QueueShard own, Shard shard, QueueOptions options) {
        this.queue = queue;
        this.own = own;
        this.shard = shard;
        tags = queue.tags();
        cuts = queue.cuts();
        pieces = queue.pieceTable();
        entry = queue.entryGate();
        handsOver = options.wakePolicy().handsOver();
        waitsForAll = options.wakePolicy().wakeByNeed();
        wholeRequests = options.wholeRequests();
        writeCache = options.writeCache();
        taken = new int[options.depth()];
        claim = TagClaim.polled(own.index(), shard, options.depth(), this::granted);
    }

    QueueShard own() {
        return own;
    }

    void wake() {
        shard.wake();
    }

    @Override
    public boolean submit(Request request) {
        request.started();
        submitted++;
        open++;
        if (request.op() == Op.FLUSH) {
            plugFlushes.add(bundle(request, 0));
            return true;
        }
        Bundle last = plug.last();
        if (last != null && cuts.mayMerge(last.owners.peek(), last.length, last.segments, request)) {
            last.append(request);
            merged++;
            return true;
        }
        long count = cuts.count(request);
        Bundle bundle = bundle(request, count);
        if (count > 0) {
            plug.add(bundle);
        } else {
            bundle.status = cuts.refusal(request);
            done.add(bundle);
        }
        return true;
    }

    private Bundle bundle(Request request, long pieceCount) {
        Bundle bundle = idle;
        if (bundle == null) {
            bundle = new Bundle(this);
        } else {
            idle = bundle.next;
        }
        bundle.start(request, pieceCount);
        return bundle;
    }

    @Override
    public void commit() {
        if (submitted == 0) {
            return;
        }
        queue.requests.add(own.index(), submitted);
        queue.merged.add(own.index(), merged);
        submitted = 0;
        merged = 0;
        own.begin();
        outside.addAll(plug);
        outsideFlushes.addAll(plugFlushes);
        admit();
        own.sendOff();
    }

    /** Lets in what is outside, unless the queue is frozen. Whoever ends that wakes the shard. */
    void admit() {
        int count = outside.size() + outsideFlushes.size();
        if (count == 0 || !entry.enter(own.index(), count)) {
            return;
        }
        while (!outsideFlushes.isEmpty()) {
            Bundle flush = outsideFlushes.poll();
            if (writeCache == WriteCache.WRITE_THROUGH) {
                ended(flush);
            } else {
                own.flush(flush);
            }
        }
        while (!outside.isEmpty()) {
            Bundle bundle = outside.poll();
            cutCount += bundle.isCut ? 1 : 0;
            ready.add(bundle);
        }
        pump();
    }

    /**
     * Goes on behind a piece that was sent alone. One a poll, as this stands for submitters who make and send a piece and then
     * ask for the next tag, each on a processor of his own: the others ask in between.
     *
     * @return 1 if something was done
     */
    int step() {
        if (!stepped) {
            return 0;
        }
        stepped = false;
        if (ready.isEmpty()) {
            return 0;
        }
        pump();
        return 1;
    }

    /** Makes pieces of all that is ready, as far as there are tags; then waits for more. */
    private void pump() {
        while (!waits && !stepped && !ready.isEmpty()) {
            if (ready.first().isCut && wholeRequests) {
                long missing = Math.min(ready.first().unmade, tags.depth());
                take((int) missing, handsOver);
            } else {
                take(cutCount == 0 ? Math.min(ready.size(), taken.length) : 1, false);
            }
        }
        if (stepped && !ready.isEmpty()) {
            shard.wake(); // Its thread may park before it polls.
        }
    }

    /**
     * Takes tags for the first that are ready, and sends their pieces.
     *
     * @param count how many pieces are to be sent
     * @param together all of them, or wait for all of them
     */
    private void take(int count, boolean together) {
        int got = together ? 0 : tags.tryAcquireUpTo(own.index(), count, taken, 0);
        for (int i = 0; i < got; i++) {
            make(taken[i]);
        }
        if (got < count) {
            boolean cut = ready.first().isCut && wholeRequests;
            int missing = together || (cut && waitsForAll) ? count - got : 1;
            if (tags.acquire(claim, missing)) {
                makeAll(0, missing);
            } else {
                waits = true;
            }
        }
    }

    private void granted(TagClaim granted, int from, int count) {
        makeAll(from, count);
        if (granted.isComplete()) {
            waits = false;
            pump();
        }
    }

    private void makeAll(int from, int count) {
        for (int i = from; i < from + count; i++) {
            make(claim.tag(i));
        }
    }

    /** Makes the next piece of the first that is ready, and sends it. */
    private void make(int tag) {
        Bundle bundle = ready.first();
        Piece piece = pieces[tag];
        long bytes = bundle.isCut ? cuts.end(bundle.owners.peek(), bundle.made) - bundle.made : bundle.length;
        bundle.fill(piece.lower, bytes, bundle.fua && writeCache == WriteCache.VOLATILE_WITH_FUA);
        piece.bundle = bundle;
        piece.retries = 0;
        piece.late = false;
        stepped = bundle.isCut && !wholeRequests;
        if (bundle.unmade == 0) {
            assert bundle.made == bundle.length : "cut wrong: " + bundle;
            ready.poll();
            cutCount -= bundle.isCut ? 1 : 0;
        }
        own.send(piece);
    }

    /** All pieces of a bundle are back. */
    void settled(Bundle bundle) {
        if (bundle.fua && writeCache == WriteCache.VOLATILE && bundle.status == IoStatus.OK) {
            own.flush(bundle);
        } else {
            ended(bundle);
        }
    }

    /** Nothing is left to be done for a bundle but to tell its owners. */
    void ended(Bundle bundle) {
        done.add(bundle);
        own.count(this);
    }

    @Override
    public int poll(int max) {
        int moved = own.work(this, max);
        int delivered = deliver(max);
        return delivered > 0 ? delivered : moved;
    }

    /** Tells owners, but only of what is done now: one who submits again must not keep the caller here for ever. */
    private int deliver(int max) {
        Bundle last = done.last();
        int count = 0;
        while (count < max && last != null) {
            Bundle bundle = done.first();
            Request request = bundle.owners.poll();
            IoStatus status = bundle.status;
            if (bundle.owners.isEmpty()) {
                done.poll();
                last = bundle == last ? null : last;
                bundle.next = idle;
                idle = bundle;
            }
            count++;
            open--;
            request.complete(status);
        }
        return count;
    }

    @Override
    public void close() {
        assert open == 0 : "closed with requests in flight: requests=" + open;
        queue.close(this);
    }
}
