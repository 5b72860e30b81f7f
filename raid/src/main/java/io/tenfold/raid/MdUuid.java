package io.tenfold.raid;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Identity of an array or a member, as md keeps it: 16 bytes, written as four groups of eight hexadecimal digits.
 *
 * @param high the first 8 bytes
 * @param low the last 8 bytes
 */
public record MdUuid(long high, long low) {
    static MdUuid of(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new MdUuid(buffer.getLong(), buffer.getLong());
    }

    /** The same 128 bits. */
    public static MdUuid of(UUID uuid) {
        return new MdUuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
    }

    UUID uuid() {
        return new UUID(high, low);
    }

    /** As mdadm prints it: {@code 52944d53:d7e15794:9c258687:e446b4da}. */
    @Override
    public String toString() {
        return "%08x:%08x:%08x:%08x".formatted((int) (high >>> 32), (int) high, (int) (low >>> 32), (int) low);
    }
}
