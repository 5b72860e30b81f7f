package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.NbdClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class UpCommandTest {
    @TempDir
    Path temp;

    private Path data() {
        return temp.resolve("data");
    }

    /** A server in this process. */
    private static final class Up implements AutoCloseable {
        final CapturedConsole captured = new CapturedConsole();
        final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

        Up(String... words) {
            Thread.ofPlatform().start(() -> exitCode.complete(captured.run(words)));
        }

        URI uri() {
            Pattern pattern = Pattern.compile("nbd(\\+unix)?://[^\\s\"]*");
            while (true) {
                Matcher matcher = pattern.matcher(captured.out());
                if (matcher.find() && captured.out().endsWith("\n")) {
                    return URI.create(matcher.group());
                }
                if (exitCode.isDone()) {
                    throw new AssertionError("ended: exitCode=" + exitCode.join() + ", err=" + captured.err());
                }
                Thread.onSpinWait();
            }
        }

        int stop() {
            captured.termination.wish();
            return end();
        }

        int end() {
            return exitCode.orTimeout(60, TimeUnit.SECONDS).join();
        }

        @Override
        public void close() {
            if (!exitCode.isDone()) {
                stop();
            }
        }
    }

    private Up up(String... more) {
        List<String> words = new ArrayList<>(List.of("up", data().toString(), "--listen", "127.0.0.1:0"));
        words.addAll(List.of(more));
        return new Up(words.toArray(String[]::new));
    }

    @Test
    void arrayIsMadeOnceAndFoundAgain() throws Exception {
        byte[] bytes = new byte[8192];
        Arrays.fill(bytes, (byte) 7);
        try (Up first = up("--size", "8M", "--chunk", "64K")) {
            try (NbdClient client = NbdClient.connect(first.uri())) {
                assertThat(client.size()).isEqualTo(8 << 20);
                client.write(65536, bytes, 0);
            }
            assertThat(first.stop()).isZero();
            assertThat(first.captured.err()).contains("tenfold: made 4 members of 5M in " + data(), "marked clean");
        }
        for (int round = 0; round < 2; round++) {
            try (Up again = up()) {
                try (NbdClient client = NbdClient.connect(again.uri())) {
                    assertThat(client.read(65536, 8192)).isEqualTo(bytes);
                    client.write(65536, bytes, 0);
                }
                assertThat(again.stop()).isZero();
                assertThat(again.captured.err()).doesNotContain("made", "compar", "not used");
            }
        }
        assertThat(names()).containsExactly("member-0.img", "member-1.img", "member-2.img", "member-3.img");
    }

    @Test
    void optionsThatContradictTheArrayAreRefused() throws Exception {
        try (Up up = up("--size", "8M", "--chunk", "64K")) {
            up.uri();
            up.stop();
        }
        refused("array in DATA is another one: --size=16M, there=8M", "--size", "16M");
        refused("array in DATA is another one: --members=3, there=4", "--members", "3");
        refused("array in DATA is another one: --layout=far=2, there=near=2", "--layout", "f2");
        refused("array in DATA is another one: --chunk=524288, there=65536", "--chunk", "512K");
        try (Up same = up("--size", "8M", "--chunk", "64K", "--members", "4", "--layout", "n2")) {
            same.uri();
        }
    }

    private void refused(String message, String... options) throws Exception {
        try (Up up = up(options)) {
            assertThat(up.end()).isEqualTo(ExitCode.REFUSED);
            assertThat(up.captured.err().lines())
                    .containsExactly(
                            "tenfold: " + message.replace("DATA", data().toString()),
                            "  hint: leave the option out, or name another directory");
        }
    }

    @Test
    void secondServerOfTheSameMembersIsRefusedWithTheFirstOnesNumber() throws Exception {
        try (Up first = up("--size", "8M")) {
            first.uri();
            try (Up second = up()) {
                assertThat(second.end()).isEqualTo(ExitCode.REFUSED);
                assertThat(second.captured.err().strip())
                        .isEqualTo("tenfold: member is in use by another process: path=" + data()
                                + "/member-0.img, process="
                                + ProcessHandle.current().pid());
            }
        }
    }

    @Test
    void takenPortIsSaidBeforeAnythingIsMade() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Up up = new Up("up", data().toString(), "--listen", "127.0.0.1:" + taken.getLocalPort())) {
            assertThat(up.end()).isEqualTo(ExitCode.FAILED);
            assertThat(up.captured.err().lines())
                    .containsExactly(
                            "tenfold: cannot listen: address=127.0.0.1:" + taken.getLocalPort()
                                    + ", reason=Address already in use",
                            "  hint: --listen takes another address; port 0 is any free one");
            assertThat(data()).doesNotExist();
        }
    }

    @Test
    void creationThatWasBrokenOffIsBegunAnew() throws Exception {
        Files.createDirectories(data());
        Files.createFile(data().resolve(".creating"));
        Files.write(data().resolve("member-0.img"), new byte[100]);
        Files.write(data().resolve("member-7.img"), new byte[100]);
        try (Up up = up("--size", "8M")) {
            up.uri();
            assertThat(up.stop()).isZero();
        }
        assertThat(names()).containsExactly("member-0.img", "member-1.img", "member-2.img", "member-3.img");
    }

    @Test
    void impossibleArrayLeavesNothingBehind() throws Exception {
        for (String[] options : new String[][] {
            {"--chunk", "1000"}, {"--layout", "n5"}, {"--members", "1"}, {"--members", "3000"}, {"--size", "0"}
        }) {
            try (Up up = up(options)) {
                assertThat(up.end()).isIn(ExitCode.REFUSED, ExitCode.USAGE);
                assertThat(up.captured.err()).startsWith("tenfold: ").doesNotContain("internal error");
            }
            assertThat(names()).isEmpty();
        }
    }

    @Test
    void directoryWithOtherFilesIsNotFilled() throws Exception {
        Files.createDirectories(data());
        Files.writeString(data().resolve("letter.txt"), "dear");
        try (Up up = up()) {
            assertThat(up.end()).isEqualTo(ExitCode.REFUSED);
            assertThat(up.captured.err().lines())
                    .containsExactly(
                            "tenfold: directory holds no array, but other files: path=" + data()
                                    + ", first=letter.txt, count=1",
                            "  hint: name an empty directory, or one that is not there yet");
        }
        assertThat(names()).containsExactly("letter.txt");
    }

    @Test
    void readyLineAsJsonIsAloneOnStandardOutput() throws Exception {
        try (Up up = up("--size", "8M", "--json")) {
            up.uri();
            assertThat(up.captured.out())
                    .startsWith("{\"serving\":\"data\"")
                    .contains("\"size\":8388608")
                    .endsWith("}\n");
        }
    }

    private List<String> names() throws IOException {
        if (!Files.exists(data())) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(data())) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
