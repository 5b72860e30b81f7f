package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tenfold.base.Prng;
import io.tenfold.testkit.ContentRule;
import io.tenfold.testkit.NbdClient;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Killed in the middle of writes, again and again: what was flushed is there, what was not is old or new block by block,
 * and after the resync that goes on beside the next service the copies agree.
 *
 * <p>A kill leaves the machine's page cache alone; loss of power is the simulator's to try.
 */
class CrashSystemTest {
    private static final int BLOCK = 4096;
    private static final int BLOCKS_MAX = 16;
    private static final int BLOCKS_IN_ARRAY = 2048;

    @TempDir
    Path dir;

    @Test
    @Timeout(300)
    void flushedDataSurvivesKills() throws Exception {
        killAgainAndAgain(5, 1);
    }

    @Test
    @Tag("long")
    @Timeout(1800)
    void flushedDataSurvivesManyKills() throws Exception {
        killAgainAndAgain(100, 2);
    }

    private void killAgainAndAgain(int kills, long seed) throws Exception {
        Path data = dir.resolve("data");
        Prng prng = new Prng(seed);
        Writers writers = new Writers();
        for (int kill = 0; kill < kills; kill++) {
            String run = "seed=" + seed + ", kill=" + kill;
            try (Tenfold server = up(data)) {
                writers.check(server, run);
                writers.start(server, prng.nextLong());
                writers.awaitWrites(1 + prng.below(400));
                server.kill();
                writers.join();
            }
        }
        try (Tenfold server = up(data)) {
            writers.check(server, "seed=" + seed + ", last");
            server.awaitOutput("copies agree: ");
            assertThat(server.stop()).isZero();
        }
        assertMirrorsAgree(data);
    }

    /** The canary: a block that lost its flushed write is noticed. */
    @Test
    @Timeout(120)
    void lostBlockIsNoticed() throws Exception {
        Path data = dir.resolve("data");
        Writers writers = new Writers();
        try (Tenfold server = up(data)) {
            writers.start(server, 3);
            writers.awaitWrites(200);
            server.kill();
            writers.join();
        }
        try (Tenfold server = up(data)) {
            writers.check(server, "before");
            int block = writers.aWrittenBlock();
            try (NbdClient client = server.connect()) {
                client.write((long) block * BLOCK, new byte[BLOCK], 0);
            }
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> writers.check(server, "after"))
                    .withMessageContaining("block=" + block);
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

    /** Near 2 on four members: the data of slots 0 and 1, and of 2 and 3, is the same, byte for byte. */
    private static void assertMirrorsAgree(Path data) throws IOException {
        Path[] bySlot = new Path[4];
        try (Stream<Path> files = Files.list(data)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (Files.size(file) > 1 << 20) {
                    Superblock superblock = Superblock.of(file);
                    bySlot[superblock.role((int) superblock.get(Superblock.DEV_NUMBER))] = file;
                }
            }
        }
        assertThat(bySlot).doesNotContainNull();
        for (int slot = 0; slot < 4; slot += 2) {
            assertThat(dataOf(bySlot[slot]))
                    .as("slots %d and %d", slot, slot + 1)
                    .isEqualTo(dataOf(bySlot[slot + 1]));
        }
    }

    private static ByteBuffer dataOf(Path member) throws IOException {
        Superblock superblock = Superblock.of(member);
        ByteBuffer bytes = ByteBuffer.allocate((int) superblock.get(Superblock.SIZE) * 512);
        try (FileChannel file = FileChannel.open(member)) {
            while (bytes.hasRemaining()
                    && file.read(bytes, superblock.get(Superblock.DATA_OFFSET) * 512 + bytes.position()) >= 0) {
                // Reads on until all is there.
            }
        }
        return bytes.flip();
    }

    /**
     * Two clients, each with blocks of its own (even and odd groups), and what they know. Every write of a block uses a
     * new generation as the seed of its content.
     */
    private static final class Writers {
        private final long[] durable = new long[BLOCKS_IN_ARRAY];
        private final long[] newest = new long[BLOCKS_IN_ARRAY];
        private final AtomicLong acknowledged = new AtomicLong();
        private long firstGeneration = 1;
        private List<Thread> threads = List.of();

