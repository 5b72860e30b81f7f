package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.ArraySet;
import io.tenfold.testkit.ContentRule;
import io.tenfold.testkit.Corpus;
import io.tenfold.testkit.NbdClient;
import io.tenfold.testkit.Sha256;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program serves at once, makes copies agree and fills members meanwhile, and says so. */
class ResyncSystemTest {
    private static final int PIECE = 1 << 20;

    @TempDir
    Path dir;

    private Tenfold up() throws IOException, InterruptedException {
        return Tenfold.start(
                dir.resolve("logs"), "up", dir.resolve("data"), "--size", "2G", "--listen", "unix:" + dir.resolve("s"));
    }

    /** Killed, served at once, stopped in the middle of the resync, and gone on with from there. */
    @Test
    @Timeout(180)
    void killedArrayIsServedWhileItIsResyncedAndAStopKeepsThePlace() throws Exception {
        byte[] bytes = new ContentRule(3).bytes(0, PIECE);
        try (Tenfold server = up();
                NbdClient client = server.connect()) {
            client.write(0, bytes, 0);
            client.flush();
            server.kill();
        }
        try (Tenfold server = up()) {
            server.awaitOutput("array was not stopped cleanly: making its copies agree while it is served");
            try (NbdClient client = server.connect()) {
                assertThat(client.read(0, PIECE)).as("served meanwhile").isEqualTo(bytes);
                client.write(PIECE, bytes, 0);
                for (int i = 0; i < 5000; i++) { // Users are about, so the pass is slow.
                    client.read(0, 4096);
                }
            }
            assertThat(server.output()).doesNotContain("copies agree: ");
            assertThat(server.stop()).isZero();
            assertThat(server.output()).containsPattern("resync stopped at \\d+ %: the next start goes on there");
        }
        try (Tenfold server = up()) {
            server.awaitOutput("copies agree: ");
            Matcher from =
                    Pattern.compile("while it is served, from byte (\\d+) on").matcher(server.output());
            assertThat(from.find()).as(server.output()).isTrue();
            assertThat(Long.parseLong(from.group(1))).isPositive();
            try (NbdClient client = server.connect()) {
                assertThat(client.read(PIECE, PIECE)).isEqualTo(bytes);
            }
            assertThat(server.stop()).isZero();
            assertThat(server.output()).contains("stopped, array is marked clean");
        }
    }

    /** A member gone and a spare named: it takes the place, whatever is killed meanwhile. */
    @Test
    @Timeout(180)
    void spareTakesThePlaceOfAMissingMemberThroughKills() throws Exception {
        Corpus corpus = Corpus.open();
        ArraySet set = corpus.set("near2-4-spare");
        List<Path> members = new ArrayList<>(corpus.unpack(set, dir));
        members.remove(1);
        List<Object> words = new ArrayList<>(List.of("serve", "--run", "--listen", "unix:" + dir.resolve("s")));
        words.addAll(members);
        try (Tenfold server = Tenfold.start(dir.resolve("logs"), words.toArray())) {
            server.awaitOutput("recovering slot 1 onto " + members.get(3));
            server.kill();
        }
        try (Tenfold server = Tenfold.start(dir.resolve("logs"), words.toArray())) {
            server.awaitOutput("serving near2-4-spare");
            if (!server.output().contains("whole")) { // The kill may have come just after the end.
                server.awaitOutput("slot 1 is recovered onto " + members.get(3));
            }
            assertThat(server.stop()).isZero();
        }
        List<Object> detail = new ArrayList<>(List.of("detail"));
        detail.addAll(members);
        assertThat(Tenfold.run(detail.toArray()).succeeded().out())
                .contains("State : clean", "Active Devices : 4", "Spare Devices : 0");
        members.remove(0); // What the spare holds is what is read now.
        List<Object> copy = new ArrayList<>(List.of("copy"));
        copy.addAll(members);
        copy.addAll(List.of("--to", dir.resolve("copy")));
        Tenfold.run(copy.toArray()).succeeded();
        assertThat(Sha256.of(dir.resolve("copy"))).isEqualTo(set.arraySha256());
    }
}
