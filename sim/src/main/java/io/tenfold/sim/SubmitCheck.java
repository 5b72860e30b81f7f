package io.tenfold.sim;

import io.tenfold.block.BlockDevice;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.Op;
import io.tenfold.block.Request;

/** Finds requests that keep to no contract: an error of the code above, not of the disk. */
final class SubmitCheck {
    private SubmitCheck() {}

    /**
     * Checks a request against a disk's limits and size.
     *
     * @throws AssertionError if the disk must not have been asked for this
     */
    static void require(BlockDevice disk, Request request) {
        DeviceLimits limits = disk.limits();
        int block = limits.blockBytes();
        long longest = switch (request.op()) {
            case READ, WRITE -> limits.transferBytesMax();
            case DISCARD -> limits.discardBytesMax();
            case WRITE_ZEROES -> limits.zeroBytesMax();
            case FLUSH -> 0;
        };
        boolean fits = request.offset() >= 0
                && request.length() >= 0
                && request.length() <= longest
                && request.length() <= disk.sizeBytes() - request.offset()
                && request.offset() % block == 0
                && request.length() % block == 0
                && (request.length() > 0) != (request.op() == Op.FLUSH)
                && request.segments() <= limits.segmentsMax()
                && (request.segments() > 0) == request.op().carriesData();
        long total = 0;
        for (int i = 0; i < request.segments(); i++) {
            long address = request.memory(i).address() + request.memoryOffset(i);
            fits &= !request.memory(i).isNative() || address % limits.memoryAlignment() == 0;
            fits &= request.memoryOffset(i) + request.memoryLength(i)
                    <= request.memory(i).byteSize();
            total += request.memoryLength(i);
        }
        if (!fits || (request.op().carriesData() && total != request.length())) {
            throw new AssertionError("request outside of the disk's limits: disk=" + disk.name() + ", sizeBytes="
                    + disk.sizeBytes() + ", limits=" + limits + ", request=" + request);
        }
    }
}
