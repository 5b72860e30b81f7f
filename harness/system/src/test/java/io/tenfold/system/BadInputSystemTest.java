package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.ArraySet;
import io.tenfold.testkit.Command;
import io.tenfold.testkit.ContentRule;
import io.tenfold.testkit.Corpus;
import io.tenfold.testkit.NbdClient;
import io.tenfold.testkit.Sha256;
import io.tenfold.testkit.Tool;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be done is refused in one clear line, and nothing is written. */
@Timeout(300)
class BadInputSystemTest {
    private static final Corpus CORPUS = Corpus.open();

    @TempDir
    Path dir;

    /** Every command that reads members refuses them, in the same words, and none writes. */
    private void assertRefused(List<Path> members, String... words) throws IOException {
        Map<Path, String> before = Sha256.ofAll(members);
        Path copy = dir.resolve("copy");
        Refusal.check(
                Tenfold.command("copy")
                        .with(members.toArray())
                        .with("--to", copy)
                        .run(),
                words);
        assertThat(copy).doesNotExist();
        Refusal.check(
                Tenfold.command("serve", "--listen", "unix:" + dir.resolve("s"))
                        .with(members.toArray())
                        .run(),
                words);
        Refusal.check(
                Tenfold.command("serve", "--read-only", "--listen", "unix:" + dir.resolve("s"))
                        .with(members.toArray())
                        .run(),
                words);
        assertExamineExplains(members, words);
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }

    private static void assertExamineExplains(List<Path> members, String... words) {
        Command.Result examined =
                Tenfold.command("examine").with(members.toArray()).run();
        assertThat(examined.all()).doesNotContain("Exception", "\tat ");
        for (String word : words) {
            assertThat(examined.all()).as("%s", examined).containsIgnoringCase(word);
        }
    }

    private Path file(String name, int size) throws IOException {
        return Files.write(dir.resolve(name), new ContentRule(1).bytes(0, size));
    }

    @Test
    void fileThatIsNoMember() throws IOException {
        assertRefused(List.of(file("a", 1 << 20), file("b", 1 << 20)), "a", "superblock");
    }

    @Test
    void emptyAndTinyFiles() throws IOException {
        assertRefused(List.of(file("empty", 0), file("tiny", 8)), "empty", "tiny");
    }

    @Test
    void fileThatIsNotThereAndFolder() {
        Refusal.check(Tenfold.run("copy", dir.resolve("gone"), "--to", dir.resolve("copy")), "gone");
        Refusal.check(Tenfold.run("examine", dir.resolve("gone")), "gone");
        Refusal.check(Tenfold.run("copy", dir, "--to", dir.resolve("copy")), dir.toString());
        Refusal.check(Tenfold.run("serve", "--listen", "127.0.0.1:0", dir.resolve("gone")), "gone");
    }

    @Test
    void wrongChecksumOfTheOnlyMember() throws IOException {
        List<Path> members = CORPUS.unpack("near2-4-badsum", dir);
        assertRefused(members.subList(1, 2), "checksum", "m1.img");
    }

    @Test
    void truncatedMembersThatLeaveTooFew() throws IOException {
        List<Path> members = CORPUS.unpack("near2-4-truncated", dir);
        // Slot 2 is cut off and slot 3 is not there.
        assertRefused(members.subList(0, 3), "m2.img", "slots=2,3");
    }

    @Test
    void unknownFeatureBit() throws IOException {
        List<Path> members = CORPUS.unpack("near2-2", dir);
        for (Path member : members) {
            Superblock.of(member).set(Superblock.FEATURE_MAP, 1 << 13).write();
        }
        assertRefused(members, "feature", "0x2000");
    }

    @ParameterizedTest
    @CsvSource({"0,raid0", "-1,linear", "4,raid4", "5,raid5", "6,raid6", "-4,multipath"})
    void levelThatIsNotServedIsNamed(int level, String name) throws IOException {
        List<Path> members = CORPUS.unpack("near2-2", dir);
        for (Path member : members) {
            Superblock.of(member)
                    .set(Superblock.LEVEL, level)
                    .set(Superblock.LAYOUT, 0)
                    .write();
        }
        assertRefused(members, name);
    }

    @Test
    void level1IsReadButNotWrittenTo() throws Exception {
        ArraySet set = CORPUS.set("raid1-2");
        List<Path> members = CORPUS.unpack(set, dir);
        Map<Path, String> before = Sha256.ofAll(members);
        Refusal.check(
                Tenfold.command("serve", "--listen", "unix:" + dir.resolve("s"))
                        .with(members.toArray())
                        .run(),
                "raid1",
                "--read-only");
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }

    @Test
    void membersOfTwoArrays() throws IOException {
        List<Path> mixed = new ArrayList<>(CORPUS.unpack("near2-2", dir));
        mixed.addAll(CORPUS.unpack("near2-3", dir));
        assertRefused(mixed, "near2-2", "near2-3");
    }

