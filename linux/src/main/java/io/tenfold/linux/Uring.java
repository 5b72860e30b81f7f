package io.tenfold.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One io_uring: a queue of entries for the kernel (SQ) and one of its answers (CQ), both in memory shared with it.
 *
 * <p>Life: {@link #open} on any thread; the first {@link #enter} makes its thread the ring's owner, and from then on
 * everything is that thread's, closing included. Fill entries ({@link #nextSqe}), hand them over and wait
 * ({@link #enter}), look at the answers ({@link #ready}, {@link #userDataAt}, {@link #resultAt}) and give their places
 * back ({@link #release}).
 *
 * <p>More may be in flight than the CQ holds: the kernel then keeps answers back until there is room (NODROP) and hands
 * them over in a later enter.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/io_uring.7.html">io_uring(7)</a>
 */
final class Uring implements AutoCloseable {
    /*
     * State, shared with the kernel. Heads and tails are free-running unsigned counters: they wrap, so distances are
     * differences and places are counter & mask.
     *
     *   field    | written by | our access | pairs with
     *   sq tail  | us         | release    | the kernel's acquire: it sees the entries that we filled
     *   sq head  | kernel     | acquire    | its release: it has read the entries, whose places are ours again
     *   cq tail  | kernel     | acquire    | its release: we see the answers that it wrote
     *   cq head  | us         | release    | its acquire: we have read the answers, whose places are its again
     */
    private static final int SETUP_CQSIZE = 1 << 3;
    private static final int SETUP_R_DISABLED = 1 << 6;
    private static final int SETUP_SUBMIT_ALL = 1 << 7;
    private static final int SETUP_COOP_TASKRUN = 1 << 8;
    private static final int SETUP_SINGLE_ISSUER = 1 << 12;
    private static final int SETUP_DEFER_TASKRUN = 1 << 13;

    /** What to ask for, best first: from Linux 6.1, from 5.19, from 5.11. */
    private static final int[] SETUPS = {
        SETUP_CQSIZE | SETUP_R_DISABLED | SETUP_SUBMIT_ALL | SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN,
        SETUP_CQSIZE | SETUP_R_DISABLED | SETUP_SUBMIT_ALL | SETUP_COOP_TASKRUN,
        SETUP_CQSIZE | SETUP_R_DISABLED,
    };

    private static final int FEAT_SINGLE_MMAP = 1;
    private static final int FEAT_NODROP = 1 << 1;
    private static final int FEAT_SUBMIT_STABLE = 1 << 2;
    private static final int FEAT_FAST_POLL = 1 << 5;
    private static final int FEAT_EXT_ARG = 1 << 8;
    private static final int FEATURES =
            FEAT_SINGLE_MMAP | FEAT_NODROP | FEAT_SUBMIT_STABLE | FEAT_FAST_POLL | FEAT_EXT_ARG;

    private static final int ENTER_GETEVENTS = 1;
    private static final int ENTER_EXT_ARG = 1 << 3;
    private static final int ENTER_REGISTERED_RING = 1 << 4;

    private static final int REGISTER_ENABLE_RINGS = 12;
    private static final int REGISTER_RING_FDS = 20;
    private static final int UNREGISTER_RING_FDS = 21;

    private static final long OFF_RINGS = 0;
    private static final long OFF_SQES = 0x10000000L;

    /** {@code struct io_uring_rsrc_update}: u32 offset, u32 resv, u64 data; here -1 (any place) and the ring's fd. */
    private static final long RSRC_UPDATE_BYTES = 16;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment capture = NativeCalls.newCapture(arena);
    private final long waitArgument = arena.allocate(WaitArgumentLayout.LAYOUT).address();
    private final long rsrcUpdate =
            arena.allocate(RSRC_UPDATE_BYTES, Long.BYTES).address();

    private final int fd;
    private final int setup;
    private final int sqEntries;
    private final int cqEntries;
    private long rings;
    private long ringsBytes;
    private long sqes;
    private long sqesBytes;

    private long sqHeadAt;
    private long sqTailAt;
    private long cqHeadAt;
    private long cqTailAt;
    private long cqes;

    private int sqTail;
    private int cqHead;

    private Thread owner;
    private int enterFd;
    private int enterFlags = ENTER_GETEVENTS;
    private boolean closed;

    private Uring(int sqEntriesWanted, int cqEntriesWanted, int firstSetup) throws IOException {
        long params = arena.allocate(UringParamsLayout.LAYOUT).address();
        int answer = -Errno.EINVAL;
        int flags = 0;
        for (int i = firstSetup; i < SETUPS.length && answer == -Errno.EINVAL; i++) {
            flags = SETUPS[i];
            RawMemory.putInt(params + UringParamsLayout.FLAGS, flags);
            RawMemory.putInt(params + UringParamsLayout.CQ_ENTRIES, cqEntriesWanted);
            answer = RingCalls.setup(capture, sqEntriesWanted, params);
        }
        if (answer < 0) {
            arena.close();
            throw new IOException("cannot make an io_uring: error=" + Errno.text(-answer) + hint(-answer));
        }
        fd = answer;
        enterFd = fd;
        setup = flags;
        sqEntries = RawMemory.getInt(params + UringParamsLayout.SQ_ENTRIES);
        cqEntries = RawMemory.getInt(params + UringParamsLayout.CQ_ENTRIES);
        try {
            int features = RawMemory.getInt(params + UringParamsLayout.FEATURES);
            if ((features & FEATURES) != FEATURES) {
                throw new IOException("io_uring of this kernel lacks features (Linux 5.11 has them): features=0x"
                        + Integer.toHexString(features) + ", needed=0x" + Integer.toHexString(FEATURES));
            }
            map(params);
        } catch (IOException e) {
            unmapAndClose();
            throw e;
        }
    }

    /**
     * Makes a ring.
     *
     * @param sqEntries entries that can be handed over at once, a power of two
     * @param cqEntries answers that the ring holds, a power of two, at least {@code sqEntries}
     * @throws IOException if the kernel has none, forbids it, or is short of memory; the message says which
     */
    static Uring open(int sqEntries, int cqEntries) throws IOException {
        return new Uring(sqEntries, cqEntries, 0);
    }

    /** For tests: as on an older kernel, by leaving out the first {@code skip} ways of setting up. */
    static Uring openAsOlder(int sqEntries, int cqEntries, int skip) throws IOException {
        return new Uring(sqEntries, cqEntries, skip);
    }

    private static String hint(int errno) {
        return switch (errno) {
            case Errno.ENOSYS -> ", the kernel has none";
            case Errno.EPERM, Errno.EACCES ->
                ", forbidden by /proc/sys/kernel/io_uring_disabled or by the container's seccomp profile";
            case Errno.ENOMEM -> ", memory or the limit of locked memory (ulimit -l) is used up";
            default -> "";
        };
    }

    private void map(long params) throws IOException {
        long sqBytes = RawMemory.getInt(params + UringParamsLayout.SQ_ARRAY) + (long) sqEntries * Integer.BYTES;
        long cqBytes = RawMemory.getInt(params + UringParamsLayout.CQ_CQES) + (long) cqEntries * CqeLayout.BYTES;
        rings = map(OFF_RINGS, Math.max(sqBytes, cqBytes));
        ringsBytes = Math.max(sqBytes, cqBytes);
        sqes = map(OFF_SQES, sqEntries * SqeLayout.BYTES);
        sqesBytes = sqEntries * SqeLayout.BYTES;
        sqHeadAt = rings + RawMemory.getInt(params + UringParamsLayout.SQ_HEAD);
        sqTailAt = rings + RawMemory.getInt(params + UringParamsLayout.SQ_TAIL);
        cqHeadAt = rings + RawMemory.getInt(params + UringParamsLayout.CQ_HEAD);
        cqTailAt = rings + RawMemory.getInt(params + UringParamsLayout.CQ_TAIL);
        cqes = rings + RawMemory.getInt(params + UringParamsLayout.CQ_CQES);
        sqTail = RawMemory.getInt(sqTailAt);
        cqHead = RawMemory.getInt(cqHeadAt);
        long array = rings + RawMemory.getInt(params + UringParamsLayout.SQ_ARRAY);
        for (int i = 0; i < sqEntries; i++) { // Entries are handed over in the order of their places, always.
            RawMemory.putInt(array + (long) i * Integer.BYTES, i);
        }
    }

    private long map(long offset, long bytes) throws IOException {
        long address = RingCalls.mapShared(capture, fd, offset, bytes);
        if (address < 0 && address > -4096) {
            throw new IOException("cannot map an io_uring: error=" + Errno.text((int) -address));
        }
        return address;
    }

    /** Entries that can be handed over at once. */
    int sqEntries() {
        return sqEntries;
    }

    /** Answers that the ring holds. */
    int cqEntries() {
        return cqEntries;
    }

    /** Whether answers come only within {@link #enter}. Otherwise they may come at any moment. */
    boolean isDeferred() {
        return (setup & SETUP_DEFER_TASKRUN) != 0;
    }

    /** The address of the next free entry, which counts as filled from now on; 0 if there is none: {@link #enter}. */
    long nextSqe() {
        if (pending() == sqEntries) {
            return 0;
        }
        long sqe = sqes + (sqTail & sqEntries - 1) * SqeLayout.BYTES;
        sqTail++;
        return sqe;
    }

    /** How many filled entries the kernel has not taken yet. */
    int pending() {
        return sqTail - RawMemory.getIntAcquire(sqHeadAt); // Acquire: the places of those taken are ours again.
    }

    /**
     * Hands over the filled entries, and waits for answers.
     *
     * @param minComplete return when so many answers are there; 0: do not wait
     * @param nanosMax longest wait, above 0; {@link Long#MAX_VALUE}: no limit
     * @return how many entries were taken, or {@code -errno}: -ETIME when the time was up, -EINTR for a signal, -EAGAIN
     *     and -EBUSY when the kernel is short of something: look at the answers, then come again
     */
    int enter(int minComplete, long nanosMax) {
        if (owner == null) {
            adopt();
        }
        assert owner == Thread.currentThread() : "ring entered by another thread than its owner: owner=" + owner;
        RawMemory.putIntRelease(sqTailAt, sqTail); // Release: the kernel sees the entries.
        long argument = 0;
        long argumentBytes = 0;
        int flags = enterFlags;
        if (minComplete > 0 && nanosMax != Long.MAX_VALUE) {
            RawMemory.putLong(waitArgument + WaitArgumentLayout.TV_SEC, nanosMax / NANOS_PER_SECOND);
            RawMemory.putLong(waitArgument + WaitArgumentLayout.TV_NSEC, nanosMax % NANOS_PER_SECOND);
            argument = waitArgument;
            argumentBytes = WaitArgumentLayout.ARGUMENT_BYTES;
            flags |= ENTER_EXT_ARG;
        }
        int answer = RingCalls.enter(capture, enterFd, pending(), minComplete, flags, argument, argumentBytes);
        if (answer < 0 && !isPassing(-answer)) {
            // EBADR: the kernel had no memory left to keep answers and has dropped some. Anything else is our mistake.
            throw new IllegalStateException("io_uring_enter failed: error=" + Errno.text(-answer));
        }
        return answer;
    }

    private static boolean isPassing(int errno) {
        return switch (errno) {
            case Errno.ETIME, Errno.EINTR, Errno.EAGAIN, Errno.EBUSY -> true;
            default -> false;
        };
    }

    /** Makes the calling thread the owner. */
    private void adopt() {
        owner = Thread.currentThread();
        RawMemory.putLong(waitArgument + WaitArgumentLayout.TS, waitArgument + WaitArgumentLayout.TV_SEC);
        int answer = RingCalls.register(capture, fd, REGISTER_ENABLE_RINGS, 0, 0);
        if (answer < 0) {
            throw new IllegalStateException("cannot enable an io_uring: error=" + Errno.text(-answer));
        }
        RawMemory.putInt(rsrcUpdate, -1);
        RawMemory.putLong(rsrcUpdate + Long.BYTES, fd);
        if (RingCalls.register(capture, fd, REGISTER_RING_FDS, rsrcUpdate, 1) == 1) {
            // Spares the kernel a look-up of the descriptor. There are 16 places a thread, and older kernels have none.
            enterFd = RawMemory.getInt(rsrcUpdate);
            enterFlags |= ENTER_REGISTERED_RING;
        }
    }

    /** How many answers are there. */
    int ready() {
        return RawMemory.getIntAcquire(cqTailAt) - cqHead; // Acquire: their content is visible.
    }

    /** What the {@code i}-th answer that is there belongs to. */
    long userDataAt(int i) {
        return RawMemory.getLong(cqe(i) + CqeLayout.USER_DATA);
    }

    /** What came out of it: 0 or more, or {@code -errno}. */
    int resultAt(int i) {
        return RawMemory.getInt(cqe(i) + CqeLayout.RES);
    }

    private long cqe(int i) {
        return cqes + (cqHead + i & cqEntries - 1) * CqeLayout.BYTES;
    }

    /** Gives back the places of the first {@code count} answers. */
    void release(int count) {
        cqHead += count;
        RawMemory.putIntRelease(cqHeadAt, cqHead); // Release: we have read them.
    }

    /**
     * Ends the ring. What is in flight goes on in the kernel for a while, and may write to memory: the owner waits for
     * it before.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (owner != null && owner != Thread.currentThread()) {
            throw new IllegalStateException("ring closed by another thread than its owner: owner=" + owner);
        }
        closed = true;
        if ((enterFlags & ENTER_REGISTERED_RING) != 0) {
            RawMemory.putInt(rsrcUpdate, enterFd);
            RingCalls.register(
                    capture, fd, UNREGISTER_RING_FDS, rsrcUpdate, 1); // Else it would live on with the thread.
        }
        unmapAndClose();
    }

    private void unmapAndClose() {
        if (sqesBytes > 0) {
            RingCalls.unmap(capture, sqes, sqesBytes);
        }
        if (ringsBytes > 0) {
            RingCalls.unmap(capture, rings, ringsBytes);
        }
        FileCalls.close(capture, fd);
        arena.close();
    }
}
