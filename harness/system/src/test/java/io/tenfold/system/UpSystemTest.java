package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.ContentRule;
import io.tenfold.testkit.NbdClient;
import io.tenfold.testkit.Sha256;
import io.tenfold.testkit.Tool;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The main job: one command makes an array and serves it, and finds it again after any end. */
@Timeout(300)
class UpSystemTest {
    private static final int PIECE = 1 << 20;

    @TempDir
    Path dir;

    private Tenfold up(Path data, Object... options) throws IOException, InterruptedException {
        List<Object> words = new ArrayList<>(List.of("up", data, "--listen", "127.0.0.1:0"));
        words.addAll(List.of(options));
        return Tenfold.start(dir.resolve("logs"), words.toArray());
    }

    private static List<Path> membersIn(Path data) throws IOException {
        try (Stream<Path> files = Files.list(data)) {
            return files.filter(file -> {
                        try {
                            return Files.isRegularFile(file) && Files.size(file) > PIECE;
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .sorted()
                    .toList();
        }
    }

    private static void fill(Tenfold server, long seed) throws IOException {
        ContentRule rule = new ContentRule(seed);
        try (NbdClient client = server.connect()) {
            for (long at = 0; at < client.size(); at += PIECE) {
                client.write(at, rule.bytes(at, (int) Math.min(PIECE, client.size() - at)), 0);
            }
            client.flush();
        }
    }

    private static void assertFilled(Tenfold server, long seed) throws IOException {
        ContentRule rule = new ContentRule(seed);
        try (NbdClient client = server.connect()) {
            for (long at = 0; at < client.size(); at += PIECE) {
                byte[] found = client.read(at, (int) Math.min(PIECE, client.size() - at));
                assertThat(rule.firstDifference(MemorySegment.ofArray(found), at))
                        .isEqualTo(-1);
            }
        }
    }

    @Test
    void dataWrittenByNbdcopyIsThereAfterAKill() throws Exception {
        Tool.require(Tool.NBDCOPY, Tool.NBDINFO);
        Path data = dir.resolve("data");
        Path written = dir.resolve("written");
        try (InputStream random = Files.newInputStream(Path.of("/dev/urandom"))) {
            Files.write(written, random.readNBytes(256 << 20));
        }
        String hash = Sha256.of(written);
        try (Tenfold server = up(data)) {
            String size = Tool.NBDINFO.run("--size", server.address()).out().strip();
            assertThat(Long.parseLong(size)).isGreaterThanOrEqualTo(256 << 20);
            assertThat(Tool.NBDINFO.run(server.address()).out()).contains("export-size: " + size);
            Tool.NBDCOPY.run("--flush", written, server.address());
            server.kill();
        }
        try (Tenfold server = up(data)) {
            Path read = dir.resolve("read");
            Tool.NBDCOPY.run(server.address(), read);
            try (InputStream in = Files.newInputStream(read)) {
                assertThat(Sha256.of(new ByteArrayInputStream(in.readNBytes(256 << 20))))
                        .isEqualTo(hash);
            }
        }
    }

    @Test
    void firstStartMakesFourMembersOfNear2WithChunk512KAndMetadata12() throws Exception {
        Path data = dir.resolve("data");
        try (Tenfold server = up(data, "--size", "64M")) {
            try (NbdClient client = server.connect()) {
                assertThat(client.size()).isEqualTo(64 << 20);
            }
            assertThat(server.output()).contains(server.address().toString()).contains("nbd");
            assertThat(server.stop()).isZero();
        }
        List<Path> members = membersIn(data);
        assertThat(members).hasSize(4);
        for (Path member : members) {
            Superblock superblock = Superblock.of(member);
            assertThat(superblock.get(Superblock.LEVEL)).isEqualTo(10);
            assertThat(superblock.get(Superblock.LAYOUT)).isEqualTo(0x102);
            assertThat(superblock.get(Superblock.CHUNK)).isEqualTo(1024);
            assertThat(superblock.get(Superblock.RAID_DISKS)).isEqualTo(4);
            assertThat(superblock.get(Superblock.RESYNC_OFFSET))
                    .as("stopped clean")
                    .isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @CsvSource({"4,n2,512K", "3,n2,64K", "5,n3,64K", "4,f2,64K", "4,o2,512K", "2,n2,4K"})
    void arrayOfAnyLayoutIsFoundAgainAfterACleanStop(int count, String layout, String chunk) throws Exception {
        Path data = dir.resolve("data");
        try (Tenfold server = up(data, "--size", "16M", "--members", count, "--layout", layout, "--chunk", chunk)) {
            fill(server, 1);
            assertThat(server.stop()).isZero();
        }
        assertThat(membersIn(data)).hasSize(count);
        try (Tenfold server = up(data)) {
            assertFilled(server, 1);
        }
    }

    @Test
    void servesOnAUnixSocket() throws Exception {
        Path socket = dir.resolve("socket");
        try (Tenfold server =
                Tenfold.start(dir, "up", dir.resolve("data"), "--size", "16M", "--listen", "unix:" + socket)) {
            assertThat(server.address().toString()).contains(socket.toString());
            fill(server, 3);
            assertFilled(server, 3);
            assertThat(server.stop()).isZero();
        }
        assertThat(socket).as("no socket file is left behind").doesNotExist();
    }

    /** Take any one member away: served degraded, said, content whole, also for what is written meanwhile. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void anyOneMemberMayBeMissing(int missing) throws Exception {
        Path data = dir.resolve("data");
        try (Tenfold server = up(data, "--size", "16M")) {
            fill(server, 1);
            assertThat(server.stop()).isZero();
        }
        Path away = membersIn(data).get(missing);
        int slot = Superblock.of(away).role((int) Superblock.of(away).get(Superblock.DEV_NUMBER));
        Files.move(away, dir.resolve("away"));
        try (Tenfold server = up(data)) {
            assertThat(server.output())
                    .containsIgnoringCase("degraded")
                    .containsPattern("missing[^\n]*\\b" + slot + "\\b");
            assertFilled(server, 1);
            fill(server, 2);
            assertThat(server.stop()).isZero();
        }
        try (Tenfold server = up(data)) {
            assertFilled(server, 2);
            assertThat(server.stop()).isZero();
        }
        // The member that missed the second filling comes back: it is not used.
        Files.move(dir.resolve("away"), away);
        Map<Path, String> before = Sha256.ofAll(List.of(away));
        try (Tenfold server = up(data)) {
            assertThat(server.output())
                    .containsIgnoringCase("degraded")
                    .contains(away.getFileName().toString());
            assertFilled(server, 2);
        }
        assertThat(Sha256.ofAll(List.of(away))).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"0,1", "2,3"})
    void twoOfOneMirrorPairAreRefusedWithTheirSlots(int one, int other) throws Exception {
        Path data = dir.resolve("data");
        try (Tenfold server = up(data, "--size", "16M")) {
            assertThat(server.stop()).isZero();
        }
        List<Path> members = membersIn(data);
        Files.delete(members.get(one));
        Files.delete(members.get(other));
        Map<Path, String> before = Sha256.ofAll(membersIn(data));
        Refusal.check(
                Tenfold.run("up", data, "--listen", "127.0.0.1:0"),
                "missing",
                String.valueOf(one),
                String.valueOf(other));
        assertThat(Sha256.ofAll(membersIn(data)))
                .as("and no new array is made over it")
                .isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"0,2", "1,2", "0,3", "1,3"})
    void twoOfDifferentPairsMayBeMissing(int one, int other) throws Exception {
        Path data = dir.resolve("data");
        try (Tenfold server = up(data, "--size", "16M")) {
            fill(server, 1);
            assertThat(server.stop()).isZero();
        }
        List<Path> members = membersIn(data);
        Files.delete(members.get(one));
        Files.delete(members.get(other));
        try (Tenfold server = up(data)) {
            assertThat(server.output()).containsIgnoringCase("degraded");
            assertFilled(server, 1);
        }
    }

    @Test
    void stopFinishesAndMarksCleanSoThatTheNextStartHasNothingToRepair() throws Exception {
        Path data = dir.resolve("data");
        try (Tenfold server = up(data, "--size", "16M");
                NbdClient client = server.connect()) {
            byte[] bytes = new ContentRule(9).bytes(0, 65536);
            client.write(0, bytes, 0);
            assertThat(server.stop()).isZero();
        }
        List<Path> members = membersIn(data);
        for (Path member : members) {
            assertThat(Superblock.of(member).get(Superblock.RESYNC_OFFSET)).isEqualTo(-1);
        }
        try (Tenfold server = up(data);
                NbdClient client = server.connect()) {
            assertThat(client.read(0, 65536)).isEqualTo(new ContentRule(9).bytes(0, 65536));
        }
    }
}