    @ParameterizedTest
    @CsvSource({"near2-4, 0, 1", "near2-4, 2, 3", "far2-4, 1, 2", "far2-4, 3, 0", "offset2-4, 0, 1"})
    void tooFewMembers(String name, int one, int other) throws IOException {
        List<Path> members = new ArrayList<>(CORPUS.unpack(name, dir));
        List<Path> lost = List.of(members.get(one), members.get(other));
        members.removeAll(lost);
        String slots = "slots=" + Math.min(one, other) + "," + Math.max(one, other);
        assertRefused(members, "missing", slots);
    }

    /** Two pairs that each went on without the other: no guess, but each alone can be read. */
    @Test
    void splitBrainIsRefusedAndEachHalfCanBeReadByItself() throws Exception {
        List<Path> members = create("n2", 4);
        fill(members, 1);
        List<Path> one = List.of(members.get(0), members.get(2));
        List<Path> other = List.of(members.get(1), members.get(3));
        fill(one, 2);
        fill(other, 3);
        Superblock first = Superblock.of(one.getFirst());
        Superblock second = Superblock.of(other.getFirst());
        assertRefused(
                members,
                "m0",
                "m1",
                "m2",
                "m3",
                "events",
                String.valueOf(first.get(Superblock.EVENTS)),
                String.valueOf(second.get(Superblock.EVENTS)));
        assertHolds(one, 2);
        assertHolds(other, 3);
    }

