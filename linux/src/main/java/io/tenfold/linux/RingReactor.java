package io.tenfold.linux;

import io.tenfold.base.ByteStream;
import io.tenfold.base.Clock;
import io.tenfold.base.Reactor;
import io.tenfold.base.WakeFlag;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * A reactor on one io_uring: sockets, files and block devices of a shard share its queue, so that one system call hands
 * over what all of them want and takes back what all of them have to say.
 *
 * <p>Entries are handed over late: in {@link #park}, or in the second {@link #poll} in a row that found nothing, or when
 * the queue is full. A loop that polls until nothing is found and then parks makes one system call a turn.
 *
 * <p>Life: made on any thread; the first to poll, park, listen, adopt or open a channel is its thread from then on, for
 * closing too. In steady state neither streams nor channels allocate.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/io_uring.7.html">io_uring(7)</a>
 */
public final class RingReactor implements Reactor {
    /** Entries handed over at once at most; more wait in a list. */
    private static final int SQ_ENTRIES = 256;

    /** Answers that the ring holds. More may be in flight: the kernel then keeps them until there is room. */
    private static final int CQ_ENTRIES = 1024;

    /** Polls in a row without an answer after which the kernel is asked: one, for a loop that goes on to park. */
    private static final int POLLS_WITHOUT_KERNEL = 1;

    /** The same for looks of channels, of which a loop may have many a turn. */
    private static final int LOOKS_WITHOUT_KERNEL = 64;

    /** Tasks run in one poll, so that one task that adds another does not keep the streams waiting. */
    private static final int TASKS_MAX = 1024;

    /** User data of operations whose answer nobody waits for. */
    private static final long NOBODY = -1;

    /**
     * Counters of closed reactors, for the next one. They are never closed: a late {@link #wake} of a closed reactor may
     * still write to its counter, and would otherwise hit whatever file has got the number. So it wakes the next
     * reactor without a cause, which a park allows.
     */
    private static final Queue<Integer> SPARE_COUNTERS = new ConcurrentLinkedQueue<>();

    private final int index;
    private final Clock clock;
    private final Uring ring;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment capture = NativeCalls.newCapture(arena);
    private final WakeFlag flag = new WakeFlag();
    private final int wakeCounter;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final WakeOp wakeOp;

    private RingOp[] ops = new RingOp[64];
    private int[] freeIds = new int[64];
    private int freeIdCount;
    private int idCount;

    /** Started, and no entry was free. */
    private final RingOpList waiting = new RingOpList();

    /** Have something to tell in the next poll. */
    private final RingOpList telling = new RingOpList();

    /** Listeners and streams, to be closed with the reactor. */
    private final List<RingSource> sources = new ArrayList<>();

    /** Entries filled whose answers have not come. */
    private int inFlight;

    /** Completions that channels have not delivered. */
    private int undelivered;

    /** Looks in a row that found nothing and did not ask the kernel. */
    private int emptyPolls;

    private int emptyLooks;
    private Thread owner;
    private boolean closing;
    private boolean closed;

    /**
     * A reactor with nothing to serve yet.
     *
     * @param index the shard's number, from 0
     * @throws IOException if the kernel gives no ring; the message says why
     */
    public RingReactor(int index, Clock clock) throws IOException {
        this(index, clock, SQ_ENTRIES, CQ_ENTRIES, 0);
    }

    /** For tests: with rings so small that they overflow, and as on an older kernel. */
    RingReactor(int index, Clock clock, int sqEntries, int cqEntries, int skip) throws IOException {
        if (index < 0) {
            throw new IllegalArgumentException("a shard's index counts from 0: index=" + index);
        }
        if (!Support.CAN_CALL) {
            throw new IOException("no io_uring here: reason=" + Support.REASON);
        }
        this.index = index;
        this.clock = clock;
        ring = Uring.openAsOlder(sqEntries, cqEntries, skip);
        try {
            wakeCounter = takeCounter();
        } catch (IOException e) {
            ring.close();
            arena.close();
            throw e;
        }
        wakeOp = new WakeOp();
    }

    /** Whether this machine, kernel and container have what this needs. Otherwise {@link #unavailableBecause} says why. */
    public static boolean isAvailable() {
        return unavailableBecause().isEmpty();
    }

    /** Why this cannot be used here, in words for a log; empty if it can. */
    public static String unavailableBecause() {
        return Support.CAN_CALL ? RingProbe.REASON : Support.REASON;
    }

    private int takeCounter() throws IOException {
        Integer spare = SPARE_COUNTERS.poll();
        int counter = spare != null ? spare : RingCalls.eventfd(capture);
        if (counter < 0) {
            throw new IOException("cannot make an eventfd: error=" + Errno.text(-counter));
        }
        return counter;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        wake();
    }

    @Override
    public void wake() {
        if (flag.wake()) {
            RingCalls.ring(wakeCounter);
        }
    }

    @Override
    public Listener listen(SocketAddress at, Consumer<Incoming> onConnect) throws IOException {
        begin();
        return new RingListener(this, at, onConnect);
    }

    @Override
    public ByteStream adopt(Incoming connection, ByteStream.Handler handler) {
        begin();
        if (!(connection instanceof RingListener.Connection accepted)) {
            throw new IllegalArgumentException("not accepted by a reactor of this kind: connection=" + connection);
        }
        return new RingStream(this, accepted, handler);
    }

    @Override
    public int poll() {
        begin();
        int calls = runTasks();
        if (closed) { // By a task.
            return calls;
        }
        if (reap() == 0 && ++emptyPolls > POLLS_WITHOUT_KERNEL) { // Whatever else there is to do, it must not starve.
            enter(0, 0);
            reap();
        }
        for (int left = telling.size(); left > 0 && !closed; left--) { // Those that are there: a call may add more.
            calls += telling.poll().deliver();
        }
        return calls;
    }

    private int runTasks() {
        int count = 0;
        Runnable task;
        while (count < TASKS_MAX && !closed && (task = tasks.poll()) != null) {
            task.run();
            count++;
        }
        return count;
    }

    @Override
    public void park(long nanosMax) {
        begin();
        boolean nothingToTell = ring.ready() == 0 && telling.isEmpty() && undelivered == 0 && tasks.isEmpty();
        if (nothingToTell && nanosMax > 0 && flag.enter()) {
            enter(1, nanosMax);
        } else if (nothingToTell || ring.pending() > 0) {
            enter(0, 0);
        }
        flag.leave();
    }

    /** Makes the calling thread the reactor's, if it is the first. */
    void begin() {
        if (closed) { // The ring's memory is gone.
            throw new IllegalStateException("reactor used after close: index=" + index);
        }
        if (owner == null) {
            owner = Thread.currentThread();
            start(wakeOp);
        }
        assert owner == Thread.currentThread() : "reactor used by another thread than its own: owner=" + owner;
    }

    /** The errno segment of this reactor's thread. */
    MemorySegment capture() {
        return capture;
    }

    /** Gives an operation its place. */
    int enlist(RingOp op) {
        int id = freeIdCount > 0 ? freeIds[--freeIdCount] : idCount++;
        if (id >= ops.length) {
            ops = Arrays.copyOf(ops, ops.length * 2);
            freeIds = Arrays.copyOf(freeIds, ops.length);
        }
        ops[id] = op;
        return id;
    }

    /** The operation is not used any more. Its place is free once it is not in flight. */
    void retire(RingOp op) {
        op.retired = true;
        if (!op.inFlight) {
            free(op);
        }
    }

    private void free(RingOp op) {
        ops[op.id] = null;
        freeIds[freeIdCount++] = op.id;
    }

    /** Starts an operation, in the order in which they are started. */
    void start(RingOp op) {
        assert !op.inFlight && !op.retired : "operation started while in flight or retired: " + op;
        op.inFlight = true;
        waiting.add(op);
        fillWaiting();
    }

    private void fillWaiting() {
        while (!waiting.isEmpty()) {
            long sqe = nextSqe();
            if (sqe == 0) {
                return; // The kernel is short of memory: later.
            }
            waiting.poll().fill(sqe);
        }
    }

    private long nextSqe() {
        long sqe = ring.nextSqe();
        if (sqe == 0) {
            ring.enter(0, 0);
            sqe = ring.nextSqe();
        }
        if (sqe != 0) {
            inFlight++;
        }
        return sqe;
    }

    /** Asks the kernel to end an operation, whose answer comes then as always. */
    void cancel(RingOp op) {
        long sqe = 0;
        while (sqe == 0) {
            sqe = waiting.isEmpty() ? nextSqe() : 0; // Behind the operation itself, else it would find nothing.
            if (sqe == 0) {
                enter(0, 0);
                reap();
            }
        }
        SqeLayout.fill(sqe, SqeLayout.OP_ASYNC_CANCEL, -1, 0, op.id, 0, 0, NOBODY);
    }

    /** Waits until an operation that will end by itself, or has been cancelled, has been answered. */
    void await(RingOp op) {
        while (op.inFlight) {
            if (reap() == 0) {
                enter(1, Long.MAX_VALUE);
            }
        }
    }

    private void enter(int minComplete, long nanosMax) {
        emptyPolls = 0;
        emptyLooks = 0;
        fillWaiting();
        ring.enter(minComplete, nanosMax);
    }

    /** Takes the kernel's answers that are there; how many. */
    private int reap() {
        int count = ring.ready();
        for (int i = 0; i < count; i++) {
            long userData = ring.userDataAt(i);
            int result = ring.resultAt(i);
            if (userData != NOBODY) {
                answer(ops[(int) userData], result);
            }
        }
        ring.release(count);
        inFlight -= count;
        if (count > 0) {
            emptyPolls = 0;
            emptyLooks = 0;
        }
        return count;
    }

    private void answer(RingOp op, int result) {
        op.inFlight = false;
        op.result = result;
        if (op.retired) {
            free(op);
        }
        op.answered();
    }

    /** For a channel that has nothing to deliver: takes what has come, now and then from the kernel too. */
    void look() {
        if (reap() == 0 && ++emptyLooks > LOOKS_WITHOUT_KERNEL) {
            enter(0, 0);
            reap();
        }
    }

    /** In the next poll {@link RingOp#deliver} is called. */
    void tell(RingOp op) {
        telling.add(op);
    }

    /** A channel has more completions to deliver, or fewer: no sleep while there are any. */
    void undelivered(int change) {
        undelivered += change;
    }

    void opened(RingSource source) {
        sources.add(source);
    }

    void closed(RingSource source) {
        sources.remove(source);
    }

    /**
     * Closes all that is open here. Connections are cut first, and listening ended, so what is in flight on them ends at
     * once; a transfer on a device is waited for, since its memory is not safe before. No handler is called, and tasks
     * not yet run are dropped.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (owner != null) {
            begin();
            closeSources();
        }
        closed = true;
        ring.close();
        SPARE_COUNTERS.add(wakeCounter);
        arena.close();
    }

    private void closeSources() {
        closing = true;
        for (RingSource source : List.copyOf(sources)) {
            source.abandon();
        }
        cancel(wakeOp);
        while (inFlight > 0 || !waiting.isEmpty()) {
            if (reap() == 0) {
                enter(1, Long.MAX_VALUE);
            }
        }
        for (RingSource source : List.copyOf(sources)) {
            source.dispose();
        }
    }

    /** What is closed with its reactor. */
    interface RingSource {
        /** Ends what is in flight, soon, without a word to the owner. */
        void abandon();

        /** Nothing is in flight any more: gives everything back. */
        void dispose();
    }

    /** Reads the counter that {@link #wake} adds to, always. */
    private final class WakeOp extends RingOp {
        private final long value = arena.allocate(Long.BYTES, Long.BYTES).address();

        WakeOp() {
            super(RingReactor.this);
        }

        @Override
        void fill(long sqe) {
            SqeLayout.fill(sqe, SqeLayout.OP_READ, wakeCounter, 0, value, Long.BYTES, 0, id);
        }

        @Override
        void answered() {
            if (!closing) {
                start(this);
            }
        }
    }
}
