package io.tenfold.block;

/** How a request ended. Everything but {@link #OK} is a failure, and says nothing of how much was done before it. */
public enum IoStatus {
    /** Done; for a request with FUA, and for a flush, stable. */
    OK,
    /** The device failed. */
    IO_ERROR,
    /** Just this range cannot be read, and repeating will not help. */
    MEDIUM_ERROR,
    /** No room for what was to be written. */
    NO_SPACE,
    /** The device takes no writes. */
    READ_ONLY,
    /** The device cannot do this kind of request. */
    NOT_SUPPORTED,
    /** The device is gone, or too little of it is left. */
    OFFLINE,
    /** Beyond the end, misaligned, or longer than the limits: the submitter's mistake, found at a trust boundary. */
    INVALID
}
