package io.tenfold.block;

import java.io.IOException;

/** A device's failure, for blocking callers. */
public final class IoStatusException extends IOException {
    private static final long serialVersionUID = 1;

    private final IoStatus status;

    IoStatusException(String device, IoStatus status, Request request) {
        super("I/O failed: device=" + device + ", status=" + status + ", op=" + request.op() + ", offset="
                + request.offset() + ", length=" + request.length());
        this.status = status;
    }

    /** What the device said. */
    public IoStatus status() {
        return status;
    }
}
