package io.tenfold.raid.md;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each check of a version-1 superblock, by one superblock that fails it alone. */
class Superblock1CheckTest {
    private static final long MEMBER_BYTES = 4 << 20;

    private static Superblock1 good(int minor) {
        long sectors = MEMBER_BYTES / 512;
        return new SuperblockBlueprint(
                        minor,
                        new UUID(1, 2),
                        new UUID(3, 4),
                        "host:name",
                        1_000_000,
                        0x102,
                        6144,
                        128,
                        MemberPlaces.choose(minor, sectors, sectors, 128, -1),
                        1,
                        List.of(0, 1, 2, 3),
                        true)
                .superblock();
    }

    private static List<String> problems(Superblock1 superblock) {
        return Superblock1.read(superblock.bytes(), superblock.minor(), superblock.placeBytes(), MEMBER_BYTES)
                .problems();
    }

    @Test
    void goodOnesPass() {
        for (int minor = 0; minor <= 2; minor++) {
            assertThat(problems(good(minor))).isEmpty();
        }
    }

    private static Arguments bad(String problem, UnaryOperator<Superblock1.Editor> change) {
        return arguments(problem, change);
    }

    static Stream<Arguments> bads() {
        return Stream.of(
                bad("major version is not 1: majorVersion=2", e -> e.put32(4, 2)),
                bad("table of roles is too large: maxDev=1921, max=1920", e -> e.put32(220, 1921)),
                bad("table of roles is too large: maxDev=4294967295, max=1920", e -> e.put32(220, -1)),
                bad("it says that it lies elsewhere: superOffset=0, found at sector 8", e -> e.put64(144, 0)),
                bad("unknown feature bits: featureMap=0x2000, unknown=0x2000", e -> e.featureMap(0x2000)),
                bad("unknown feature bits: featureMap=0x80000001, unknown=0x80000000", e -> e.featureMap(0x80000001)),
                bad("feature of another level: featureMap=0x200, level=10", e -> e.featureMap(0x200)),
                bad("feature of another level: featureMap=0x400, level=10", e -> e.featureMap(0x400)),
                bad("feature of another level: featureMap=0x1000, level=10", e -> e.featureMap(0x1000)),
                bad("padding is not zero, might be a new feature: offset=12, value=0x7", e -> e.put32(12, 7)),
                bad("padding is not zero, might be a new feature: offset=228", e -> e.put8(228, 1)),
                bad("padding is not zero, might be a new feature: offset=255", e -> e.put8(255, 1)),
                bad(
                        "logical block must be a power of two, 512 to 65536: logicalBlockBytes=513",
                        e -> e.put32(224, 513)),
                bad("member's number is not in the table of roles: devNumber=128, maxDev=128", e -> e.put32(160, 128)),
                bad("event count is absurd: events=18446744073709551615", e -> e.events(-1)),
                bad(
                        "dataSize is absurd: dataSize=9223372036854775808, member has 8192 sectors",
                        e -> e.put64(136, Long.MIN_VALUE)),
                bad(
                        "dataOffset is absurd: dataOffset=18446744073709551615, member has 8192 sectors",
                        e -> e.put64(128, -1)),
                bad(
                        "size is absurd: size=9223372036854775807, member has 8192 sectors",
                        e -> e.put64(80, Long.MAX_VALUE)),
                bad("no room for data: dataSize=9, min=10", e -> e.put64(136, 9).put64(80, 0)),
                bad(
                        "the array uses more of the member than there is: size=6145, dataSize=6144",
                        e -> e.put64(80, 6145)),
                bad("data would start within the superblock: dataOffset=8, superblock ends at 9", e -> e.put64(128, 8)),
                bad(
                        "member is truncated, or its superblock is wrong: data ends at sector 8193, member has 8192 sectors",
                        e -> e.put64(136, 6145)),
                bad(
                        "data would start before the member: dataOffset + newOffset=-2147481600",
                        e -> e.featureMap(0x40).put32(124, Integer.MIN_VALUE)),
                bad(
                        "data would start within the superblock: dataOffset + newOffset=8, superblock ends at 9",
                        e -> e.featureMap(0x40).put32(124, -2040)),
                bad(
                        "member is truncated, or its superblock is wrong: data ends at sector 8320, member has 8192 sectors",
                        e -> e.featureMap(0x40).put32(124, 128)),
                bad(
                        "recovery has come farther than there is data: recoveryOffset=6145, dataSize=6144",
                        e -> e.featureMap(2).recoveryOffset(6145)),
                bad(
                        "recovery has come farther than there is data: recoveryOffset=18446744073709551615, dataSize=6144",
                        e -> e.featureMap(2).recoveryOffset(-1)),
                bad("raidDisks is out of range: raidDisks=0, max=1920", e -> e.put32(92, 0)),
                bad("raidDisks is out of range: raidDisks=4294967295, max=1920", e -> e.put32(92, -1)),
                bad("layout is not valid: layout=0x100, near=0, far=1, farSets=0", e -> e.put32(76, 0x100)),
                bad("layout is not valid: layout=0x2, near=2, far=0, farSets=0", e -> e.put32(76, 2)),
                bad("layout is not valid: layout=0x60102, near=2, far=1, farSets=3", e -> e.put32(76, 0x60102)),
                bad("layout is not valid: layout=0x80102, near=2, far=1, farSets=0", e -> e.put32(76, 0x80102)),
                bad("more copies than members: near=3, far=2, raidDisks=4", e -> e.put32(76, 0x203)),
                bad("chunk must be a power of two, 8 to 2097152 sectors: chunkSectors=0", e -> e.put32(88, 0)),
                bad("chunk must be a power of two, 8 to 2097152 sectors: chunkSectors=4", e -> e.put32(88, 4)),
                bad("chunk must be a power of two, 8 to 2097152 sectors: chunkSectors=129", e -> e.put32(88, 129)),
                bad(
                        "chunk must be a power of two, 8 to 2097152 sectors: chunkSectors=4294967295",
                        e -> e.put32(88, -1)),
                bad("a replacement without recovery offset: featureMap=0x10", e -> e.featureMap(0x10)),
                bad(
                        "bad-block log is in use but cannot be read: offset=0, sectors=8, max=8, shift=0",
                        e -> e.featureMap(8).put32(188, 0)),
                bad(
                        "bad-block log is in use but cannot be read: offset=16, sectors=9, max=8, shift=0",
                        e -> e.featureMap(8).put16(186, 9)),
                bad(
                        "bad-block log is in use but cannot be read: offset=16, sectors=8, max=8, shift=63",
                        e -> e.featureMap(8).put8(185, 63)),
                bad(
                        "reshape to another level: newLevel=5, level=10",
                        e -> reshape(e).put32(100, 5)),
                bad(
                        "before the reshape, raidDisks is out of range: raidDisks=0, max=1920",
                        e -> reshape(e).put32(112, 4)),
                bad(
                        "before the reshape, raidDisks is out of range: raidDisks=2147483652, max=1920",
                        e -> reshape(e).put32(112, Integer.MIN_VALUE)),
                bad(
                        "after the reshape, layout is not valid: layout=0x0, near=0, far=0, farSets=0",
                        e -> reshape(e).put32(116, 0)),
                bad(
                        "after the reshape, chunk must be a power of two, 8 to 2097152 sectors: chunkSectors=0",
                        e -> reshape(e).put32(120, 0)),
                bad(
                        "reshape position is absurd: reshapePosition=18446744073709551615",
                        e -> reshape(e).put64(104, -1)));
    }

