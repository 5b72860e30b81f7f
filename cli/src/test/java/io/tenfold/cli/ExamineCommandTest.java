package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.testkit.Corpus;
import io.tenfold.testkit.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

class ExamineCommandTest {
    private static final Corpus CORPUS = Corpus.open();

    @TempDir
    Path temp;

    private final CapturedConsole captured = new CapturedConsole();

    @Test
    void memberIsDescribedInTheWordsOfMdadm() throws IOException {
        Path member = CORPUS.unpack(CORPUS.set("near2-4"), temp).get(2);
        assertThat(examine(List.of(member))).isEqualTo(ExitCode.REFUSED);
        assertThat(captured.out()).startsWith("""
                MEMBER:
                            Magic : a92b4efc
                          Version : 1.2
                      Feature Map : 0x0
                       Array UUID : 52944d53:d7e15794:9c258687:e446b4da
                             Name : corpus:near2-4
                    Creation Time : 2026-11-30 10:35:32 UTC
                       Raid Level : raid10
                     Raid Devices : 4

                   Avail Dev Size : 22528 sectors (11.00 MiB 11.53 MB)
                       Array Size : 22528 KiB (22.00 MiB 23.07 MB)
                    Used Dev Size : 22528 sectors (11.00 MiB 11.53 MB)
                      Data Offset : 2048 sectors
                     Super Offset : 8 sectors
                            State : clean
                      Device UUID : f17360c4:bafe04be:a0e28704:4a4d1bda

                      Update Time : 2026-11-30 10:35:33 UTC
                    Bad Block Log : 512 entries available at offset 16 sectors
                         Checksum : 3b5aa9d2 - correct
                           Events : 17

                           Layout : near=2
                       Chunk Size : 64K

                      Device Role : Active device 2
                      Array State : AAAA ('A' == active, '.' == missing, 'R' == replacing)
                """.replace("MEMBER", member.toString()));
    }

    /** Every fact that mdadm prints of these members, under the same name, is found in our text. */
    @Test
    void whatMdadmSaysOfVersion1MembersIsSaidHereToo() throws IOException {
        List<String> names = List.of(
                "Magic",
                "Version",
                "Feature Map",
                "Array UUID",
                "Name",
                "Raid Level",
                "Raid Devices",
                "Avail Dev Size",
                "Array Size",
                "Used Dev Size",
                "Data Offset",
                "New Offset",
                "Super Offset",
                "Recovery Offset",
                "Device UUID",
                "Reshape pos'n",
                "Delta Devices",
                "Checksum",
                "Events",
                "Layout",
                "Chunk Size",
                "Device Role",
                "Array State");
        int compared = 0;
        for (String set : List.of(
                "far2-4",
                "offset3-5",
                "near2-4-flags",
                "near2-4-meta11",
                "near2-4-recovery",
                "near2-4-spare",
                "near2-4-stale",
                "near2-4-bitmap",
                "near2-4-size",
                "far2-4-recovery")) {
            Path member = CORPUS.unpack(CORPUS.set(set), temp).getLast();
            CapturedConsole ours = new CapturedConsole();
            ours.run("examine", member.toString());
            for (String line : lastMember(CORPUS.text(CORPUS.set(set), "examine"))) {
                String[] parts = line.strip().split(" : ", 2);
                if (parts.length == 2 && names.contains(parts[0].strip())) {
                    String value = parts[1].strip();
                    assertThat(ours.out()).as("set=%s, line=%s", set, line).contains(parts[0].strip() + " : " + value);
                    compared++;
                }
            }
        }
        assertThat(compared).isGreaterThan(150);
    }

    private static List<String> lastMember(String text) {
        List<String> last = new ArrayList<>();
        for (String line : text.lines().toList()) {
            if (line.startsWith("/dev/")) {
                last.clear();
            } else if (line.startsWith("mdadm --examine-")) {
                break;
            }
            last.add(line);
        }
        return last;
    }

    @Test
    void wholeArrayIsSummedUpSlotBySlot() throws IOException {
        List<Path> members = CORPUS.unpack(CORPUS.set("near2-4-shuffled"), temp);
        assertThat(examine(members)).isEqualTo(ExitCode.OK);
        assertThat(summary())
                .hasSize(9)
                .startsWith(
                        "array \"near2-4-shuffled\":",
                        "       Array UUID : " + fact("Array UUID"),
                        "            Shape : raid10 near=2 on 4 members, chunk 64K, 22.0 MiB (23068672 bytes)",
                        "        Assembles : yes, clean");
        for (int slot = 0; slot < 4; slot++) {
            assertThat(summary().get(4 + slot)).matches(" +Slot " + slot + " : .*/m\\d\\.img, in sync");
        }
    }

    @Test
    void degradedArrayNamesItsMissingSlots() throws IOException {
        List<Path> members = CORPUS.unpack(CORPUS.set("near2-4"), temp);
        assertThat(examine(List.of(members.get(3), members.get(0)))).isEqualTo(ExitCode.OK);
        assertThat(summary())
                .containsSubsequence(
                        "        Assembles : yes, degraded, 2 of 4 members, clean",
                        "          Missing : slots=1,2",
                        "           Slot 0 : " + members.get(0) + ", in sync",
                        "           Slot 3 : " + members.get(3) + ", in sync",
                        "          Writing : with --run only: a member that the others count on is not here");
    }

    @Test
    void staleMemberIsNamedWithWhatItMissed() throws IOException {
        List<Path> members = CORPUS.unpack(CORPUS.set("near2-4-stale-bitmap"), temp);
        assertThat(examine(members)).isEqualTo(ExitCode.OK);
        assertThat(summary())
                .anyMatch(line -> line.startsWith("         Left out : " + members.get(2) + ": stale")
                        && line.contains("events=17")
                        && line.contains("chunks"));
    }

