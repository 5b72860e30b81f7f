package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Prng;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GeometryTest {
    private static final int CHUNK = 4096;

    /** Seen on arrays that mdadm made and a Linux kernel filled (the mixed and far-set rows: by md's rule). */
    @ParameterizedTest(name = "{0} on {1}")
    @CsvSource(delimiter = '|', textBlock = """
            0x102   | 4 | 8 | 16 | 0→0:0 1:0; 1→2:0 3:0; 2→0:1 1:1; 3→2:1 3:1; 4→0:2 1:2; 5→2:2 3:2
            0x102   | 5 | 8 | 20 | 0→0:0 1:0; 1→2:0 3:0; 2→4:0 0:1; 3→1:1 2:1; 4→3:1 4:1; 5→0:2 1:2
            0x103   | 4 | 9 | 12 | 0→0:0 1:0 2:0; 1→3:0 0:1 1:1; 2→2:1 3:1 0:2; 3→1:2 2:2 3:2; 4→0:3 1:3 2:3; 5→3:3 0:4 1:4
            0x201   | 4 | 8 | 16 | 0→0:0 1:4; 1→1:0 2:4; 2→2:0 3:4; 3→3:0 0:4; 4→0:1 1:5; 5→1:1 2:5
            0x201   | 3 | 8 | 12 | 0→0:0 1:4; 1→1:0 2:4; 2→2:0 0:4; 3→0:1 1:5; 4→1:1 2:5; 5→2:1 0:5
            0x301   | 5 | 9 | 15 | 0→0:0 1:3 2:6; 1→1:0 2:3 3:6; 2→2:0 3:3 4:6; 3→3:0 4:3 0:6; 4→4:0 0:3 1:6; 5→0:1 1:4 2:7
            0x10201 | 4 | 8 | 16 | 0→0:0 1:1; 1→1:0 2:1; 2→2:0 3:1; 3→3:0 0:1; 4→0:2 1:3; 5→1:2 2:3
            0x10201 | 5 | 8 | 20 | 0→0:0 1:1; 1→1:0 2:1; 2→2:0 3:1; 3→3:0 4:1; 4→4:0 0:1; 5→0:2 1:3
            0x10301 | 5 | 9 | 15 | 0→0:0 1:1 2:2; 1→1:0 2:1 3:2; 2→2:0 3:1 4:2; 3→3:0 4:1 0:2; 4→4:0 0:1 1:2; 5→0:3 1:4 2:5
            0x202   | 6 | 8 | 12 | 0→0:0 2:4 1:0 3:4; 1→2:0 4:4 3:0 5:4; 2→4:0 0:4 5:0 1:4; 3→0:1 2:5 1:1 3:5; 4→2:1 4:5 3:1 5:5; 5→4:1 0:5 5:1 1:5
            0x40201 | 5 | 8 | 20 | 0→0:0 1:4; 1→1:0 0:4; 2→2:0 3:4; 3→3:0 4:4; 4→4:0 2:4; 5→0:1 1:5
            0x50201 | 5 | 8 | 20 | 0→0:0 1:1; 1→1:0 0:1; 2→2:0 3:1; 3→3:0 4:1; 4→4:0 2:1; 5→0:2 1:3
            """)
    void chunksLieWhereTheKernelPutsThem(String word, int members, int memberChunks, long arrayChunks, String places) {
        Geometry geometry =
                new Geometry(Layout.ofWord(Integer.decode(word)), members, CHUNK, (long) memberChunks * CHUNK);
        assertThat(geometry.arrayChunks()).isEqualTo(arrayChunks);
        List<String> rows = new ArrayList<>();
        for (long chunk = 0; chunk < 6; chunk++) {
            StringBuilder row = new StringBuilder(chunk + "→");
            for (int copy = 0; copy < geometry.copies(); copy++) {
                long place = geometry.locate(chunk, copy);
                row.append(copy == 0 ? "" : " ")
                        .append(Geometry.role(place))
                        .append(':')
                        .append(Geometry.memberChunk(place));
            }
            rows.add(row.toString());
        }
        assertThat(String.join("; ", rows)).isEqualTo(places);
    }

    @Test
    void everySmallGeometryFollowsTheRuleStepByStep() {
        forEachSmallGeometry(geometry -> {
            for (long chunk = 0; chunk < geometry.arrayChunks(); chunk++) {
                List<Long> expected = placesByTheRule(geometry, chunk);
                for (int copy = 0; copy < geometry.copies(); copy++) {
                    check(geometry.locate(chunk, copy) == expected.get(copy), geometry, chunk, copy);
                }
            }
        });
    }

    @Test
    void verdictOneToOneEqualsALookAtTheWholeArray() {
        int[] verdicts = new int[2];
        forEachSmallGeometry(geometry -> {
            Set<Long> places = new HashSet<>();
            boolean oneToOne = true;
            for (long chunk = 0; chunk < geometry.arrayChunks(); chunk++) {
                Set<Integer> roles = new HashSet<>();
                for (int copy = 0; copy < geometry.copies(); copy++) {
                    long place = geometry.locate(chunk, copy);
                    oneToOne &= places.add(place);
                    oneToOne &= roles.add(Geometry.role(place));
                }
            }
            // An array of less than a period is refused for what a larger one would lose.
            boolean whole = geometry.periodChunks() == period(geometry);
            if (whole || !oneToOne) {
                assertThat(geometry.isOneToOne()).as(geometry::toString).isEqualTo(oneToOne);
                verdicts[oneToOne ? 1 : 0]++;
            }
        });
        assertThat(verdicts[0]).as("geometries that lose data").isPositive();
        assertThat(verdicts[1]).as("geometries that do not").isPositive();
    }

    @Test
    void backwardsFindsTheChunkOfEveryCopyAndNothingElse() {
        forEachSmallGeometry(geometry -> {
            if (!geometry.isOneToOne()) {
                return;
            }
            Map<Long, Long> chunkAt = new HashMap<>();
            for (long chunk = 0; chunk < geometry.arrayChunks(); chunk++) {
                for (int copy = 0; copy < geometry.copies(); copy++) {
                    chunkAt.put(geometry.locate(chunk, copy), chunk);
                }
            }
            long memberChunks = geometry.memberBytes() / CHUNK;
            for (int role = 0; role < geometry.members(); role++) {
                for (long memberChunk = 0; memberChunk < memberChunks + 3; memberChunk++) {
                    long expected = chunkAt.getOrDefault(Geometry.place(role, memberChunk), Geometry.UNUSED);
                    check(geometry.arrayChunk(role, memberChunk) == expected, geometry, role, memberChunk, expected);
                }
            }
            chunkAt.keySet().forEach(place -> check(Geometry.memberChunk(place) < memberChunks, geometry, place));
        });
    }

    @Test
    void backwardsNeverNamesAChunkThatIsNotThereEvenWhereTheMapLosesData() {
        forEachSmallGeometry(geometry -> {
            for (int role = 0; role < geometry.members(); role++) {
                for (long memberChunk = 0; memberChunk < geometry.memberBytes() / CHUNK; memberChunk++) {
                    long chunk = geometry.arrayChunk(role, memberChunk);
                    if (chunk != Geometry.UNUSED) {
                        long place = Geometry.place(role, memberChunk);
                        check(geometry.copyAt(chunk, place) >= 0, geometry, role, memberChunk, chunk);
                    }
                }
            }
        });
    }

    @ParameterizedTest
    @CsvSource({
        "0x40202, 9, false", // Lost data on a real kernel.
        "0x10202, 5, false",
        "0x10202, 7, false",
        "0x10202, 9, false",
        "0x10202, 4, true",
        "0x10202, 8, true",
        "0x20201, 3, false", // Sets of one member: both copies on it.
        "0x202, 4, true",
        "0x202, 9, true",
        "0x40202, 8, true",
        "0x102, 2, true",
        "0x101, 1, true",
    })
    void wordsThatLoseDataAreKnown(String word, int members, boolean oneToOne) {
        Geometry geometry = new Geometry(Layout.ofWord(Integer.decode(word)), members, CHUNK, 64 * CHUNK);
        assertThat(geometry.isOneToOne()).isEqualTo(oneToOne);
    }

    @Test
    void proofIsFoundForTheLargestNumbersOfMembersAndCopies() {
        assertThat(new Geometry(Layout.far(255), Geometry.MEMBERS_MAX, CHUNK, 1L << 40).isOneToOne())
                .isTrue();
        assertThat(new Geometry(new Layout(7, 255, false, 0), 1919, CHUNK, 1L << 40).isOneToOne())
                .isTrue();
    }

    @Test
    void enoughIsWhatAWalkOverTheWholeArraySays() {
        forEachSmallGeometry(geometry -> {
            if (geometry.members() > 6) {
                return;
            }
            for (int present = 0; present < 1 << geometry.members(); present++) {
                int set = present;
                boolean enough = true;
                for (long chunk = 0; chunk < geometry.arrayChunks(); chunk++) {
                    boolean any = false;
                    for (int copy = 0; copy < geometry.copies(); copy++) {
                        any |= (set >> Geometry.role(geometry.locate(chunk, copy)) & 1) != 0;
                    }
                    enough &= any;
                }
                check(geometry.isEnough(role -> (set >> role & 1) != 0) == enough, geometry, set, enough);
            }
        });
    }

    @Test
    void failuresThatUsersAskAbout() {
        Geometry four = new Geometry(Layout.near(2), 4, CHUNK, 8 * CHUNK);
        assertThat(four.isEnough(role -> role != 0 && role != 2)).isTrue();
        assertThat(four.isEnough(role -> role != 0 && role != 1)).isFalse();
        Geometry five = new Geometry(Layout.near(2), 5, CHUNK, 8 * CHUNK);
        Geometry far = new Geometry(Layout.far(2), 5, CHUNK, 8 * CHUNK);
        for (int a = 0; a < 5; a++) {
            for (int b = a + 1; b < 5; b++) {
                int first = a;
                int second = b;
                boolean neighbours = b - a == 1 || b - a == 4;
                assertThat(five.isEnough(role -> role != first && role != second))
                        .as("near, a=%d, b=%d", a, b)
                        .isEqualTo(!neighbours);
                assertThat(far.isEnough(role -> role != first && role != second))
                        .as("far, a=%d, b=%d", a, b)
                        .isEqualTo(!neighbours);
            }
        }
    }

    @Test
    void largeMembersComeBackUnharmed() {
        Prng prng = new Prng(5_3);
        for (int round = 0; round < 20_000; round++) {
            Layout layout = new Layout(1 + prng.below(4), 1 + prng.below(4), prng.oneIn(2), prng.below(3));
            int members = layout.copies() + prng.below(Geometry.MEMBERS_MAX - layout.copies());
            long chunkBytes = 4096L << prng.below(12);
            long memberBytes = Math.min(
                    (1L << 55) - prng.below(chunkBytes), Long.MAX_VALUE / members * layout.near() / layout.far());
            Geometry geometry = new Geometry(layout, members, chunkBytes, memberBytes);
            boolean oneToOne = round % 100 == 0 && geometry.isOneToOne();
            for (int i = 0; i < 8; i++) {
                long offset = i == 0 ? geometry.arrayBytes() - 1 : prng.below(geometry.arrayBytes());
                long chunk = geometry.chunkOf(offset);
                List<Long> expected = placesByTheRule(geometry, chunk);
                for (int copy = 0; copy < layout.copies(); copy++) {
                    long place = geometry.locate(chunk, copy);
                    check(place == expected.get(copy), geometry, offset, copy, place);
                    long address = geometry.startOf(Geometry.memberChunk(place)) + geometry.withinChunk(offset);
                    check(address >= 0 && address < memberBytes, geometry, offset, copy, address);
                    long back = oneToOne ? geometry.arrayOffset(Geometry.role(place), address) : offset;
                    check(back == offset, geometry, offset, copy, address, back);
                }
            }
        }
    }

    @Test
    void sizesFollowTheChunkAndNotTheMember() {
        // Seen with mdadm: near 3 on metadata 1.0 uses 49024 sectors, no multiple of the chunk of 128 sectors.
        Geometry geometry = new Geometry(Layout.near(3), 5, 65536, 49024L * 512);
        assertThat(geometry.arrayBytes()).isEqualTo(49024L / 128 * 5 / 3 * 65536);
        assertThat(new Geometry(Layout.near(2), 4, 65536, 65535).arrayBytes()).isZero();
    }

    @Test
    void impossibleGeometriesAreRefusedWithTheirValues() {
        assertThatThrownBy(() -> new Geometry(Layout.near(3), 2, CHUNK, CHUNK))
                .hasMessage("more copies than members: copies=3, members=2");
        assertThatThrownBy(() -> new Geometry(Layout.near(1), 0, CHUNK, CHUNK))
                .hasMessage("members must be 1 to 1920: members=0");
        for (long chunk : new long[] {0, -4096, 2048, 4097, 6144, 1L << 31}) {
            assertThatThrownBy(() -> new Geometry(Layout.near(2), 2, chunk, CHUNK))
                    .hasMessage("chunk must be a power of two, 4096 to 2^30 bytes: chunkBytes=" + chunk);
        }
        assertThatThrownBy(() -> new Geometry(Layout.near(2), 2, CHUNK, -1)).hasMessageContaining("memberBytes=-1");
        assertThatThrownBy(() -> new Geometry(Layout.near(1), 1920, CHUNK, 1L << 55))
                .hasMessageContaining("2^63 bytes or more");
    }

    @Test
    void layoutWordsAreReadAndWritten() {
        assertThat(Layout.near(2).word()).isEqualTo(0x102);
        assertThat(Layout.far(2).word()).isEqualTo(0x201);
        assertThat(Layout.offset(2).word()).isEqualTo(0x10201);
        assertThat(Layout.ofWord(0x50203))
                .isEqualTo(new Layout(3, 2, true, 2))
                .hasToString("near=3, offset=2, far-sets=2");
        assertThat(Layout.ofWord(0x102)).hasToString("near=2");
        assertThat(Layout.ofWord(0x201)).hasToString("far=2");
        assertThat(Layout.ofWord(0x101)).hasToString("near=1");
        for (int word : new int[] {0, 0x100, 0x2, 0x60102, 0x80102, 0x80000102}) {
            assertThatThrownBy(() -> Layout.ofWord(word))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("layout=0x" + Integer.toHexString(word));
        }
        for (int word = 0; word < 1 << 19; word++) {
            if ((word & 0xff) != 0 && (word >> 8 & 0xff) != 0 && word >> 17 < 3) {
                assertThat(Layout.ofWord(word).word()).isEqualTo(word);
            }
        }
    }

    /** An assertion whose message costs nothing while it holds: there are millions. */
    private static void check(boolean holds, Object... values) {
        assertThat(holds ? null : Arrays.toString(values)).isNull();
    }

    private static long period(Geometry geometry) {
        int near = geometry.layout().near();
        long period = 1;
        while (period * near % geometry.members() != 0) {
            period++;
        }
        return period;
    }

    private static void forEachSmallGeometry(Consumer<Geometry> check) {
        for (int members = 1; members <= 9; members++) {
            for (int near = 1; near <= members; near++) {
                for (int far = 1; near * far <= members; far++) {
                    for (int rest = 0; rest < 6; rest++) {
                        Layout layout = new Layout(near, far, rest % 2 == 1, rest / 2);
                        for (int memberChunks : new int[] {0, 1, far, 2 * near * far + 1}) {
                            check.accept(new Geometry(layout, members, CHUNK, (long) memberChunks * CHUNK + 512));
                        }
                    }
                }
            }
        }
    }

    /** The rule as it is written in prose, step by step with the state it names, to compare with. */
    private static List<Long> placesByTheRule(Geometry geometry, long chunk) {
        int n = geometry.layout().near();
        int f = geometry.layout().far();
        int devices = geometry.members();
        long section = geometry.memberBytes() / geometry.chunkBytes() / f;
        long stride = geometry.layout().offset() ? 1 : section;
        int set = new int[] {devices, devices / f, n * f}[geometry.layout().farSets()];
        int last = (devices / set - 1) * set;
        List<Long> places = new ArrayList<>();
        int d = Math.toIntExact(chunk * n % devices);
        long a = chunk * n / devices * (geometry.layout().offset() ? f : 1);
        for (int i = 0; i < n; i++) {
            places.add(Geometry.place(d, a));
            int e = d;
            long b = a;
            for (int j = 1; j < f; j++) {
                int s = e / set;
                e += n;
                e = devices % set != 0 && e > last ? last + (e - last) % (set + devices % set) : s * set + e % set;
                b += stride;
                places.add(Geometry.place(e, b));
            }
            if (++d == devices) {
                d = 0;
                a++;
            }
        }
        return places;
    }
}
