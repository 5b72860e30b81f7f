package io.tenfold.nbd.wire;

/** Which requests an export serves, and with which error the others are answered. */
public final class RequestRules {
    private RequestRules() {}

    /**
     * Judges a request other than a disconnect.
     *
     * @return {@link Wire#OK}, or the error to answer; a write's payload follows in either case
     */
    public static int check(RequestHeader request, ExportFacts export) {
        if ((request.flags() & ~flagsOf(request.type())) != 0) {
            return Wire.EINVAL;
        }
        return switch (request.type()) {
            case Wire.CMD_READ ->
                request.length() > Wire.PAYLOAD_BYTES_MAX ? Wire.EINVAL : range(request, export, Wire.EINVAL);
            case Wire.CMD_WRITE -> change(request, export, Wire.ENOSPC);
            case Wire.CMD_WRITE_ZEROES ->
                export.has(Wire.READ_ONLY) || export.has(Wire.SEND_WRITE_ZEROES)
                        ? change(request, export, Wire.ENOSPC)
                        : Wire.EINVAL;
            case Wire.CMD_TRIM ->
                export.has(Wire.READ_ONLY) || export.has(Wire.SEND_TRIM)
                        ? change(request, export, Wire.EINVAL)
                        : Wire.EINVAL;
            case Wire.CMD_FLUSH -> request.offset() == 0 && request.length() == 0 ? Wire.OK : Wire.EINVAL;
            default -> Wire.EINVAL; // Unknown, or not advertised.
        };
    }

    /** FUA on reads and flushes means nothing, but some clients set it. */
    private static int flagsOf(int type) {
        return switch (type) {
            case Wire.CMD_READ, Wire.CMD_WRITE, Wire.CMD_FLUSH, Wire.CMD_TRIM -> Wire.FLAG_FUA;
            case Wire.CMD_WRITE_ZEROES -> Wire.FLAG_FUA | Wire.FLAG_NO_HOLE | Wire.FLAG_FAST_ZERO;
            default -> 0;
        };
    }

    private static int change(RequestHeader request, ExportFacts export, int pastTheEnd) {
        return export.has(Wire.READ_ONLY) ? Wire.EPERM : range(request, export, pastTheEnd);
    }

    private static int range(RequestHeader request, ExportFacts export, int pastTheEnd) {
        long offset = request.offset();
        // Not offset + length: that may overflow.
        if (offset < 0 || offset > export.sizeBytes() || request.length() > export.sizeBytes() - offset) {
            return pastTheEnd;
        }
        return ((offset | request.length()) & (export.blockBytesMin() - 1)) == 0 ? Wire.OK : Wire.EINVAL;
    }
}
