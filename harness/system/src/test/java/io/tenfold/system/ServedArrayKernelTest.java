package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.Command;
import io.tenfold.testkit.ContentRule;
import io.tenfold.testkit.NbdClient;
import io.tenfold.testkit.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A real Linux kernel takes the arrays that {@code create} makes and an NBD client fills: mdadm assembles them without a
 * question, the content is right, and the copies agree.
 *
 * <p>{@code -Dtenfold.kernel.arrays=n2-4-512K,f2-4-64K} limits the run to some of them.
 */
@Tag("long")
@Timeout(1200)
class ServedArrayKernelTest {
    private static final int PIECE = 1 << 20;

    @TempDir
    Path dir;

    /** Shape of an array; its name is how it is picked for a shorter run. */
    record Shape(String layout, int members, String chunk, String metadata) {
        @Override
        public String toString() {
            return layout + "-" + members + "-" + chunk + (metadata.equals("1.2") ? "" : "-" + metadata);
        }
    }

    static List<Shape> shapes() {
        List<Shape> all = new ArrayList<>();
        for (String chunk : new String[] {"64K", "512K"}) {
            all.add(new Shape("n2", 4, chunk, "1.2"));
            all.add(new Shape("n2", 3, chunk, "1.2"));
            all.add(new Shape("n3", 5, chunk, "1.2"));
            all.add(new Shape("f2", 4, chunk, "1.2"));
            all.add(new Shape("o2", 4, chunk, "1.2"));
        }
        all.add(new Shape("n2", 4, "64K", "1.0"));
        all.add(new Shape("n2", 4, "64K", "1.1"));
        all.add(new Shape("f2", 3, "4K", "1.0"));
        String picked = System.getProperty("tenfold.kernel.arrays", "");
        if (picked.isEmpty()) {
            return all;
        }
        Set<String> names = Set.of(picked.split(","));
        List<Shape> some =
                all.stream().filter(shape -> names.contains(shape.toString())).toList();
        assertThat(some).as("arrays of %s", picked).hasSameSizeAs(names);
        return some;
    }

    private List<Path> create(Shape shape, Object... more) {
        List<Path> members = new ArrayList<>();
        for (int i = 0; i < shape.members(); i++) {
            members.add(dir.resolve("m" + i));
        }
        Command command = Tenfold.command(
                        "create",
                        "--raid-devices",
                        shape.members(),
                        "--layout",
                        shape.layout(),
                        "--chunk",
                        shape.chunk(),
                        "--metadata",
                        shape.metadata(),
                        "--member-size",
                        "16M")
                .with(more)
                .with(members.toArray());
        command.run().succeeded();
        return members;
    }

    private Tenfold serve(List<Path> members, Object... options) throws IOException, InterruptedException {
        List<Object> words = new ArrayList<>(List.of("serve", "--listen", "unix:" + dir.resolve("s")));
        words.addAll(List.of(options));
        words.addAll(members);
        return Tenfold.start(dir.resolve("logs"), words.toArray());
    }

    /** Fills the array; its size. */
    private static long fill(Tenfold server, long seed) throws IOException {
        ContentRule rule = new ContentRule(seed);
        try (NbdClient client = server.connect()) {
            for (long at = 0; at < client.size(); at += PIECE) {
                client.write(at, rule.bytes(at, (int) Math.min(PIECE, client.size() - at)), 0);
            }
            client.flush();
            return client.size();
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void kernelReadsWhatAClientWrote(Shape shape) throws Exception {
        MdCheck.require();
        List<Path> members = create(shape);
        long size;
        try (Tenfold server = serve(members)) {
            size = fill(server, 2000);
            assertThat(server.stop()).isZero();
        }
        Command.Result result = MdCheck.run(members, "--seed", 2000, "--size", size, "--clean");
        assertThat(result.succeeded().out()).contains("mismatch_cnt 0").endsWith("md-check: good\n");
    }

    /** A member that missed writes is stale to the kernel too, and what the others hold is right. */
    @Test
    void kernelLeavesOutAMemberThatMissedWrites() throws Exception {
        MdCheck.require();
        List<Path> members = create(new Shape("n2", 4, "64K", "1.2"));
        try (Tenfold server = serve(members)) {
            fill(server, 2001);
            assertThat(server.stop()).isZero();
        }
        List<Path> three = List.of(members.get(0), members.get(2), members.get(3));
        long size;
        try (Tenfold server = serve(three, "--run")) {
            size = fill(server, 2002);
            assertThat(server.stop()).isZero();
        }
        MdCheck.run(members, "--degraded", 1, "--run", "--seed", 2002, "--size", size, "--clean")
                .succeeded();
    }

    /** Killed while clients write: the kernel finds a dirty array, resyncs it, and what was flushed is there. */
    @Test
    void kernelResyncsWhatWasKilledAndFindsWhatWasFlushed() throws Exception {
        MdCheck.require();
        List<Path> members = create(new Shape("n2", 4, "64K", "1.2"));
        long size;
        try (Tenfold server = serve(members)) {
            size = fill(server, 2003);
            try (NbdClient client = server.connect()) {
                client.write(0, new ContentRule(2003).bytes(0, PIECE), 0);
                server.kill();
            }
        }
        MdCheck.run(members, "--seed", 2003, "--size", size).succeeded();
    }

    @Test
    void kernelStartsAnArrayThatWasCreatedWithAMissingMember() throws Exception {
        MdCheck.require();
        List<Path> members = List.of(dir.resolve("m0"), dir.resolve("m2"), dir.resolve("m3"));
        Tenfold.run(
                        "create",
                        "--raid-devices",
                        4,
                        "--layout",
                        "n2",
                        "--chunk",
                        "64K",
                        "--member-size",
                        "16M",
                        members.get(0),
                        "missing",
                        members.get(1),
                        members.get(2))
                .succeeded();
        long size;
        try (Tenfold server = serve(members)) {
            size = fill(server, 2004);
            assertThat(server.stop()).isZero();
        }
        MdCheck.run(members, "--degraded", 1, "--seed", 2004, "--size", size, "--clean")
                .succeeded();
    }

    /** The way back: what the kernel wrote to an array of ours is read right here. */
    @Test
    void whatTheKernelLeftBehindIsReadAgain() throws Exception {
        MdCheck.require();
        List<Path> members = create(new Shape("o2", 4, "64K", "1.2"));
        long size;
        try (Tenfold server = serve(members)) {
            size = fill(server, 2005);
            assertThat(server.stop()).isZero();
        }
        Path kept = dir.resolve("kept");
        MdCheck.run(members, "--seed", 2005, "--size", size, "--keep", kept).succeeded();
        List<Path> after = members.stream()
                .map(member -> kept.resolve(member.getFileName()))
                .toList();
        Map<Path, String> before = Sha256.ofAll(after);
        Path copy = dir.resolve("copy");
        Tenfold.command("copy").with(after.toArray()).with("--to", copy).run().succeeded();
        byte[] wanted = new ContentRule(2005).bytes(0, (int) size);
        assertThat(Arrays.mismatch(Files.readAllBytes(copy), wanted)).isEqualTo(-1);
        assertThat(Sha256.ofAll(after)).isEqualTo(before);
    }
}