        void start(Tenfold server, long seed) {
            acknowledged.set(0);
            long generation = firstGeneration;
            firstGeneration += 1 << 20;
            threads = Stream.of(0, 1)
                    .map(parity -> Thread.ofPlatform().start(() -> write(server, parity, generation, seed + parity)))
                    .toList();
        }

        /** Writes until the connection breaks. The other writer's blocks are not touched. */
        private void write(Tenfold server, int parity, long generations, long seed) {
            Prng prng = new Prng(seed);
            long generation = generations + parity * (1L << 19);
            long[] written = new long[BLOCKS_IN_ARRAY];
            try (NbdClient client = server.connect()) {
                while (true) {
                    int group = 2 * prng.below(BLOCKS_IN_ARRAY / BLOCKS_MAX / 2) + parity;
                    int blocks = 1 + prng.below(BLOCKS_MAX);
                    int first = group * BLOCKS_MAX + prng.below(BLOCKS_MAX - blocks + 1);
                    generation++;
                    for (int i = first; i < first + blocks; i++) {
                        newest[i] = generation;
                    }
                    boolean fua = prng.oneIn(8);
                    client.write(
                            (long) first * BLOCK,
                            new ContentRule(generation).bytes((long) first * BLOCK, blocks * BLOCK),
                            fua ? NbdClient.FUA : 0);
                    for (int i = first; i < first + blocks; i++) {
                        written[i] = generation;
                        if (fua) {
                            durable[i] = generation;
                        }
                    }
                    acknowledged.incrementAndGet();
                    if (prng.oneIn(10)) {
                        client.flush();
                        for (int i = 0; i < BLOCKS_IN_ARRAY; i++) {
                            durable[i] = Math.max(durable[i], written[i]);
                        }
                    }
                }
            } catch (IOException _) {
                // Killed, as planned.
            }
        }

        void awaitWrites(long count) throws InterruptedException {
            while (acknowledged.get() < count) {
                for (Thread thread : threads) {
                    assertThat(thread.join(Duration.ofMillis(1)))
                            .as("writer ended before the kill")
                            .isFalse();
                }
            }
        }

        void join() throws InterruptedException {
            for (Thread thread : threads) {
                thread.join();
            }
        }

        /** Each block holds one of the generations it may; from then on it is the one it must. */
        void check(Tenfold server, String run) throws IOException {
            try (NbdClient client = server.connect()) {
                for (int i = 0; i < BLOCKS_IN_ARRAY; i++) {
                    byte[] found = client.read((long) i * BLOCK, BLOCK);
                    long generation = generationOf(found, (long) i * BLOCK);
                    assertThat(generation).as("%s, block=%d", run, i).isBetween(durable[i], newest[i]);
                    durable[i] = generation;
                    newest[i] = generation;
                }
            }
        }

        int aWrittenBlock() {
            for (int i = 0; i < BLOCKS_IN_ARRAY; i++) {
                if (durable[i] > 0) {
                    return i;
                }
            }
            throw new AssertionError("nothing was written");
        }

        /** The generation that filled the whole block; 0 for one that was never written, -1 for a mixture. */
        private static long generationOf(byte[] block, long offset) {
            MemorySegment segment = MemorySegment.ofArray(block);
            long word = segment.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
            if (word == 0) {
                return segment.mismatch(MemorySegment.ofArray(new byte[BLOCK])) < 0 ? 0 : -1;
            }
            long generation = (word ^ offset) * INVERSE;
            return new ContentRule(generation).firstDifference(segment, offset) < 0 ? generation : -1;
        }

        /** Of the content rule's factor, modulo 2^64: gives the seed back. */
        private static final long INVERSE = inverse(0x9E37_79B9_7F4A_7C15L);

        private static long inverse(long odd) {
            long inverse = odd;
            for (int i = 0; i < 5; i++) { // Each step doubles the number of right bits; the first three are right.
                inverse *= 2 - odd * inverse;
            }
            return inverse;
        }
    }
}
