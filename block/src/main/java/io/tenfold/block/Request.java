package io.tenfold.block;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * One piece of work for a {@link Channel}: a reused, mutable object, since the data path allocates nothing.
 *
 * <p>Ownership: whoever made it fills it in and submits it. From a {@link Channel#submit} that answered true until its
 * {@link Completion} is called it belongs to the channel, which reads it and may link it into a {@link RequestList};
 * the owner touches nothing of it, its memory included. Before and after, it is the owner's.
 *
 * <p>Threads: one at a time.
 */
public final class Request {
    private final Completion completion;
    private Op op = Op.READ;
    private boolean fua;
    private long offset;
    private long length;
    private IoStatus status = IoStatus.OK;
    private boolean inFlight;
    private long user;
    private Object context;

    private MemorySegment[] memory = new MemorySegment[1];
    private long[] memoryOffset = new long[1];
    private long[] memoryLength = new long[1];
    private int segments;

    /** The list that this is in, by its next element. */
    Request next;

    /** Whether a {@link RequestList} holds this. */
    boolean listed;

    /**
     * A request whose every end is told to the same completion.
     *
     * @param completion called each time it ends
     */
    public Request(Completion completion) {
        this.completion = completion;
    }

    /** Makes this a read of {@code length} bytes at {@code offset} into one piece of memory. */
    public Request read(long offset, MemorySegment into, long intoOffset, long length) {
        start(Op.READ, offset, length, false);
        return add(into, intoOffset, length);
    }

    /** Makes this a write of {@code length} bytes at {@code offset} from one piece of memory. */
    public Request write(long offset, MemorySegment from, long fromOffset, long length, boolean fua) {
        start(Op.WRITE, offset, length, fua);
        return add(from, fromOffset, length);
    }

    /** Makes this a flush. */
    public Request flush() {
        return start(Op.FLUSH, 0, 0, false);
    }

    /** Makes this a discard. */
    public Request discard(long offset, long length, boolean fua) {
        return start(Op.DISCARD, offset, length, fua);
    }

    /** Makes this a write of zeroes. */
    public Request writeZeroes(long offset, long length, boolean fua) {
        return start(Op.WRITE_ZEROES, offset, length, fua);
    }

    /**
     * Makes this a request without memory yet; {@link #add} adds it for a read or write.
     *
     * @param offset bytes from the device's start
     * @param length bytes; 0 for a flush only
     * @param fua complete only when this request's own data is stable
     */
    public Request start(Op op, long offset, long length, boolean fua) {
        assert !inFlight : "request changed while in flight: " + this;
        this.op = op;
        this.offset = offset;
        this.length = length;
        this.fua = fua;
        Arrays.fill(memory, 0, segments, null);
        segments = 0;
        return this;
    }

    /**
     * Adds a piece of memory behind those already there. The pieces' lengths must sum to the request's length. Grows
     * its tables when they are full, which allocates; they keep that size.
     *
     * @param segment native or heap memory; a device may accept native memory only and then says so
     */
    public Request add(MemorySegment segment, long segmentOffset, long segmentLength) {
        if (segments == memory.length) {
            memory = Arrays.copyOf(memory, segments * 2);
            memoryOffset = Arrays.copyOf(memoryOffset, segments * 2);
            memoryLength = Arrays.copyOf(memoryLength, segments * 2);
        }
        memory[segments] = segment;
        memoryOffset[segments] = segmentOffset;
        memoryLength[segments] = segmentLength;
        segments++;
        return this;
    }

    /**
     * Adds the part {@code [from, from + length)} of another request's data to this one's, piece by piece, without
     * copying a byte. Both then share that memory.
     */
    public Request addPartOf(Request other, long from, long length) {
        long skip = from;
        long left = length;
        for (int i = 0; i < other.segments && left > 0; i++) {
            long here = other.memoryLength[i];
            if (skip >= here) {
                skip -= here;
                continue;
            }
            long take = Math.min(left, here - skip);
            add(other.memory[i], other.memoryOffset[i] + skip, take);
            left -= take;
            skip = 0;
        }
        assert left == 0 : "part beyond the request's data: from=" + from + ", length=" + length + ", of " + other;
        return this;
    }

    /** What is asked for. */
    public Op op() {
        return op;
    }

    /** Forced unit access: it completes only when its own data is stable. */
    public boolean fua() {
        return fua;
    }

    /** Bytes from the device's start. */
    public long offset() {
        return offset;
    }

    /** Bytes. */
    public long length() {
        return length;
    }

    /** Where it ends: the first byte it does not touch. */
    public long end() {
        return offset + length;
    }

    /** How many pieces of memory it has. */
    public int segments() {
        return segments;
    }

    /** Piece {@code i} of the memory, of which {@link #memoryOffset} and {@link #memoryLength} give the part that counts. */
    public MemorySegment memory(int i) {
        return memory[i];
    }

    /** Where piece {@code i} starts within {@link #memory}, in bytes. */
    public long memoryOffset(int i) {
        return memoryOffset[i];
    }

    /** How long piece {@code i} is, in bytes. */
    public long memoryLength(int i) {
        return memoryLength[i];
    }

    /** How it ended. Means nothing while it is in flight. */
    public IoStatus status() {
        return status;
    }

    /** A number of the owner's, which no device looks at. */
    public long user() {
        return user;
    }

    /** Sets the owner's number. */
    public void user(long value) {
        user = value;
    }

    /** An object of the owner's, which no device looks at. */
    public Object context() {
        return context;
    }

    /** Sets the owner's object. */
    public void context(Object value) {
        context = value;
    }

    /** Device side: the channel has taken it. */
    public void started() {
        assert !inFlight : "submitted twice: " + this;
        inFlight = true;
    }

    /** Device side: it has ended. Gives it back to its owner, whose completion may submit it again at once. */
    public void complete(IoStatus outcome) {
        assert inFlight : "completed without being in flight: " + this;
        inFlight = false;
        status = outcome;
        completion.completed(this);
    }

    /** Device side: how it will end, kept until {@link #complete()}. */
    public void outcome(IoStatus outcome) {
        status = outcome;
    }

    /** Device side: it has ended as {@link #outcome} said. */
    public void complete() {
        complete(status);
    }

    @Override
    public String toString() {
        return op + (fua ? "+FUA" : "") + " offset=" + offset + " length=" + length + " segments=" + segments
                + " status=" + (inFlight ? "in flight" : status);
    }
}
