package io.tenfold.nbd.wire;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The protocol's numbers, by their names in the protocol. */
public final class Wire {
    /** How integers lie in memory: anywhere, big-endian. */
    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    static final long NBDMAGIC = 0x4e42444d41474943L; // "NBDMAGIC"
    static final long IHAVEOPT = 0x49484156454f5054L; // "IHAVEOPT"
    static final long OPTION_REPLY_MAGIC = 0x0003e889045565a9L;
    static final int REQUEST_MAGIC = 0x25609513;
    static final int SIMPLE_REPLY_MAGIC = 0x67446698;

    // Handshake flags, the same bits from either side.
    static final int FIXED_NEWSTYLE = 1;
    static final int NO_ZEROES = 1 << 1;

    static final int OPT_EXPORT_NAME = 1;
    static final int OPT_ABORT = 2;
    static final int OPT_LIST = 3;
    static final int OPT_INFO = 6;
    static final int OPT_GO = 7;

    static final int REP_ACK = 1;
    static final int REP_SERVER = 2;
    static final int REP_INFO = 3;
    static final int REP_ERR_UNSUP = 0x80000001;
    static final int REP_ERR_INVALID = 0x80000003;
    static final int REP_ERR_UNKNOWN = 0x80000006;
    static final int REP_ERR_TOO_BIG = 0x80000009;

    static final int INFO_EXPORT = 0;
    static final int INFO_NAME = 1;
    static final int INFO_DESCRIPTION = 2;
    static final int INFO_BLOCK_SIZE = 3;

    /** The longest name of an export, in bytes. */
    public static final int NAME_BYTES_MAX = 4096;

    /** Transmission flags. */
    public static final int HAS_FLAGS = 1;

    public static final int READ_ONLY = 1 << 1;
    public static final int SEND_FLUSH = 1 << 2;
    public static final int SEND_FUA = 1 << 3;
    public static final int ROTATIONAL = 1 << 4;
    public static final int SEND_TRIM = 1 << 5;
    public static final int SEND_WRITE_ZEROES = 1 << 6;
    public static final int CAN_MULTI_CONN = 1 << 8;
    public static final int SEND_FAST_ZERO = 1 << 11;

    /** Commands. */
    public static final int CMD_READ = 0;

    public static final int CMD_WRITE = 1;
    public static final int CMD_DISC = 2;
    public static final int CMD_FLUSH = 3;
    public static final int CMD_TRIM = 4;
    public static final int CMD_WRITE_ZEROES = 6;

    /** Flags of commands. */
    public static final int FLAG_FUA = 1;

    public static final int FLAG_NO_HOLE = 1 << 1;
    public static final int FLAG_FAST_ZERO = 1 << 4;

    /** Errors in replies. */
    public static final int OK = 0;

    public static final int EPERM = 1;
    public static final int EIO = 5;
    public static final int EINVAL = 22;
    public static final int ENOSPC = 28;
    public static final int ENOTSUP = 95;
    public static final int ESHUTDOWN = 108;

    /** Bytes of a request before its payload. */
    public static final int REQUEST_BYTES = 28;

    /** Bytes of a simple reply before its data. */
    public static final int REPLY_BYTES = 16;

    /** The longest data of a read or write that is served: what a client may send without having asked. */
    public static final int PAYLOAD_BYTES_MAX = 32 << 20;

    private Wire() {}
}