    @Test
    void spareIsNamedWithWhetherItIsNeeded() throws IOException {
        List<Path> members = CORPUS.unpack(CORPUS.set("near2-4-spare"), temp);
        assertThat(examine(members)).isEqualTo(ExitCode.OK);
        assertThat(summary())
                .contains("            Spare : " + members.get(4) + ", spare, not needed: no slot is missing");
    }

    @Test
    void tooFewMembersAreRefusedWithTheReason() throws IOException {
        List<Path> members = CORPUS.unpack(CORPUS.set("near2-4"), temp).subList(0, 2);
        assertThat(examine(members)).isEqualTo(ExitCode.REFUSED);
        assertThat(summary())
                .contains("        Assembles : no")
                .anyMatch(line -> line.startsWith("           Reason : cannot assemble \"near2-4\": 2 of 4 members"))
                .anyMatch(line -> line.startsWith("             Hint : find the missing members"));
    }

    @Test
    void jsonIsStrictAndAlone() throws IOException {
        for (String set :
                List.of("near2-4-bitmap", "near2-4-meta090", "near2-4-reshape5", "near2-4-clone", "raid0-2")) {
            List<Path> members = CORPUS.unpack(CORPUS.set(set), temp);
            CapturedConsole json = new CapturedConsole();
            List<String> words = new ArrayList<>(List.of("examine", "--json"));
            members.forEach(member -> words.add(member.toString()));
            json.run(words.toArray(String[]::new));
            assertStrictJson(json.out());
            assertThat(json.err()).as(set).isEmpty();
            assertThat(json.out()).contains("\"format\":1", "\"isMember\":true");
        }
    }

    private static void assertStrictJson(String text) {
        JsonFactory factory = JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build();
        try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), text)) {
            int values = 0;
            while (parser.nextToken() != null) {
                if (parser.currentToken().isStructStart()) {
                    parser.skipChildren();
                }
                values++;
            }
            assertThat(values).isEqualTo(1);
        }
    }

    @Test
    void whatIsNoMemberIsSaidToBeNone() throws IOException {
        Path empty = Files.createFile(temp.resolve("empty"));
        Path text = Files.writeString(temp.resolve("text"), "x".repeat(100_000));
        assertThat(examine(List.of(empty, text))).isEqualTo(ExitCode.REFUSED);
        assertThat(captured.out())
                .contains(
                        empty
                                + ":\n          Problem : no md superblock\n            Found : too small for a member: sizeBytes=0\n",
                        text + ":\n          Problem : no md superblock\n",
                        "no array: no member of one was found\n");
    }

    @Test
    void whatCannotBeOpenedIsSaidAndTheRestExamined() throws Exception {
        Path fifo = temp.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
        Path gone = temp.resolve("gone");
        List<Path> members = CORPUS.unpack(CORPUS.set("near2-2"), temp);
        assertThat(examine(List.of(gone, temp, members.get(0), fifo, members.get(1))))
                .isEqualTo(ExitCode.FAILED);
        assertThat(captured.err().lines())
                .containsExactly(
                        "tenfold: cannot open member: no such file: path=" + gone,
                        "tenfold: member is a directory: path=" + temp,
                        "  hint: name the files or devices in it",
                        "tenfold: member is neither a file nor a block device: path=" + fifo);
        assertThat(summary()).contains("        Assembles : yes, clean");
    }

    @Test
    void secondNameOfAMemberIsSaidAndNotCounted() throws IOException {
        List<Path> members = CORPUS.unpack(CORPUS.set("near2-2"), temp);
        Path hard = Files.createLink(temp.resolve("hard"), members.get(0));
        Path symbolic = Files.createSymbolicLink(temp.resolve("symbolic"), members.get(1));
        assertThat(examine(List.of(members.get(0), hard, members.get(1), symbolic)))
                .isEqualTo(ExitCode.OK);
        assertThat(captured.err().lines())
                .containsExactly(
                        "tenfold: two names of one member, which is used once: first=" + members.get(0) + ", second="
                                + hard,
                        "tenfold: two names of one member, which is used once: first=" + members.get(1) + ", second="
                                + symbolic);
        assertThat(summary()).contains("        Assembles : yes, clean");
    }

    @Test
    void nothingIsWrittenToAnyMember() throws IOException {
        List<Path> members = new ArrayList<>();
        for (String set : List.of("near2-4-crash", "near2-4-stale", "near2-4-badsum")) {
            members.addAll(CORPUS.unpack(CORPUS.set(set), temp));
        }
        Map<Path, String> before = Sha256.ofAll(members);
        for (Path member : members) {
            assertThat(member.toFile().setWritable(false)).isTrue();
        }
        examine(members);
        assertThat(Sha256.ofAll(members)).isEqualTo(before);
    }

    @Test
    void membersMustBeNamed() {
        assertThat(captured.run("examine")).isEqualTo(ExitCode.USAGE);
        assertThat(captured.err().lines())
                .containsExactly("tenfold: missing required parameter: 'MEMBER'", "  hint: tenfold examine --help");
    }

    private int examine(List<Path> members) {
        List<String> words = new ArrayList<>(List.of("examine"));
        members.forEach(member -> words.add(member.toString()));
        return captured.run(words.toArray(String[]::new));
    }

    /** The lines about the array. */
    private List<String> summary() {
        return captured.out()
                .lines()
                .dropWhile(line -> !line.startsWith("array "))
                .toList();
    }

    private String fact(String name) {
        return captured.out()
                .lines()
                .filter(line -> line.strip().startsWith(name + " : "))
                .findFirst()
                .map(line -> line.substring(line.indexOf(" : ") + 3))
                .orElseThrow();
    }
}
