package io.tenfold.nbd;

import io.tenfold.block.BlockDevice;
import io.tenfold.block.DeviceLimits;
import io.tenfold.nbd.wire.ExportFacts;
import io.tenfold.nbd.wire.Offer;
import io.tenfold.nbd.wire.Wire;

/**
 * A device under the name by which clients ask for it.
 *
 * @param name at most 4096 bytes; may be empty
 * @param description for people; at most 4096 bytes; may be empty
 * @param device stays the caller's, who closes it after the server's last shard
 * @param readOnly whether writes are refused, also where the device would take them
 */
public record Export(String name, String description, BlockDevice device, boolean readOnly) {
    /** The least that is worth naming as preferred; smaller requests cost as much. */
    private static final int PREFERRED_MIN = 4096;

    public Export {
        DeviceLimits limits = device.limits();
        if (limits.transferBytesMax() < limits.memoryAlignment()) {
            throw new IllegalArgumentException("device takes less at a time than it wants memory aligned to: device="
                    + device.name() + ", transferBytesMax=" + limits.transferBytesMax() + ", memoryAlignment="
                    + limits.memoryAlignment());
        }
    }

    /** What the handshake says of it. */
    Offer offer() {
        DeviceLimits limits = device.limits();
        return new Offer(
                name,
                description,
                new ExportFacts(device.sizeBytes(), flags(limits), limits.blockBytes(), preferredBytes(limits)));
    }

    /**
     * Several connections may share an export, since a device's flush covers what was completed on any channel and what
     * one channel has completed another one reads.
     */
    private int flags(DeviceLimits limits) {
        int flags = Wire.HAS_FLAGS | Wire.SEND_FLUSH | Wire.SEND_FUA | Wire.CAN_MULTI_CONN;
        flags |= limits.rotational() ? Wire.ROTATIONAL : 0;
        if (readOnly || limits.readOnly()) {
            return flags | Wire.READ_ONLY;
        }
        flags |= Wire.SEND_WRITE_ZEROES | Wire.SEND_FAST_ZERO;
        return flags | (limits.discardBytesMax() > 0 ? Wire.SEND_TRIM : 0);
    }

    /** The chunk, of an array whose optimal transfer is several; the protocol wants a power of two. */
    private static int preferredBytes(DeviceLimits limits) {
        int preferred = Math.max(Integer.lowestOneBit(limits.optimalBytes()), PREFERRED_MIN);
        return Math.min(Math.max(preferred, limits.blockBytes()), Wire.PAYLOAD_BYTES_MAX);
    }
}