    private static Superblock1.Editor reshape(Superblock1.Editor editor) {
        return editor.featureMap(4)
                .put32(100, 10)
                .put32(112, 1)
                .put32(116, 0x102)
                .put32(120, 128);
    }

    @ParameterizedTest
    @MethodSource("bads")
    void whatCannotBeIsNamedWithItsValueAndBound(String problem, UnaryOperator<Superblock1.Editor> change) {
        assertThat(problems(change.apply(good(2).edit()).done())).containsExactly(problem);
    }

    @Test
    void wrongChecksumIsNamedAlone() {
        byte[] bytes = good(2).bytes();
        bytes[33] ^= 1;
        bytes[95] = 77; // Absurd, but noise in a superblock whose checksum is wrong.
        Superblock1 read = Superblock1.read(bytes, 2, 4096, MEMBER_BYTES);
        assertThat(read.problems()).hasSize(1).first().asString().startsWith("checksum is wrong: stored=0x");
    }

    @Test
    void everySingleByteChangedWithoutTheChecksumIsNoticed() {
        byte[] good = good(2).bytes();
        for (int at = 0; at < 256 + 2 * 128; at++) {
            byte[] bytes = good.clone();
            bytes[at] ^= 0x10;
            assertThat(Superblock1.read(bytes, 2, 4096, MEMBER_BYTES).problems())
                    .as("at=%d", at)
                    .isNotEmpty();
        }
    }

    @Test
    void truncatedMemberIsNamed() {
        Superblock1 superblock = good(2);
        assertThat(Superblock1.read(superblock.bytes(), 2, 4096, MEMBER_BYTES / 2)
                        .problems())
                .containsExactly("member is truncated, or its superblock is wrong: data ends at sector 8192, member has"
                        + " 4096 sectors");
    }

    @Test
    void dataOfVersion10EndsBeforeItsSuperblock() {
        Superblock1 superblock = good(0).edit().put64(136, 8177).done();
        assertThat(problems(superblock))
                .containsExactly("member is truncated, or its superblock is wrong: data ends at sector 8177, member has"
                        + " its superblock at 8176");
    }

    @Test
    void overlapsAreWarningsForReadingGoesOn() {
        Superblock1 superblock = good(2).edit().featureMap(1).put32(96, 20).done();
        Superblock1 read = Superblock1.read(superblock.bytes(), 2, 4096, MEMBER_BYTES);
        assertThat(read.problems()).isEmpty();
        assertThat(read.warnings())
                .containsExactly("bitmap and bad-block log overlap: bitmap=28+1, bad-block log=24+8");
    }

    @Test
    void controlCharactersOfANameDoNotReachATerminal() {
        Superblock1 superblock = good(2).edit().put8(33, 27).done();
        assertThat(superblock.name()).isEqualTo("h?st:name");
    }
}
