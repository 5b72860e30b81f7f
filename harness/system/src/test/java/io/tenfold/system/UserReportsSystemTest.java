package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.ArraySet;
import io.tenfold.testkit.Command;
import io.tenfold.testkit.Corpus;
import io.tenfold.testkit.NbdClient;
import io.tenfold.testkit.Repository;
import io.tenfold.testkit.Sha256;
import io.tenfold.testkit.Tool;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What users of Linux md ask for in public when an array of theirs is in trouble, and what they get here. */
@Timeout(300)
class UserReportsSystemTest {
    private static final Corpus CORPUS = Corpus.open();
    private static final int MEBIBYTE = 1 << 20;

    @TempDir
    Path dir;

    private static Object[] words(List<Path> members, Object... first) {
        List<Object> words = new ArrayList<>(List.of(first));
        words.addAll(members);
        return words.toArray();
    }

    private void assertCopies(List<Path> members, ArraySet set) throws IOException {
        Path copy = dir.resolve("copy");
        Tenfold.command(words(members, "copy")).with("--to", copy).run().succeeded();
        assertThat(Sha256.of(copy)).isEqualTo(set.arraySha256());
        Files.delete(copy);
    }

    /** "What was this NAS, and what can I still read?", asked of disks in any order that must not be written to. */
    @Test
    void disksOfADeadNasAreExplainedWithoutTouchingThem() throws IOException {
        ArraySet set = CORPUS.set("near2-4");
        List<Path> unpacked = CORPUS.unpack(set, dir);
        List<Path> found = new ArrayList<>();
        String[] names = {"sdq", "backup-of-something.bin", "0"};
        for (int i = 0; i < 3; i++) { // m1, m2, m3: slot 0 is lost.
            Path renamed = dir.resolve(names[i]);
            Files.move(unpacked.get(3 - i), renamed);
            Files.setPosixFilePermissions(renamed, PosixFilePermissions.fromString("r--r--r--"));
            found.add(renamed);
        }
        Map<Path, String> before = Sha256.ofAll(found);

        String text = Tenfold.run(words(found, "examine")).succeeded().out();

        assertThat(text)
                .contains("near2-4", "raid10", "near=2", "52944d53:d7e15794:9c258687:e446b4da")
                .containsPattern("(?i)chunk[^\n]*64K")
                .containsIgnoringCase("degraded")
                .containsPattern("(?i)missing[^\n]*\\b0\\b")
                .contains("sdq", "backup-of-something.bin");
        assertThat(Sha256.ofAll(found)).isEqualTo(before);
        assertCopies(found, set);
        assertThat(Sha256.ofAll(found)).isEqualTo(before);
    }

    /** New mdadm versions refuse what old NAS systems wrote. */
    @ParameterizedTest
    @ValueSource(strings = {"near2-4-meta090", "near2-4-meta10"})
    void oldMetadataVersionsAreServed(String name) throws Exception {
        ArraySet set = CORPUS.set(name);
        List<Path> members = CORPUS.unpack(set, dir);
        Map<Path, String> before = Sha256.ofAll(members);
        try (Tenfold server = Tenfold.start(
                        dir, words(members, "serve", "--read-only", "--listen", "unix:" + dir.resolve("s")));
                NbdClient client = server.connect()) {
            assertThat(client.size()).isEqualTo(set.arraySize());
            byte[] all = client.read(0, (int) set.arraySize());
            assertThat(Sha256.of(new ByteArrayInputStream(all))).isEqualTo(set.arraySha256());
        }
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }

    /** No root, no driver: an ordinary user reads and serves, and nbdcopy takes it from there. */
    @Test
    void ordinaryUserCanReadAndServe() throws Exception {
        Tool.require(Tool.NBDCOPY);
        ArraySet set = CORPUS.set("near2-4-ext4");
        List<Path> members = CORPUS.unpack(set, dir);
        Path home = Files.createDirectory(dir.resolve("home"));
        Command asUser = asOrdinaryUser(members, home);

        Path copy = home.resolve("copy");
        asUser.with(words(members, "copy")).with("--to", copy).run().succeeded();
        assertThat(Sha256.of(copy)).isEqualTo(set.arraySha256());
        try (Tenfold server =
                Tenfold.start(dir, asUser.with(words(members, "serve", "--read-only", "--listen", "127.0.0.1:0")))) {
            Path copied = dir.resolve("copied");
            Tool.NBDCOPY.run(server.address(), copied);
            assertThat(Sha256.of(copied)).isEqualTo(set.arraySha256());
        }
        try (Tenfold server = Tenfold.start(
                        dir, asUser.with("up", home.resolve("data"), "--size", "16M", "--listen", "127.0.0.1:0"));
                NbdClient client = server.connect()) {
            client.write(0, new byte[4096], NbdClient.FUA);
        }
    }

