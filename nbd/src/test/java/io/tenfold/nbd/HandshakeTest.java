package io.tenfold.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.nbd.Session.OptionReply;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HandshakeTest {
    private static final int EXPORT_NAME = 1;
    private static final int ABORT = 2;
    private static final int LIST = 3;
    private static final int INFO = 6;
    private static final int GO = 7;

    private static final int ACK = 1;
    private static final int SERVER = 2;
    private static final int REP_INFO = 3;
    private static final int ERR_UNSUP = 0x80000001;
    private static final int ERR_INVALID = 0x80000003;
    private static final int ERR_UNKNOWN = 0x80000006;
    private static final int ERR_TOO_BIG = 0x80000009;

    private static final long SECOND = 1_000_000_000L;

    private final TestDevice device = new TestDevice(1 << 20);
    private final TestDevice other = new TestDevice(2 << 20);
    private final ServerUnderTest server = new ServerUnderTest(
            5,
            new NbdLimits(3, 64 << 20, 10 * SECOND, SECOND),
            new Export("disk", "a disk", device, false),
            new Export("other", "", other, true));

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void greetingOffersFixedNewstyleAndNoZeroes() {
        ByteBuffer greeting = ByteBuffer.wrap(server.connect().bytes(100));
        assertThat(greeting.remaining()).isEqualTo(18);
        assertThat(greeting.getLong()).isEqualTo(0x4e42444d41474943L);
        assertThat(greeting.getLong()).isEqualTo(0x49484156454f5054L);
        assertThat(greeting.getShort()).isEqualTo((short) 3);
    }

    @Test
    void unknownClientFlagsEndTheConnection() {
        Session session = server.connect();
        session.flags(4);
        server.settle();
        assertThat(session.client.ended).isTrue();
        assertThat(server.closed).containsExactly("unknown handshake flags: flags=0x4");
    }

    @Test
    void clientWithoutFlagsIsServed() {
        Session session = server.connect();
        session.bytes(18);
        session.flags(0);
        assertThat(ask(session, INFO, Session.infoData("disk")))
                .last()
                .extracting(OptionReply::type)
                .isEqualTo(ACK);
    }

    @Test
    void listNamesEveryExport() {
        List<OptionReply> replies = ask(server.greeted(), LIST, new byte[0]);
        assertThat(types(replies)).containsExactly(SERVER, SERVER, ACK);
        assertThat(replies.get(0).text()).isEqualTo("\0\0\0\4diska disk");
        assertThat(replies.get(1).text()).isEqualTo("\0\0\0\5other");
    }

    @Test
    void listWithDataIsInvalid() {
        Session session = server.greeted();
        assertThat(types(ask(session, LIST, new byte[1]))).containsExactly(ERR_INVALID);
        assertThat(types(ask(session, LIST, new byte[0]))).endsWith(ACK);
    }

    @Test
    void infoSaysTheSameEachTimeAndAsGo() {
        Session session = server.greeted();
        List<byte[]> first = data(ask(session, INFO, Session.infoData("disk", 1, 2, 3, 99)));
        List<byte[]> second = data(ask(session, INFO, Session.infoData("disk", 1, 2, 3, 99)));
        List<byte[]> go = data(ask(session, GO, Session.infoData("disk", 1, 2, 3, 99)));
        assertThat(first).usingRecursiveComparison().isEqualTo(second).isEqualTo(go);
        ByteBuffer export = ByteBuffer.wrap(first.get(0));
        assertThat(export.getShort()).isZero();
        assertThat(export.getLong()).isEqualTo(1 << 20);
        // HAS_FLAGS, FLUSH, FUA, TRIM, WRITE_ZEROES, MULTI_CONN, FAST_ZERO.
        assertThat(export.getShort()).isEqualTo((short) 0b1001_0110_1101);
        ByteBuffer blocks = ByteBuffer.wrap(first.get(1));
        assertThat(blocks.getShort()).isEqualTo((short) 3);
        assertThat(blocks.getInt()).isEqualTo(512);
        assertThat(blocks.getInt()).isEqualTo(65536);
        assertThat(blocks.getInt()).isEqualTo(32 << 20);
        assertThat(new String(first.get(2), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("\0\1disk");
        assertThat(new String(first.get(3), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("\0\2a disk");
    }

    @Test
    void readOnlyExportSaysSo() {
        List<byte[]> info = data(ask(server.greeted(), INFO, Session.infoData("other")));
        assertThat(ByteBuffer.wrap(info.getFirst()).getShort(10)).isEqualTo((short) 0b1_0000_1111);
    }

    @Test
    void emptyNameIsTheFirstExport() {
        Session session = server.greeted();
        List<byte[]> info = data(ask(session, INFO, Session.infoData("", 1)));
        assertThat(new String(info.get(2), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("\0\1disk");
    }

    @Test
    void deviceIsOpenedByGoAndNotBefore() {
        Session session = server.greeted();
        ask(session, LIST, new byte[0]);
        ask(session, INFO, Session.infoData("disk"));
        assertThat(device.openChannels).isZero();
        ask(session, GO, Session.infoData("disk"));
        assertThat(device.openChannels).isEqualTo(1);
        assertThat(other.openChannels).isZero();
        server.attached("disk");
        assertThat(device.openChannels).as("a shard's second connection").isEqualTo(1);
    }

    @Test
    void unknownExportIsRefusedAndTheNextOptionServed() {
        Session session = server.greeted();
        assertThat(types(ask(session, GO, Session.infoData("none")))).containsExactly(ERR_UNKNOWN);
        byte[] notText = Session.infoData("xx");
        notText[4] = (byte) 0xff;
        assertThat(types(ask(session, GO, notText))).containsExactly(ERR_UNKNOWN);
        assertThat(types(ask(session, GO, Session.infoData("other")))).endsWith(ACK);
    }

    @Test
    void infoWhoseCountsDoNotAddUpIsInvalid() {
        Session session = server.greeted();
        byte[] tooShort = new byte[5];
        byte[] longName = Session.infoData("disk");
        longName[3] = 7;
        byte[] hugeName = Session.infoData("disk");
        hugeName[0] = (byte) 0xff;
        byte[] moreCodes = Session.infoData("disk", 1);
        moreCodes[9] = 2;
        byte[] tail = new byte[Session.infoData("disk").length + 1];
        for (byte[] wrong : List.of(tooShort, longName, hugeName, moreCodes, tail)) {
            assertThat(types(ask(session, INFO, wrong))).containsExactly(ERR_INVALID);
        }
        assertThat(types(ask(session, INFO, Session.infoData("disk")))).endsWith(ACK);
    }

    @Test
    void nameThatIsTooLongIsTooBig() {
        assertThat(types(ask(server.greeted(), INFO, Session.infoData("x".repeat(4097)))))
                .containsExactly(ERR_TOO_BIG);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 5, 8, 9, 10, 11, 1000, -1})
    void optionThatIsNotServedIsRefusedInStep(int option) {
        Session session = server.greeted();
        for (int bytes : new int[] {0, 5, 40_000, 1 << 20}) {
            List<OptionReply> replies = ask(session, option, new byte[bytes]);
            assertThat(types(replies)).as("bytes=" + bytes).containsExactly(ERR_UNSUP);
            assertThat(replies.getFirst().option()).isEqualTo(option);
        }
        assertThat(types(ask(session, GO, Session.infoData("disk")))).endsWith(ACK);
    }

    @Test
    void knownOptionOfOneMebibyteIsTooBigInStep() {
        Session session = server.greeted();
        for (int option : new int[] {LIST, INFO, GO, ABORT}) {
            assertThat(types(ask(session, option, new byte[1 << 20]))).containsExactly(ERR_TOO_BIG);
        }
        assertThat(types(ask(session, GO, Session.infoData("disk")))).endsWith(ACK);
    }

    @Test
    void optionTooLongToPassOverEndsTheConnection() {
        Session session = server.greeted();
        session.send(ByteBuffer.allocate(16)
                .putLong(Session.IHAVEOPT)
                .putInt(1000)
                .putInt(-1)
                .flip());
        server.settle();
        assertThat(session.client.ended).isTrue();
        assertThat(server.closed).containsExactly("option is too long: option=1000, bytes=4294967295");
    }

    @Test
    void wrongMagicOfAnOptionEndsTheConnection() {
        Session session = server.greeted();
        session.send(ByteBuffer.allocate(16));
        server.settle();
        assertThat(session.client.ended).isTrue();
        assertThat(server.closed).containsExactly("wrong magic of an option: magic=0x0");
    }

    @Test
    void abortIsAcknowledgedAndThenTheConnectionEnds() {
        Session session = server.greeted();
        assertThat(types(ask(session, ABORT, new byte[3]))).containsExactly(ACK);
        assertThat(session.client.ended).isTrue();
    }

    @Test
    void exportNameIsAnsweredWithoutPaddingIfBothDoWithout() {
        Session session = server.greeted();
        session.option(EXPORT_NAME, "other".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        server.settle();
        ByteBuffer answer = ByteBuffer.wrap(session.bytes(1000));
        assertThat(answer.remaining()).isEqualTo(10);
        assertThat(answer.getLong()).isEqualTo(2 << 20);
        session.request(0, 0, 1, 0, 512);
        server.settle();
        assertThat(session.replies()).hasSize(1);
    }

    @Test
    void exportNameIsAnsweredWithPaddingOtherwise() {
        Session session = server.connect();
        session.bytes(18);
        session.flags(1);
        session.option(EXPORT_NAME, new byte[0]);
        server.settle();
        byte[] answer = session.bytes(1000);
        assertThat(answer).hasSize(10 + 124);
        assertThat(answer).endsWith(new byte[124]);
    }

    @Test
    void unknownExportNameEndsTheConnectionWithoutAByte() {
        Session session = server.greeted();
        session.option(EXPORT_NAME, "no\ne".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        server.settle();
        assertThat(session.client.ended).isTrue();
        assertThat(session.bytes(10)).isEmpty();
        assertThat(server.closed).containsExactly("no such export: name=\"no?e\"");
    }

    @Test
    void clientThatDoesNotWaitForAnswersIsServed() {
        Session session = server.connect();
        session.flags(3);
        session.option(1000, new byte[7]);
        session.option(LIST, new byte[0]);
        session.option(GO, Session.infoData("disk"));
        session.write(0, 1, 0, new byte[100 * 512]);
        session.request(0, 0, 2, 4096, 512);
        server.settle();
        session.bytes(18);
        List<Integer> got = new ArrayList<>();
        // The replies to requests follow those to options: as many as there must be.
        byte[] all = session.bytes(1 << 20);
        int at = 0;
        while (ByteBuffer.wrap(all).getInt(at) == 0x0003e889) {
            got.add(ByteBuffer.wrap(all).getInt(at + 12));
            at += 20 + ByteBuffer.wrap(all).getInt(at + 16);
        }
        assertThat(got).containsExactly(ERR_UNSUP, SERVER, SERVER, ACK, REP_INFO, REP_INFO, ACK);
        assertThat(all.length - at).isEqualTo(16 + 16 + 512);
    }

    @Test
    void clientThatSaysNothingIsCutOffInTime() {
        Session silent = server.connect();
        server.pass(5 * SECOND);
        Session slow = server.greeted();
        Session quick = server.attached("disk");
        server.pass(5 * SECOND);
        assertThat(silent.client.ended).isTrue();
        assertThat(slow.client.ended).isFalse();
        server.pass(5 * SECOND);
        assertThat(slow.client.ended).isTrue();
        server.pass(1000 * SECOND);
        assertThat(quick.client.ended).isFalse();
        assertThat(server.closed).containsOnly("client did not finish the handshake in time");
    }

    @Test
    void idleServerSetsNoTimer() {
        server.attached("disk");
        server.settle();
        assertThat(server.shard.idleNanosMax()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void oneConnectionTooManyIsTurnedAway() {
        Session first = server.attached("disk");
        server.connect();
        server.connect();
        Session fourth = server.connect();
        assertThat(fourth.client.ended).isTrue();
        assertThat(server.refused).containsExactly("too many connections: connectionsMax=3");
        first.client.close();
        server.settle();
        assertThat(server.connect().client.ended).isFalse();
    }

    @Test
    void clientThatLeavesInTheMiddleIsForgotten() {
        Session session = server.greeted();
        session.send(
                ByteBuffer.allocate(12).putLong(Session.IHAVEOPT).putInt(GO).flip());
        session.client.close();
        server.settle();
        assertThat(session.client.ended).isTrue();
        assertThat(server.shard.idle()).isTrue();
    }

    private List<OptionReply> ask(Session session, int option, byte[] data) {
        session.option(option, data);
        server.settle();
        return session.optionReplies();
    }

    private static List<Integer> types(List<OptionReply> replies) {
        return replies.stream().map(OptionReply::type).toList();
    }

    private static List<byte[]> data(List<OptionReply> replies) {
        return replies.stream().map(OptionReply::data).toList();
    }
}