    private List<Path> create(String layout, int count) {
        List<Path> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(dir.resolve("m" + i));
        }
        Tenfold.command("create", "--raid-devices", count, "--layout", layout, "--chunk", "64K", "--size", "4M")
                .with(members.toArray())
                .run()
                .succeeded();
        return members;
    }

    private void fill(List<Path> members, long seed) throws Exception {
        try (Tenfold server = Tenfold.start(
                dir.resolve("logs"),
                Tenfold.command("serve", "--run", "--listen", "unix:" + dir.resolve("s"))
                        .with(members.toArray()))) {
            try (NbdClient client = server.connect()) {
                client.write(0, new ContentRule(seed).bytes(0, 4 << 20), 0);
            }
            assertThat(server.stop()).isZero();
        }
    }

    private void assertHolds(List<Path> members, long seed) throws IOException {
        Path copy = dir.resolve("copy-" + seed);
        Tenfold.command("copy").with(members.toArray()).with("--to", copy).run().succeeded();
        assertThat(Files.readAllBytes(copy)).isEqualTo(new ContentRule(seed).bytes(0, 4 << 20));
    }

    /** Fields that make no sense, one at a time, with a right checksum. */
    @ParameterizedTest
    @CsvSource({
        "chunk of 0, CHUNK, 0",
        "chunk below a page, CHUNK, 1",
        "chunk not a power of two, CHUNK, 100",
        "no copies at all, LAYOUT, 0",
        "no near copies, LAYOUT, 0x100",
        "no far copies, LAYOUT, 0x002",
        "more copies than members, LAYOUT, 0x109",
        "unknown layout bits, LAYOUT, 0x80102",
        "no members, RAID_DISKS, 0",
        "more members than roles, RAID_DISKS, 100000",
        "negative count of members, RAID_DISKS, -1",
        "size beyond the file, SIZE, 1152921504606846976",
        "negative size, SIZE, -1",
        "size of 0, SIZE, 0",
        "data beyond the file, DATA_OFFSET, 4611686018427387904",
        "data over the superblock, DATA_OFFSET, 8",
        "device number beyond the table, DEV_NUMBER, 5000",
    })
    void absurdSuperblock(String what, String field, String value) throws Exception {
        List<Path> members = CORPUS.unpack("near2-2", dir);
        Superblock.Field place =
                (Superblock.Field) Superblock.class.getDeclaredField(field).get(null);
        for (Path member : members) {
            Superblock.of(member).set(place, Long.decode(value)).write();
        }
        assertRefused(members);
    }

    @Test
    void portInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path data = dir.resolve("data");
            String address = "127.0.0.1:" + taken.getLocalPort();
            Refusal.check(Tenfold.run("up", data, "--size", "8M", "--listen", address), "in use", address);
            List<Path> members = CORPUS.unpack("near2-2", dir);
            Map<Path, String> before = Sha256.ofAll(members);
            Refusal.check(
                    Tenfold.command("serve", "--listen", address)
                            .with(members.toArray())
                            .run(),
                    "in use",
                    address);
            assertThat(Sha256.ofAll(members)).isEqualTo(before);
        }
    }

    @Test
    void socketFileOfALiveServerIsNotTakenAway() throws Exception {
        Path socket = dir.resolve("s");
        List<Path> members = CORPUS.unpack("near2-2", dir);
        try (Tenfold server =
                Tenfold.start(dir, "up", dir.resolve("data"), "--size", "8M", "--listen", "unix:" + socket)) {
            Refusal.check(
                    Tenfold.command("serve", "--read-only", "--listen", "unix:" + socket)
                            .with(members.toArray())
                            .run(),
                    "in use",
                    socket.toString());
            try (NbdClient client = server.connect()) {
                assertThat(client.read(0, 512)).hasSize(512);
            }
        }
        // That one was killed and its socket file is left over: the next server may have the place.
        try (Tenfold server = Tenfold.start(
                dir,
                Tenfold.command("serve", "--read-only", "--listen", "unix:" + socket)
                        .with(members.toArray()))) {
            assertThat(server.isAlive()).isTrue();
        }
    }

    @Test
    void secondProcessOnTheSameMembersIsRefusedAndTheHolderNamed() throws Exception {
        Path data = dir.resolve("data");
        try (Tenfold server = Tenfold.start(dir, "up", data, "--size", "8M", "--listen", "127.0.0.1:0")) {
            Refusal.check(Tenfold.run("up", data, "--listen", "127.0.0.1:0"), "in use", String.valueOf(server.pid()));
            try (NbdClient client = server.connect()) {
                client.write(0, new byte[4096], NbdClient.FUA);
            }
            assertThat(server.stop()).isZero();
        }
        try (Tenfold again = Tenfold.start(dir, "up", data, "--listen", "127.0.0.1:0")) {
            assertThat(again.isAlive()).isTrue();
        }
    }

    @Test
    void diskThatIsFullIsSaidAndNothingHalfMadeIsLeft() throws IOException {
        Tool.require("root".equals(System.getProperty("user.name")), "needs root, to mount a small tmpfs");
        Path small = Files.createDirectory(dir.resolve("small"));
        Command mounted = Tool.MOUNT.command("-t", "tmpfs", "-o", "size=4M", "tmpfs", small);
        Tool.require(mounted.run().exitCode() == 0, "needs a root that may mount a tmpfs");
        try {
            fill(small.resolve("filler"));
            Path data = small.resolve("data");
            Refusal.check(Tenfold.run("up", data, "--size", "64M", "--listen", "127.0.0.1:0"), "space");
            assertThat(data).as("left over").doesNotExist();
            Files.createDirectory(data);
            Refusal.check(Tenfold.run("up", data, "--size", "64M", "--listen", "127.0.0.1:0"), "space");
            assertThat(data).as("left over").isDirectoryNotContaining("glob:**.img");
            List<Path> members = CORPUS.unpack("near2-2", dir);
            Refusal.check(
                    Tenfold.command("copy")
                            .with(members.toArray())
                            .with("--to", small.resolve("copy"))
                            .run(),
                    "space");
        } finally {
            Tool.UMOUNT.run(small);
        }
    }

    /** Writes until the file system takes no more. */
    private static void fill(Path file) throws IOException {
        byte[] page = new byte[4096];
        try (var out = Files.newOutputStream(file)) {
            while (true) {
                out.write(page);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("space");
        }
    }

    @Test
    void exportLargerThanTheFileIsRefused() throws IOException {
        List<Path> members = CORPUS.unpack("near2-2", dir);
        for (Path member : members) {
            try (RandomAccessFile file = new RandomAccessFile(member.toFile(), "rw")) {
                file.setLength(8 << 20);
            }
        }
        assertRefused(members, "m0.img", "m1.img");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "create --raid-devices 4 --layout n5 --member-size 8M a b c d",
                "create --raid-devices 4 --layout x2 --member-size 8M a b c d",
                "create --raid-devices 4 --layout n0 --member-size 8M a b c d",
                "create --raid-devices 2 --layout n1 --member-size 8M a b",
                "up data --layout f1",
                "create --raid-devices 0 --member-size 8M",
                "create --raid-devices 4 --member-size 8M a b c",
                "create --raid-devices 2 --member-size 8M a b c",
                "create --raid-devices 2 --chunk 3K --member-size 8M a b",
                "create --raid-devices 2 --chunk 0 --member-size 8M a b",
                "create --raid-devices 2 --chunk 1K --member-size 8M a b",
                "create --raid-devices 2 --metadata 0.90 --member-size 8M a b",
                "create --raid-devices 2 --metadata 7 --member-size 8M a b",
                "create --raid-devices 2 --member-size 4K a b",
                "create --raid-devices 2 --member-size 8M a a",
                "create --raid-devices 2 --member-size 8M missing missing",
                "create --raid-devices 4 --layout n2 --member-size 8M missing missing a b",
                "create --raid-devices 2 --member-size 8X a b",
                "create --raid-devices 2 --member-size -8M a b",
                "create --raid-devices 2 --size 1G --member-size 8M a b",
                "up data --size 0",
                "up data --members 1",
                "up data --layout n9",
                "up data --size 8M --listen nonsense",
                "up data --size 8M --listen 127.0.0.1:99999",
                "serve",
                "copy",
                "examine",
                "frobnicate",
                "up --frobnicate",
            })
    void commandLineThatMakesNoSenseMakesNoFiles(String line) throws IOException {
        Path empty = Files.createDirectory(dir.resolve("empty"));
        Refusal.check(Tenfold.command((Object[]) line.split(" ")).in(empty).run());
        try (var left = Files.list(empty)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void createDoesNotOverwriteWhatIsThere() throws IOException {
        List<Path> members = CORPUS.unpack("near2-2", dir);
        Map<Path, String> before = Sha256.ofAll(members);
        Refusal.check(
                Tenfold.command("create", "--raid-devices", 2)
                        .with(members.toArray())
                        .run(),
                "m0.img");
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }
}