    /** The program to be run as another user where this one is root, for whom permissions mean nothing. */
    private Command asOrdinaryUser(List<Path> members, Path home) throws IOException {
        Path program = Repository.root().resolve("tenfold");
        if (!"root".equals(System.getProperty("user.name"))) {
            return Command.of(program);
        }
        Tool.require(Tool.SETPRIV);
        for (Path folder = dir; folder.startsWith("/tmp/"); folder = folder.getParent()) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Files.setPosixFilePermissions(members.getFirst().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));
        for (Path member : members) {
            Files.setPosixFilePermissions(member, PosixFilePermissions.fromString("r--r--r--"));
        }
        Command asNobody = Tool.SETPRIV.command("--reuid=65534", "--regid=65534", "--clear-groups");
        Tool.require(
                asNobody.with("test", "-r", program).run().exitCode() == 0,
                "needs a repository that user nobody can read, or an ordinary user: path=" + program);
        return asNobody.with(program).withVariable("HOME", home.toString());
    }

    /** Far layouts and members in partitions, which other systems' drivers do not find. */
    @ParameterizedTest
    @CsvSource({"far2-4, 0", "far2-4, 1", "near2-4-meta10, 1", "near2-4-meta090, 1"})
    void wholeDisksAndPartitionsAreMembers(String name, int partitioned) throws IOException {
        ArraySet set = CORPUS.set(name);
        List<Path> members = CORPUS.unpack(set, dir);
        if (partitioned == 1) {
            members = inPartitions(members);
        }
        Map<Path, String> before = Sha256.ofAll(members);
        assertThat(Tenfold.run(words(members, "examine")).succeeded().out()).contains(set.layout());
        assertCopies(members, set);
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }

    /** Each member as the second partition of a disk that has other things before and behind it. */
    private List<Path> inPartitions(List<Path> members) throws IOException {
        List<Path> disks = new ArrayList<>();
        for (Path member : members) {
            Path disk = dir.resolve("disk-" + member.getFileName());
            long size = Files.size(member);
            try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
                file.setLength(size + 8L * MEBIBYTE);
                file.seek(3L * MEBIBYTE);
                file.write(Files.readAllBytes(member));
            }
            long first = 3L * MEBIBYTE / 512;
            Tool.SGDISK.run(
                    "--new=1:2048:+1M",
                    "--new=2:" + first + ":" + (first + size / 512 - 1),
                    "--typecode=2:fd00",
                    "--new=3:" + (first + size / 512) + ":+1M",
                    disk);
            disks.add(disk);
        }
        return disks;
    }

    /** "Event counts differ: is --force safe?" */
    @ParameterizedTest
    @CsvSource({"near2-4-stale, 1", "near2-4-stale-bitmap, 2"})
    void staleMemberIsLeftOutAndWhatItMissedIsShown(String name, int stale) throws IOException {
        ArraySet set = CORPUS.set(name);
        List<Path> members = CORPUS.unpack(set, dir);
        Map<Path, String> before = Sha256.ofAll(members);
        String text = Tenfold.run(words(members, "examine")).succeeded().out();
        for (Path member : members) {
            assertThat(text)
                    .contains(member.getFileName().toString())
                    .contains(String.valueOf(Superblock.of(member).get(Superblock.EVENTS)));
        }
        assertThat(text).containsPattern("(?i)m" + stale + "\\.img[^\n]*stale|stale[^\n]*m" + stale + "\\.img");
        if (set.bitmap().equals("internal")) {
            // 2 MiB were written meanwhile, half of them to this pair; the bitmap has a bit for each 64 KiB.
            assertThat(text).containsPattern("\\b16\\b[^\n]*chunks");
        }
        assertCopies(members, set);
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }

    /** One event behind is within the kernel's tolerance, and yet the others know that it failed. */
    @Test
    void memberOneEventBehindThatTheOthersCallFaultyIsNotUsed() throws IOException {
        ArraySet set = CORPUS.set("near2-4-stale");
        List<Path> members = CORPUS.unpack(set, dir);
        long freshest = Superblock.of(members.get(0)).get(Superblock.EVENTS);
        Superblock failed = Superblock.of(members.get(1));
        assertThat(failed.get(Superblock.EVENTS)).isLessThan(freshest - 1);
        int device = (int) failed.get(Superblock.DEV_NUMBER);
        assertThat(Superblock.of(members.get(0)).role(device)).isGreaterThanOrEqualTo(0xfffe);
        failed.set(Superblock.EVENTS, freshest - 1).write();
        Map<Path, String> before = Sha256.ofAll(members);
        assertThat(Tenfold.run(words(members, "examine")).succeeded().out())
                .containsIgnoringCase("degraded")
                .contains("m1.img");
        assertCopies(members, set);
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }

    /** Disks renamed after a failure, and a spare among them. */
    @Test
    void namesDoNotMatterAndASpareIsNamed() throws IOException {
        ArraySet set = CORPUS.set("near2-4-spare");
        List<Path> unpacked = CORPUS.unpack(set, dir);
        List<Path> members = new ArrayList<>();
        int[] shuffle = {4, 2, 0, 3, 1};
        for (int i = 0; i < shuffle.length; i++) {
            members.add(Files.move(unpacked.get(shuffle[i]), dir.resolve("disk" + i)));
        }
        Map<Path, String> before = Sha256.ofAll(members);
        assertThat(Tenfold.run(words(members, "examine")).succeeded().out())
                .containsPattern("(?i)disk0[^\n]*spare|spare[^\n]*disk0")
                .containsPattern("(?i)spare[^\n]*not needed");
        assertCopies(members, set);
        assertThat(Sha256.ofAll(members)).isEqualTo(before);

        // Slot 1 lost (disk4 holds it): the spare is there, and said not to be used by reading.
        List<Path> fewer = members.subList(0, 4);
        assertThat(Tenfold.run(words(fewer, "examine")).succeeded().out())
                .containsIgnoringCase("degraded")
                .containsPattern("(?i)spare");
        assertCopies(fewer, set);
    }

    /** Firmware "repaired" the partition table of a disk that was a member as a whole. */
    @ParameterizedTest
    @ValueSource(strings = {"near2-4", "near2-4-meta11"})
    void partitionTableOverAMemberIsExplainedAndTheOthersAreEnough(String name) throws IOException {
        ArraySet set = CORPUS.set(name);
        List<Path> members = CORPUS.unpack(set, dir);
        Path disk = dir.resolve("disk");
        try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
            file.setLength(Files.size(members.get(2)));
        }
        Tool.SGDISK.run("--new=1:2048:0", disk);
        try (RandomAccessFile from = new RandomAccessFile(disk.toFile(), "r");
                RandomAccessFile to = new RandomAccessFile(members.get(2).toFile(), "rw")) {
            byte[] table = new byte[34 * 512];
            from.readFully(table);
            to.write(table);
        }
        Map<Path, String> before = Sha256.ofAll(members);
        Command.Result examined = Tenfold.run(words(members, "examine")).succeeded();
        assertThat(examined.out())
                .containsPattern("(?i)m2\\.img")
                .containsIgnoringCase("GPT")
                .containsIgnoringCase("degraded");
        assertCopies(members, set);
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }

    /** A mirror half with its superblock at the end looks like a plain file system. */
    @Test
    void fileSystemInsideAMirrorMemberIsPointedOut() throws Exception {
        Tool.require(Tool.MKE2FS);
        Path image = dir.resolve("image");
        Tool.MKE2FS.run("-q", "-t", "ext4", image, "16M");
        List<Path> members = List.of(dir.resolve("a"), dir.resolve("b"));
        Tenfold.run(words(
                        members,
                        "create",
                        "--raid-devices",
                        2,
                        "--metadata",
                        "1.0",
                        "--layout",
                        "n2",
                        "--chunk",
                        "64K",
                        "--size",
                        "16M"))
                .succeeded();
        try (Tenfold server = Tenfold.start(dir, words(members, "serve", "--listen", "unix:" + dir.resolve("s")))) {
            try (NbdClient client = server.connect();
                    InputStream in = Files.newInputStream(image)) {
                for (long at = 0; at < 16 * MEBIBYTE; at += MEBIBYTE) {
                    client.write(at, in.readNBytes(MEBIBYTE), 0);
                }
            }
            assertThat(server.stop()).isZero();
        }
        Map<Path, String> before = Sha256.ofAll(members);
        assertThat(Tenfold.run(words(members.subList(0, 1), "examine")).all())
                .containsIgnoringCase("ext4")
                .contains("1.0")
                .containsPattern("(?i)mount[^\n]*alone");
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }
}
