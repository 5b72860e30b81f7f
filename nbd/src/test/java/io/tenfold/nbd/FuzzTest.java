package io.tenfold.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * Streams of garbage, and of sense with some garbage in it: no exception escapes, the server comes to rest, all memory
 * comes back, and a device that judges each request sees none beyond its limits. What is not offered for writing is not
 * written to.
 */
class FuzzTest {
    private static final int STREAMS = 10_000;
    private static final int STREAMS_OF_A_SERVER = 500;
    private static final int SIZE = 64 << 10;

    @Test
    void serverSurvivesTenThousandStreams() {
        for (int seed = 0; seed < STREAMS; seed += STREAMS_OF_A_SERVER) {
            TestDevice device = new TestDevice(SIZE);
            fuzz(seed, STREAMS_OF_A_SERVER, device, device);
        }
    }

    @Test
    void serverThatTakesTheDeviceForLargerThanItIsIsFoundOut() {
        TestDevice device = new TestDevice(SIZE);
        assertThatThrownBy(() -> fuzz(0, STREAMS_OF_A_SERVER, device, new Larger(device)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("beyond the device's limits");
    }

    @Test
    void writableExportWhereNoneShouldBeIsFoundOut() {
        TestDevice device = new TestDevice(SIZE);
        assertThatThrownBy(() -> run(0, STREAMS_OF_A_SERVER, new Export("sealed", "", device, false), device))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("sealed");
    }

    private static void fuzz(int seed, int streams, TestDevice device, BlockDevice served) {
        TestDevice sealed = new TestDevice(SIZE);
        run(seed, streams, new Export("sealed", "", sealed, true), sealed, new Export("disk", "", served, false));
        assertThat(device.openChannels).isZero();
    }

    private static void run(int firstSeed, int streams, Export sealedExport, TestDevice sealed, Export... others) {
        Export[] exports = Arrays.copyOf(others, others.length + 1);
        exports[others.length] = sealedExport;
        ServerUnderTest server = new ServerUnderTest(firstSeed, NbdLimits.usual(), exports);
        for (int seed = firstSeed; seed < firstSeed + streams; seed++) {
            Prng prng = new Prng(seed * 0x9E3779B97F4A7C15L + 1);
            Session session = server.connect();
            session.client.send(spoilt(prng, sensible(prng)));
            server.settle();
            if (prng.oneIn(2)) {
                session.client.close();
            } else {
                session.client.reset();
            }
            server.settle();
            assertThat(server.shard.connections()).as("left over, seed=" + seed).isZero();
            assertThat(session.client.ended).as("seed=" + seed).isTrue();
        }
        assertThat(sealed.content).as("the sealed export").containsOnly(0);
        server.close();
    }

    /** What a client might say, all of it at once. */
    private static byte[] sensible(Prng prng) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(ByteBuffer.allocate(4).putInt(prng.below(4)).array());
        for (int options = prng.below(4); options > 0; options--) {
            option(out, prng.below(12), randomBytes(prng, prng.below(prng.oneIn(10) ? 50_000 : 40)));
        }
        String name = prng.oneIn(2) ? "disk" : "sealed";
        if (prng.oneIn(4)) {
            option(out, 1, name.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        } else {
            option(out, 7, Session.infoData(name, prng.below(5)));
        }
        for (int requests = prng.below(20); requests > 0; requests--) {
            int type = prng.below(9);
            long length = switch (prng.below(4)) {
                case 0 -> prng.below(SIZE / 512) * 512L;
                case 1 -> prng.nextLong() & 0xffffffffL;
                case 2 -> prng.below(2 * SIZE);
                default -> 512;
            };
            long offset = prng.oneIn(4) ? prng.nextLong() : prng.below(SIZE / 512 + 3) * 512L;
            int flags = prng.oneIn(3) ? prng.below(65536) : prng.below(2);
            out.writeBytes(
                    Session.header(flags, type, prng.below(8), offset, length).array());
            if (type == 1) {
                out.writeBytes(randomBytes(prng, (int) Math.min(length, 3 * SIZE)));
            }
        }
        return out.toByteArray();
    }

    private static void option(ByteArrayOutputStream out, int option, byte[] data) {
        out.writeBytes(ByteBuffer.allocate(16)
                .putLong(Session.IHAVEOPT)
                .putInt(option)
                .putInt(data.length)
                .array());
        out.writeBytes(data);
    }

    /** The same with bytes changed, lost, doubled or cut off; or nothing but garbage; or as it is. */
    private static byte[] spoilt(Prng prng, byte[] bytes) {
        if (prng.oneIn(20)) {
            return randomBytes(prng, prng.below(2000));
        }
        byte[] result = bytes;
        for (int times = prng.below(4); times > 0; times--) {
            int at = prng.below(result.length);
            int length = 1 + prng.below(Math.min(64, result.length - at));
            switch (prng.below(6)) {
                case 0 -> result[at] ^= (byte) (1 << prng.below(8));
                case 1 -> result[at] = (byte) prng.nextLong();
                case 2 -> Arrays.fill(result, at, at + length, (byte) (prng.oneIn(2) ? 0xff : 0));
                case 3 -> result = without(result, at, length);
                case 4 -> result = twice(result, at, length);
                default -> result = Arrays.copyOf(result, 1 + at);
            }
        }
        return result;
    }

    private static byte[] without(byte[] bytes, int at, int length) {
        byte[] result = Arrays.copyOf(bytes, Math.max(1, bytes.length - length));
        System.arraycopy(bytes, at + length, result, at, Math.max(0, result.length - at));
        return result;
    }

    private static byte[] twice(byte[] bytes, int at, int length) {
        byte[] result = Arrays.copyOf(bytes, bytes.length + length);
        System.arraycopy(bytes, at, result, at + length, bytes.length - at);
        return result;
    }

    private static byte[] randomBytes(Prng prng, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) prng.nextLong();
        }
        return bytes;
    }

    /** Says that it is larger than it is. */
    private record Larger(TestDevice below) implements BlockDevice {
        @Override
        public String name() {
            return below.name();
        }

        @Override
        public long sizeBytes() {
            return below.sizeBytes() + 1024;
        }

        @Override
        public DeviceLimits limits() {
            return below.limits();
        }

        @Override
        public Channel open(Shard shard) {
            return below.open(shard);
        }

        @Override
        public void close() {
            below.close();
        }
    }
}
