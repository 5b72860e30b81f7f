package io.tenfold.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.MemoryDevice;
import io.tenfold.block.NullDevice;
import io.tenfold.block.Op;
import io.tenfold.nbd.Session.Reply;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TransmissionTest {
    private static final int READ = 0;
    private static final int WRITE = 1;
    private static final int DISC = 2;
    private static final int FLUSH = 3;
    private static final int TRIM = 4;
    private static final int WRITE_ZEROES = 6;

    private static final int FUA = 1;
    private static final int NO_HOLE = 2;
    private static final int FAST_ZERO = 16;

    private static final int EPERM = 1;
    private static final int EINVAL = 22;
    private static final int ENOTSUP = 95;

    private static final int SIZE = 4 << 20;

    private TestDevice device = new TestDevice(SIZE);
    private ServerUnderTest server = new ServerUnderTest(device);
    private Session session = server.attached("disk");

    /** Starts over with another device. */
    private void serve(TestDevice another, boolean readOnly) {
        server.close();
        device = another;
        server = new ServerUnderTest(2, NbdLimits.usual(), new Export("disk", "", device, readOnly));
        session = server.attached("disk");
    }

    private static TestDevice limited(long discardBytesMax, long zeroBytesMax) {
        return new TestDevice(
                SIZE, new DeviceLimits(512, 512, 65536, 3, discardBytesMax, zeroBytesMax, 65536, false, false), 3);
    }

    @AfterEach
    void close() {
        device.hold = false;
        server.close();
        assertThat(device.openChannels).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        // command, flags, offset, length, error
        "0, 0, 0, 512, 0",
        "0, 1, 0, 512, 0", // FUA on a read means nothing.
        "0, 4, 0, 512, 22", // DF without structured replies.
        "0, 2, 0, 512, 22",
        "0, 8000, 0, 512, 22",
        "0, 0, 1, 512, 22", // Misaligned.
        "0, 0, 0, 511, 22",
        "0, 0, 4194304, 0, 0", // Nothing, at the end.
        "0, 0, 4194304, 512, 22",
        "0, 0, 4193792, 512, 0",
        "0, 0, 4193792, 1024, 22",
        "0, 0, -512, 512, 22", // Wraps around to 0.
        "0, 0, 9223372036854775296, 1024, 22",
        "0, 0, 0, 4294966784, 22",
        "0, 0, 0, 0, 0",
        "3, 0, 0, 0, 0",
        "3, 1, 0, 0, 0",
        "3, 2, 0, 0, 22",
        "3, 0, 512, 0, 22",
        "3, 0, 0, 512, 22",
        "4, 0, 0, 512, 0",
        "4, 1, 0, 4194304, 0",
        "4, 2, 0, 512, 22",
        "4, 0, 0, 4194816, 22",
        "4, 0, 1, 512, 22",
        "4, 0, 0, 0, 0",
        "6, 0, 0, 4194304, 0",
        "6, 1, 512, 512, 0",
        "6, 2, 512, 512, 0",
        "6, 16, 512, 512, 0",
        "6, 18, 512, 512, 95", // Fast and without a hole.
        "6, 4, 512, 512, 22",
        "6, 32, 512, 512, 22",
        "6, 0, 0, 4194816, 28",
        "6, 0, -512, 512, 28",
        "6, 0, 5, 512, 22",
        "6, 0, 0, 0, 0",
        "5, 0, 0, 512, 22", // CACHE is not advertised.
        "7, 0, 0, 512, 22", // Nor is BLOCK_STATUS.
        "8, 0, 0, 512, 22",
        "65535, 0, 0, 512, 22",
    })
    void requestWithoutPayloadIsAnswered(int type, int flags, long offset, long length, int error) {
        session.request(flags, type, 77, offset, length);
        session.request(0, READ, 78, 512, 512); // In step.
        server.settle();
        assertThat(errors(session.replies())).containsExactlyInAnyOrder("77:" + error, "78:0");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 512, 0",
        "1, 512, 2097152, 0",
        "2, 0, 512, 22",
        "16, 0, 1048576, 22",
        "0, 1, 512, 22",
        "0, 0, 513, 22",
        "0, 4193792, 1024, 28",
        "0, 4194304, 512, 28",
        "0, 4194304, 0, 0",
        "0, -512, 1048576, 28",
        "0, 9223372036854775296, 1024, 28",
        "0, 0, 0, 0",
    })
    void writeIsAnsweredAndItsPayloadTaken(int flags, long offset, int length, int error) {
        byte[] before = device.content.clone();
        session.write(flags, 5, offset, pattern(length, 1));
        session.write(0, 6, 3 << 20, pattern(512, 2)); // In step.
        server.settle();
        assertThat(errors(session.replies())).containsExactlyInAnyOrder("5:" + error, "6:0");
        System.arraycopy(pattern(512, 2), 0, before, 3 << 20, 512);
        if (error == 0 && length > 0) {
            System.arraycopy(pattern(length, 1), 0, before, (int) offset, length);
        }
        assertThat(Arrays.equals(device.content, before))
                .as("only what was written")
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"512", "32768", "33280", "1048576", "1049088", "3145728"})
    void whatWasWrittenReadsBack(int length) {
        session.write(0, 1, 512, pattern(length, 1));
        server.settle();
        session.request(0, READ, 2, 512, length);
        server.settle();
        List<Reply> replies = session.replies();
        assertThat(errors(replies)).containsExactly("1:0", "2:0");
        assertThat(replies.get(1).data()).isEqualTo(pattern(length, 1));
    }

    @Test
    void largestRequestIsServed() {
        serve(new TestDevice(33 << 20), false);
        session.write(0, 1, 512, pattern(32 << 20, 1));
        server.settle();
        session.request(0, READ, 2, 512, 32 << 20);
        server.settle();
        assertThat(session.replies().get(1).data()).isEqualTo(pattern(32 << 20, 1));
    }

    @Test
    void readLongerThanTheLargestIsInvalid() {
        serve(new TestDevice(33 << 20), false);
        session.request(0, READ, 2, 0, (32 << 20) + 512);
        server.settle();
        assertThat(errors(session.replies())).containsExactly("2:22");
    }

    @Test
    void writeOf33MebibytesEndsTheConnection() {
        session.send(Session.header(0, WRITE, 1, 0, 33 << 20));
        server.settle();
        assertThat(session.client.ended).isTrue();
        assertThat(server.closed.getFirst()).startsWith("write is longer than 33554432 bytes: type=1");
    }

    @Test
    void spanOf3GibibytesIsServedInPieces() {
        server.close();
        NullDevice large = new NullDevice(8L << 30);
        server = new ServerUnderTest(2, NbdLimits.usual(), new Export("disk", "", large, false));
        session = server.attached("disk");
        session.request(0, WRITE_ZEROES, 1, 512, 3L << 30);
        session.request(FUA, TRIM, 2, 4L << 30, 3L << 30);
        session.request(NO_HOLE, WRITE_ZEROES, 3, 0, 3L << 30);
        server.settle();
        assertThat(errors(session.replies())).containsExactlyInAnyOrder("1:0", "2:0", "3:0");
    }

    @Test
    void readOnlyExportRefusesChangesAndTakesTheirPayload() {
        serve(new TestDevice(SIZE), true);
        session.write(0, 1, 0, pattern(300_032, 1));
        session.request(0, TRIM, 2, 0, 512);
        session.request(0, WRITE_ZEROES, 3, 0, 512);
        session.request(0, FLUSH, 4, 0, 0);
        session.request(0, READ, 5, 0, 512);
        server.settle();
        assertThat(errors(session.replies()))
                .containsExactlyInAnyOrder("1:" + EPERM, "2:" + EPERM, "3:" + EPERM, "4:0", "5:0");
        assertThat(device.content).containsOnly(0);
    }

    @ParameterizedTest
    @CsvSource({
        "IO_ERROR, 5",
        "MEDIUM_ERROR, 5",
        "NO_SPACE, 28",
        "READ_ONLY, 1",
        "OFFLINE, 5",
        "INVALID, 22",
    })
    void failureOfTheDeviceIsTold(IoStatus status, int error) {
        serve(limited(1 << 20, 1 << 20), false);
        device.fault = request -> request.offset() == 131_072 ? status : null;
        session.write(0, 1, 0, pattern(300_032, 1)); // Several pieces, of which one fails.
        session.request(0, READ, 2, 131_072, 300_032);
        session.request(0, TRIM, 3, 131_072, 512);
        session.request(0, WRITE_ZEROES, 4, 131_072, 512);
        session.request(0, READ, 5, 0, 512);
        server.settle();
        assertThat(errors(session.replies()))
                .containsExactlyInAnyOrder("1:" + error, "2:" + error, "3:" + error, "4:" + error, "5:0");
    }

    @Test
    void flushAndFuaReachTheDevice() {
        device.remember = true;
        session.write(FUA, 1, 0, pattern(512, 1));
        server.settle();
        session.write(0, 2, 512, pattern(512, 1));
        server.settle();
        session.request(0, FLUSH, 3, 0, 0);
        server.settle();
        session.request(FUA, TRIM, 4, 1024, 512);
        server.settle();
        session.request(FUA, WRITE_ZEROES, 5, 2048, 512);
        server.settle();
        session.request(FUA, READ, 6, 2048, 512);
        server.settle();
        assertThat(device.done)
                .containsExactly(
                        "WRITE+FUA 0 512",
                        "WRITE 512 512",
                        "FLUSH 0 0",
                        "DISCARD+FUA 1024 512",
                        "WRITE_ZEROES+FUA 2048 512",
                        "READ 2048 512");
    }

    @Test
    void everyPieceOfAWriteWithFuaHasIt() {
        serve(limited(0, 0), false);
        device.remember = true;
        session.write(FUA, 1, 0, pattern(200_192, 1));
        session.request(FUA, WRITE_ZEROES, 2, 1 << 20, 200_192);
        server.settle();
        assertThat(device.done).hasSizeGreaterThan(6).allMatch(text -> text.startsWith("WRITE+FUA"));
    }

    @Test
    void flushOfOneConnectionReachesTheDeviceForAll() {
        Session second = server.attached("disk");
        device.remember = true;
        session.write(0, 1, 0, pattern(512, 1));
        server.settle();
        assertThat(session.replies()).hasSize(1);
        second.request(0, FLUSH, 1, 0, 0);
        server.settle();
        assertThat(second.replies()).hasSize(1);
        assertThat(device.done).containsExactly("WRITE 0 512", "FLUSH 0 0");
    }

    @Test
    void zeroesAreWrittenByHandWhereTheDeviceCannotZero() {
        serve(limited(0, 0), false);
        device.remember = true;
        Arrays.fill(device.content, (byte) 7);
        session.request(0, WRITE_ZEROES, 1, 512, 3 << 20);
        server.settle();
        assertThat(errors(session.replies())).containsExactly("1:0");
        assertThat(Arrays.copyOfRange(device.content, 512, 512 + (3 << 20))).containsOnly(0);
        assertThat(device.content[511] + device.content[512 + (3 << 20)]).isEqualTo(14);
        assertThat(device.done).allMatch(text -> text.startsWith("WRITE "));
    }

    @Test
    void zeroesWithoutAHoleAreWrittenByHand() {
        device.remember = true;
        session.request(NO_HOLE, WRITE_ZEROES, 1, 512, 1024);
        server.settle();
        assertThat(device.done).containsExactly("WRITE 512 1024");
    }

    @Test
    void fastZeroIsRefusedAtOnceWhereTheDeviceCannotZero() {
        serve(limited(0, 0), false);
        device.remember = true;
        session.request(FAST_ZERO, WRITE_ZEROES, 1, 512, 3 << 20);
        server.settle();
        assertThat(errors(session.replies())).containsExactly("1:" + ENOTSUP);
        assertThat(device.done).isEmpty();
    }

    @Test
    void deviceThatTurnsOutUnableToZeroIsHelped() {
        device.fault = request -> request.op() == Op.WRITE_ZEROES ? IoStatus.NOT_SUPPORTED : null;
        Arrays.fill(device.content, (byte) 7);
        session.request(FAST_ZERO, WRITE_ZEROES, 1, 0, 3 << 20);
        server.settle();
        assertThat(errors(session.replies())).containsExactly("1:" + ENOTSUP);
        assertThat(device.content).containsOnly(7);
        session.request(0, WRITE_ZEROES, 2, 0, 3 << 20);
        server.settle();
        assertThat(errors(session.replies())).containsExactly("2:0");
        assertThat(Arrays.copyOf(device.content, 3 << 20)).containsOnly(0);
    }

    @Test
    void zeroingThatStopsHalfWayIsFinishedByHand() {
        device.fault =
                request -> request.op() == Op.WRITE_ZEROES && request.offset() > 0 ? IoStatus.NOT_SUPPORTED : null;
        Arrays.fill(device.content, (byte) 7);
        session.request(0, WRITE_ZEROES, 1, 0, 3 << 20);
        server.settle();
        assertThat(errors(session.replies())).containsExactly("1:0");
        assertThat(Arrays.copyOf(device.content, 3 << 20)).containsOnly(0);
    }

    @Test
    void trimIsNotAdvertisedWhereTheDeviceCannotDiscard() {
        serve(limited(0, 1 << 20), false);
        session.request(0, TRIM, 1, 0, 512);
        server.settle();
        assertThat(errors(session.replies())).containsExactly("1:" + EINVAL);
        Session asking = server.greeted();
        asking.option(6, Session.infoData("disk"));
        server.settle();
        byte[] info = asking.optionReplies().getFirst().data();
        assertThat(ByteBuffer.wrap(info).getShort(10) & 1 << 5).isZero();
    }

    @Test
    void requestsOfOneReceiveAreAnsweredInOneSend() {
        server.close();
        try (MemoryDevice memory = new MemoryDevice(SIZE)) {
            server = new ServerUnderTest(2, NbdLimits.usual(), new Export("disk", "", memory, false));
            session = server.attached("disk");
            ByteBuffer all = ByteBuffer.allocate(64 * 28);
            for (int i = 0; i < 64; i++) {
                all.put(Session.header(0, READ, i, i * 4096L, 4096));
            }
            int sends = server.reactor.sends;
            session.send(all.flip());
            server.settle();
            // The memory cuts the 1792 bytes into as many receives as it likes; each is worth one send at most.
            assertThat(server.reactor.sends - sends).isBetween(1, 12);
            assertThat(session.bytes(1 << 20)).hasSize(64 * (16 + 4096));
            server.close();
        }
        serve(new TestDevice(SIZE), false);
    }

    @Test
    void disconnectWith64RequestsInFlightFinishesThem() {
        device.hold = true;
        device.room = 64;
        for (int i = 0; i < 32; i++) {
            session.write(0, i, i * 4096L, pattern(4096, i));
            session.request(0, READ, 100 + i, (1 << 20) + i * 4096L, 4096);
        }
        session.request(0, DISC, 0, 0, 0);
        server.settle();
        assertThat(device.inFlight).isEqualTo(64);
        assertThat(session.client.ended).isFalse();
        device.hold = false;
        server.settle();
        assertThat(session.replies()).hasSize(64).allMatch(reply -> reply.error() == 0);
        assertThat(session.client.ended).isTrue();
        assertThat(server.closed).containsExactly("client has taken leave");
        for (int i = 0; i < 32; i++) {
            assertThat(Arrays.copyOfRange(device.content, i * 4096, (i + 1) * 4096))
                    .isEqualTo(pattern(4096, i));
        }
    }

    @Test
    void closeWithoutLeaveFinishesWhatIsInFlight() {
        device.hold = true;
        session.write(0, 1, 0, pattern(4096, 1));
        session.client.close();
        server.settle();
        device.hold = false;
        server.settle();
        assertThat(errors(session.replies())).containsExactly("1:0");
        assertThat(server.closed).containsExactly("client has closed without taking leave");
    }

    @Test
    void cutConnectionLeavesNothingBehind() {
        device.hold = true;
        device.room = 100;
        for (int i = 0; i < 20; i++) {
            session.write(0, i, i * 65536L, pattern(65536, i));
            session.request(0, READ, 100 + i, (2 << 20) + i * 4096L, 4096);
        }
        session.send(Session.header(0, WRITE, 500, 0, 1 << 20)); // And a payload that will not come.
        session.client.send(new byte[1000]);
        server.settle();
        session.client.reset();
        server.settle();
        assertThat(session.client.ended).isTrue();
        assertThat(server.closed).containsExactly("connection is broken");
        assertThat(device.inFlight).isPositive();
        assertThat(server.shard.idle()).as("while the device works").isFalse();
        device.hold = false;
        server.settle();
        assertThat(server.shard.idle()).isTrue();
        for (int i = 0; i < 20; i++) { // What the device had been given, it did right.
            assertThat(Arrays.copyOfRange(device.content, i * 65536, (i + 1) * 65536))
                    .isEqualTo(pattern(65536, i));
        }
        Session next = server.attached("disk");
        next.request(0, READ, 1, 0, 65536);
        server.settle();
        assertThat(next.replies().getFirst().data()).isEqualTo(pattern(65536, 0));
    }

    @Test
    void clientThatGoesInTheMiddleOfAWriteHasWrittenNothing() {
        session.send(Session.header(0, WRITE, 1, 0, 1 << 20));
        session.client.send(pattern((1 << 20) - 1, 1));
        session.client.close();
        server.settle();
        assertThat(session.client.ended).isTrue();
        assertThat(device.content).containsOnly(0);
        assertThat(server.closed).containsExactly("client has closed in the middle of a write");
    }

    @Test
    void halfARequestIsWaitedFor() {
        byte[] header = Session.header(0, WRITE, 9, 512, 512).array();
        session.client.send(Arrays.copyOf(header, 13));
        server.settle();
        assertThat(session.replies()).isEmpty();
        assertThat(server.turn()).as("turns without a cause").isZero();
        session.client.send(Arrays.copyOfRange(header, 13, 28));
        session.client.send(pattern(512, 3));
        server.settle();
        assertThat(errors(session.replies())).containsExactly("9:0");
    }

    @Test
    void wrongMagicEndsTheConnection() {
        session.write(0, 1, 0, pattern(512, 1));
        session.client.send(new byte[28]);
        server.settle();
        assertThat(session.client.ended).isTrue();
        assertThat(server.closed).containsExactly("wrong magic of a request");
    }

    @Test
    void deviceThatFailsReadsSendsNoData() {
        device.fault = _ -> IoStatus.MEDIUM_ERROR;
        session.request(0, READ, 1, 0, 1 << 20);
        server.settle();
        assertThat(session.bytes(1 << 21)).hasSize(16);
        device.fault = _ -> null;
        session.request(0, READ, 2, 0, 1 << 20);
        server.settle();
        assertThat(session.bytes(1 << 21)).hasSize(16 + (1 << 20));
    }

    private static List<String> errors(List<Reply> replies) {
        return replies.stream().map(r -> r.cookie() + ":" + r.error()).toList();
    }

    /** Bytes of which each tells its place. */
    static byte[] pattern(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (((i + seed * 77L + 1) * 0x9E3779B97F4A7C15L) >>> 56);
        }
        return bytes;
    }
}
