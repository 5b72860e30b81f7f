package io.tenfold.queue;

import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;

/**
 * Where a request is cut into pieces that one device can take, and which requests may become one. Each piece is as long
 * as the limits allow, so there are as few as possible: whatever fits the limits does so in part too.
 *
 * <p>Positions are bytes from the request's start. A request with data is cut at multiples of the block and of the memory's
 * alignment, whichever is larger, wherever its segments end; so the memory of every piece is as aligned as the whole was.
 *
 * <p>Some requests cannot be cut: one block lies in more segments than the device takes, or the memory's alignment
 * forbids a cut where the boundary asks for one. For these {@link #count} is 0, and the request ends with {@link
 * #refusal} before any piece of it is started. It is the submitter's mistake, although no {@link DeviceLimits} can say so.
 *
 * <p>Threads: any; it never changes, and allocates nothing.
 */
final class Cuts {
    /** What a queue offers where it cuts; a multiple of every block there can be. */
    private static final int OFFERED_TRANSFER_BYTES = 1 << 30;

    private static final int OFFERED_SEGMENTS = 1024;
    private static final long OFFERED_RANGE_BYTES = 1L << 40;

    private final DeviceLimits limits;
    private final long boundaryBytes;
    private final int dataUnitBytes;

    /**
     * Cuts for a device.
     *
     * @param limits the device's
     * @param boundaryBytes no piece crosses a multiple of it; a multiple of the block, 0: there is none
     */
    Cuts(DeviceLimits limits, long boundaryBytes) {
        if (boundaryBytes < 0 || boundaryBytes % limits.blockBytes() != 0) {
            throw new IllegalArgumentException("boundary must be a multiple of the block, or 0: boundaryBytes="
                    + boundaryBytes + ", blockBytes=" + limits.blockBytes());
        }
        this.limits = limits;
        this.boundaryBytes = boundaryBytes;
        dataUnitBytes = Math.max(limits.blockBytes(), limits.memoryAlignment());
    }

    /** The limits of a queue that cuts for this device: the device's, but long transfers in many segments, long ranges. */
    DeviceLimits offered() {
        return new DeviceLimits(
                limits.blockBytes(),
                limits.memoryAlignment(),
                Math.max(limits.transferBytesMax(), OFFERED_TRANSFER_BYTES),
                Math.max(limits.segmentsMax(), OFFERED_SEGMENTS),
                offeredRange(limits.discardBytesMax()),
                offeredRange(limits.zeroBytesMax()),
                limits.optimalBytes(),
                limits.rotational(),
                limits.readOnly());
    }

    private static long offeredRange(long bytesMax) {
        return bytesMax == 0 ? 0 : Math.max(bytesMax, OFFERED_RANGE_BYTES);
    }

    /** Whether the device takes the request as it is. */
    boolean fits(Request request) {
        if (request.op() == Op.FLUSH) {
            return true;
        }
        return request.length() > 0
                && request.length() <= bytesMax(request.op())
                && request.segments() <= limits.segmentsMax()
                && isWithinBoundary(request.offset(), request.length());
    }

    /** How many pieces the request is cut into; 0 if that cannot be done, and then {@link #refusal} says how it ends. */
    long count(Request request) {
        if (fits(request)) {
            return 1;
        }
        long count = 0;
        long from = 0;
        do {
            long to = end(request, from);
            if (to == from) {
                return 0;
            }
            from = to;
            count++;
        } while (from < request.length());
        return count;
    }

    /** How a request that cannot be cut ends: the device cannot do its kind at all, or not with such memory. */
    IoStatus refusal(Request request) {
        return bytesMax(request.op()) == 0 ? IoStatus.NOT_SUPPORTED : IoStatus.INVALID;
    }

    /**
     * Where the piece that starts at {@code from} ends.
     *
     * @param request not a flush
     * @param from 0, or where the piece before ended; below the request's length
     * @return the position after the piece; {@code from} if there is none
     */
    long end(Request request, long from) {
        Op op = request.op();
        long left = request.length() - from;
        long most = Math.min(left, bytesMax(op));
        if (boundaryBytes != 0) {
            most = Math.min(most, boundaryBytes - (request.offset() + from) % boundaryBytes);
        }
        if (request.segments() > limits.segmentsMax()) {
            most = Math.min(most, spanOfSegments(request, from));
        }
        return from + (most == left ? left : most - most % unitBytes(op));
    }

    /** How many bytes from a position on lie in as many segments as the device takes. */
    private long spanOfSegments(Request request, long from) {
        long skip = from;
        int i = 0;
        while (skip >= request.memoryLength(i)) {
            skip -= request.memoryLength(i++);
        }
        long span = -skip;
        for (int count = 0; i < request.segments() && count < limits.segmentsMax(); i++) {
            span += request.memoryLength(i);
            count += request.memoryLength(i) > 0 ? 1 : 0; // A piece leaves empty segments out.
        }
        return span;
    }

    /** Whether {@code next} may follow {@code first} in one request: see {@link #mayMerge(Request, long, int, Request)}. */
    boolean mayMerge(Request first, Request next) {
        return mayMerge(first, first.length(), first.segments(), next);
    }

    /**
     * Whether a request may become one with others that it follows without a gap, so that the device takes them together.
     *
     * @param first the first of them
     * @param length how long they are together
     * @param segments how many segments they have together
     */
    boolean mayMerge(Request first, long length, int segments, Request next) {
        return first.op() == next.op()
                && first.op() != Op.FLUSH
                && first.offset() + length == next.offset()
                && first.fua() == next.fua()
                && length + next.length() <= bytesMax(first.op())
                && segments + next.segments() <= limits.segmentsMax()
                && isWithinBoundary(first.offset(), length + next.length());
    }

    private boolean isWithinBoundary(long offset, long length) {
        return boundaryBytes == 0 || length <= boundaryBytes - offset % boundaryBytes;
    }

    private int unitBytes(Op op) {
        return op.carriesData() ? dataUnitBytes : limits.blockBytes();
    }

    private long bytesMax(Op op) {
        return switch (op) {
            case READ, WRITE -> limits.transferBytesMax();
            case DISCARD -> limits.discardBytesMax();
            case WRITE_ZEROES -> limits.zeroBytesMax();
            case FLUSH -> 0;
        };
    }
}
