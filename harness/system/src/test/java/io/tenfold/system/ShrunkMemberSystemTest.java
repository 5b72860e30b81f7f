package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Prng;
import io.tenfold.testkit.NbdClient;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody cuts a member's file short under a running server: the member is dropped, and the data is all there. */
class ShrunkMemberSystemTest {
    private static final int MIB = 1 << 20;
    private static final int FAILED = 0xfffe;

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(120)
    void memberCutShortIsDropped(boolean writtenAfterwards) throws Exception {
        Path data = dir.resolve("data");
        byte[] content = new byte[8 * MIB];
        for (int i = 0, word = 0; i < content.length; i++) {
            word = i % 8 == 0 ? new Prng(i).below(256) : word + 1;
            content[i] = (byte) word;
        }
        Path victim;
        int slot;
        try (Tenfold server = up(data)) {
            try (NbdClient client = server.connect()) {
                write(client, content);
            }
            victim = members(data).getFirst();
            Superblock superblock = Superblock.of(victim);
            slot = superblock.role((int) superblock.get(Superblock.DEV_NUMBER));
            try (FileChannel file = FileChannel.open(victim, StandardOpenOption.WRITE)) {
                file.truncate(superblock.get(Superblock.DATA_OFFSET) * 512 + MIB);
            }
            try (NbdClient client = server.connect()) {
                if (writtenAfterwards) {
                    content[0]++;
                    write(client, content);
                }
                assertThat(read(client, content.length)).isEqualTo(content);
            }
            assertThat(server.stop()).isZero();
        }
        Superblock cut = Superblock.of(victim);
        assertThat(Files.size(victim)).isEqualTo(cut.get(Superblock.DATA_OFFSET) * 512 + MIB);
        for (Path other : members(data)) {
            if (!other.equals(victim)) {
                assertThat(Superblock.of(other).role((int) cut.get(Superblock.DEV_NUMBER)))
                        .as("role of slot %d in %s", slot, other)
                        .isIn(FAILED, 0xffff);
            }
        }
        try (Tenfold server = up(data)) {
            try (NbdClient client = server.connect()) {
                assertThat(read(client, content.length)).isEqualTo(content);
            }
            assertThat(server.stop()).isZero();
        }
    }

    private Tenfold up(Path data) throws IOException, InterruptedException {
        return Tenfold.start(
                dir.resolve("logs"),
                "up",
                data,
                "--size",
                "8M",
                "--chunk",
                "64K",
                "--listen",
                "unix:" + dir.resolve("s"));
    }

    private static List<Path> members(Path data) throws IOException {
        try (Stream<Path> files = Files.list(data)) {
            return files.filter(file -> file.toFile().length() > MIB).sorted().toList();
        }
    }

    private static void write(NbdClient client, byte[] content) throws IOException {
        for (int at = 0; at < content.length; at += MIB) {
            client.write(at, Arrays.copyOfRange(content, at, at + MIB), 0);
        }
        client.flush();
    }

    private static byte[] read(NbdClient client, int length) throws IOException {
        byte[] content = new byte[length];
        for (int at = 0; at < length; at += MIB) {
            System.arraycopy(client.read(at, MIB), 0, content, at, MIB);
        }
        return content;
    }
}
