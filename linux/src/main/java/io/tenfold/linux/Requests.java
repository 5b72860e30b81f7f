package io.tenfold.linux;

import io.tenfold.block.DeviceLimits;
import io.tenfold.block.Request;

/** What both kinds of channel do with a request before it goes to the kernel. */
final class Requests {
    private Requests() {}

    /** The submitter's promises, asserted. */
    static void check(LinuxFile file, Request request) {
        assert keepsToLimits(file, request)
                : "request breaks the device's limits: " + request + ", size=" + file.sizeBytes() + ", limits="
                        + file.limits();
    }

    private static boolean keepsToLimits(LinuxFile file, Request request) {
        DeviceLimits limits = file.limits();
        long block = limits.blockBytes();
        boolean inside = request.offset() >= 0
                && request.length() >= 0
                && request.length() <= file.sizeBytes() - request.offset()
                && request.offset() % block == 0
                && request.length() % block == 0
                && !(limits.readOnly() && request.op().changes());
        return inside
                && switch (request.op()) {
                    case READ, WRITE ->
                        request.length() <= limits.transferBytesMax()
                                && request.segments() <= limits.segmentsMax()
                                && memoryIsAligned(request, limits.memoryAlignment());
                    case DISCARD -> request.length() <= limits.discardBytesMax();
                    case WRITE_ZEROES -> request.length() <= limits.zeroBytesMax();
                    case FLUSH -> request.length() == 0;
                };
    }

    private static boolean memoryIsAligned(Request request, int alignment) {
        long sum = 0;
        for (int i = 0; i < request.segments(); i++) {
            long address = request.memory(i).address() + request.memoryOffset(i);
            long length = request.memoryLength(i);
            if (!request.memory(i).isNative() || (address | length) % alignment != 0) {
                return false;
            }
            sum += length;
        }
        return sum == request.length();
    }

    /** The request's memory as the kernel takes it. */
    static void gather(Request request, IoVector into) {
        into.clear();
        for (int i = 0; i < request.segments(); i++) {
            if (request.memoryLength(i) > 0) {
                into.add(request.memory(i).address() + request.memoryOffset(i), request.memoryLength(i));
            }
        }
    }
}
