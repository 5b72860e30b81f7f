package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.BlockingIo;
import io.tenfold.block.FileDevice;
import io.tenfold.raid.ArrayCreation;
import io.tenfold.raid.ArrayPlan;
import io.tenfold.raid.ArraySpec;
import io.tenfold.raid.Examination;
import io.tenfold.raid.Geometry;
import io.tenfold.raid.Layout;
import io.tenfold.raid.MdUuid;
import io.tenfold.testkit.ContentRule;
import io.tenfold.testkit.Tool;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Arrays that were created here, filled copy by copy, are arrays to mdadm and to a real kernel. */
@Timeout(1200)
class CreatedArrayKernelTest {
    private static final long SEED = 4711;

    @TempDir
    Path dir;

    private final Shard shard = Shard.ofCaller(0, Clock.system());
    private final List<FileDevice> devices = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();

    static Stream<Arguments> arrays() {
        List<Arguments> arrays = new ArrayList<>();
        for (long chunk : new long[] {65536, 524288}) {
            for (String version : new String[] {"1.0", "1.1", "1.2"}) {
                arrays.add(arguments(Layout.near(2), 4, chunk, version));
                arrays.add(arguments(Layout.near(2), 3, chunk, version));
                arrays.add(arguments(Layout.near(3), 5, chunk, version));
                arrays.add(arguments(Layout.far(2), 4, chunk, version));
                arrays.add(arguments(Layout.offset(2), 4, chunk, version));
            }
        }
        return arrays.stream();
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("arrays")
    void kernelTakesWhatWasCreated(Layout layout, int members, long chunkBytes, String version) throws Exception {
        MdCheck.require();
        ArrayPlan plan = create(layout, members, chunkBytes, version);
        fill(plan);
        String out = MdCheck.run(files, "--seed", SEED, "--size", plan.sizeBytes(), "--clean")
                .succeeded()
                .out();
        assertThat(out).endsWith("md-check: good\n");
    }

    @ParameterizedTest
    @MethodSource("arrays")
    void mdadmExaminesWhatWasCreated(Layout layout, int members, long chunkBytes, String version) throws Exception {
        Tool.require(Tool.MDADM);
        ArrayPlan plan = create(layout, members, chunkBytes, version);
        for (int role = 0; role < members; role++) {
            String out = Tool.MDADM.run("--examine", files.get(role)).out();
            assertThat(out)
                    .contains("Version : " + version + "\n")
                    .contains("Array UUID : " + plan.uuid() + "\n")
                    .contains("Name : host:created")
                    .contains("Raid Level : raid10\n")
                    .contains("Raid Devices : " + members + "\n")
                    .contains("State : clean\n")
                    .contains("Bad Block Log : 512 entries available at offset ")
                    .contains(" - correct\n")
                    .contains("Events : 0\n")
                    .contains("Layout : " + layout + "\n")
                    .contains("Chunk Size : " + chunkBytes / 1024 + "K\n")
                    .contains("Device Role : Active device " + role + "\n")
                    .contains("Array State : " + "A".repeat(members) + " ");
            long dataOffset = plan.members().get(role).dataOffsetBytes();
            if (dataOffset > 0) { // mdadm does not print a zero.
                assertThat(out).contains("Data Offset : " + dataOffset / 512 + " sectors\n");
            }
            if (plan.geometry().memberBytes() * members / layout.copies() == plan.sizeBytes()) {
                // Otherwise mdadm prints a size that ends within a chunk, which is not what the kernel makes of it.
                assertThat(out).contains("Array Size : " + plan.sizeBytes() / 1024 + " KiB");
            }
        }
    }

    private ArrayPlan create(Layout layout, int members, long chunkBytes, String version) throws Exception {
        List<Optional<BlockDevice>> slots = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            Path file = dir.resolve("m" + i + ".img");
            try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
                made.setLength(12L << 20);
            }
            files.add(file);
            devices.add(FileDevice.open(file, false));
            slots.add(Optional.of(devices.getLast()));
        }
        ArraySpec spec = new ArraySpec(
                MdUuid.of(UUID.randomUUID()),
                "host:created",
                layout,
                chunkBytes,
                version,
                0,
                ArraySpec.CHOOSE,
                true,
                false);
        ArrayCreation.prepare(spec, slots, shard).write(() -> MdUuid.of(UUID.randomUUID()), shard);
        return Examination.of(devices, shard).assemble();
    }

    /** Writes every copy of every chunk. */
    private void fill(ArrayPlan plan) throws Exception {
        Geometry geometry = plan.geometry();
        ContentRule rule = new ContentRule(SEED);
        List<BlockingIo> channels = plan.members().stream()
                .map(m -> new BlockingIo(m.device(), shard))
                .toList();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment chunk = arena.allocate(geometry.chunkBytes(), 4096);
            for (long k = 0; k < geometry.arrayChunks(); k++) {
                rule.fill(chunk, geometry.startOf(k));
                for (int copy = 0; copy < geometry.copies(); copy++) {
                    long place = geometry.locate(k, copy);
                    int role = Geometry.role(place);
                    long at =
                            plan.members().get(role).dataOffsetBytes() + geometry.startOf(Geometry.memberChunk(place));
                    channels.get(role).write(at, chunk, false);
                }
            }
        }
        for (BlockingIo channel : channels) {
            channel.flush();
            channel.close();
        }
    }

    @AfterEach
    void close() {
        devices.forEach(FileDevice::close);
    }
}
