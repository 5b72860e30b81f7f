package io.tenfold.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.FaultDevice;
import io.tenfold.block.FileDevice;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.raid.ArrayCreation;
import io.tenfold.raid.ArrayPlan;
import io.tenfold.raid.ArraySpec;
import io.tenfold.raid.Conductor;
import io.tenfold.raid.Examination;
import io.tenfold.raid.Layout;
import io.tenfold.raid.MdUuid;
import io.tenfold.raid.RaidDevice;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bad-block logs that were written here are read by mdadm, and a real kernel keeps away from what they name. */
@Timeout(1200)
class BadBlockLogKernelTest {
    private static final long SEED = 1234;
    private static final int MEMBERS = 4;
    private static final int CHUNK = 65536;

    @TempDir
    Path dir;

    private final Shard shard = Shard.ofCaller(0, Clock.system());
    private final List<Path> files = new ArrayList<>();
    private final List<FaultDevice> devices = new ArrayList<>();
    private long dataOffset;
    private long sizeBytes;

    @BeforeEach
    void create() throws Exception {
        List<Optional<BlockDevice>> slots = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            Path file = dir.resolve("m" + i + ".img");
            try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
                made.setLength(12L << 20);
            }
            files.add(file);
            devices.add(new FaultDevice(FileDevice.open(file, false)));
            slots.add(Optional.of(devices.getLast()));
        }
        ArraySpec spec = new ArraySpec(
                MdUuid.of(UUID.randomUUID()),
                "host:bad",
                Layout.near(2),
                CHUNK,
                "1.2",
                0,
                ArraySpec.CHOOSE,
                true,
                false);
        ArrayCreation.prepare(spec, slots, shard).write(() -> MdUuid.of(UUID.randomUUID()), shard);
    }

    @AfterEach
    void close() {
        devices.forEach(FaultDevice::close);
    }

    @Test
    void mdadmListsWhatWasRecordedAndNothingAfterItWasWrittenWell() throws Exception {
        Tool.require(Tool.MDADM);
        spoil();
        fill();
        long sector = dataOffset / 512;
        assertThat(examine(0)).contains(sector + 16 + " for 8 sectors").contains(sector + 256 + " for 16 sectors");
        assertThat(examine(2)).contains(sector + 16 + " for 8 sectors");
        assertThat(examine(1)).contains("list is empty");
        devices.forEach(device -> device.inject(FaultDevice.Fault.NONE));
        fill();
        for (int i = 0; i < MEMBERS; i++) {
            assertThat(examine(i)).as("member %d", i).contains("list is empty");
        }
    }

    @Test
    @Tag("long")
    void kernelReadsTheOtherCopyOfWhatIsRecorded() throws Exception {
        MdCheck.require();
        spoil();
        fill();
        String out = MdCheck.run(files, "--seed", SEED, "--size", sizeBytes, "--clean")
                .succeeded()
                .out();
        assertThat(out).endsWith("md-check: good\n");
    }

    /** From now on two members cannot write some ranges, which stay as they are. */
    private void spoil() throws Exception {
        ArrayPlan plan = Examination.of(List.copyOf(devices), shard).assemble();
        dataOffset = plan.members().getFirst().dataOffsetBytes();
        devices.get(0).inject(bad(16, 8).or(bad(256, 16)));
        devices.get(2).inject(bad(16, 8));
    }

    private FaultDevice.Fault bad(long sector, long sectors) {
        long from = dataOffset + sector * 512;
        return FaultDevice.Fault.in(Op.WRITE, from, from + sectors * 512, IoStatus.MEDIUM_ERROR);
    }

    /** Writes the whole array, and stops it in order. */
    private void fill() throws Exception {
        ArrayPlan plan = Examination.of(List.copyOf(devices), shard).assemble();
        assertThat(plan.whyReadOnly()).isEmpty();
        RaidDevice array = new RaidDevice(plan, false);
        sizeBytes = array.sizeBytes();
        ContentRule rule = new ContentRule(SEED);
        try (Conductor conductor = new Conductor(array, shard);
                Arena arena = Arena.ofConfined()) {
            try (Channel channel = array.open(shard)) {
                MemorySegment memory = arena.allocate(1 << 20, 4096);
                for (long at = 0; at < sizeBytes; at += memory.byteSize()) {
                    long length = Math.min(memory.byteSize(), sizeBytes - at);
                    rule.fill(memory.asSlice(0, length), at);
                    assertThat(write(channel, conductor, at, memory, length)).isEqualTo(IoStatus.OK);
                }
            }
            conductor.stop();
            while (!conductor.isStopped()) {
                conductor.work();
            }
            assertThat(conductor.state().degraded()).isZero();
        }
    }

    private static IoStatus write(Channel channel, Conductor conductor, long at, MemorySegment memory, long length) {
        boolean[] ended = new boolean[1];
        Request request = new Request(_ -> ended[0] = true).write(at, memory, 0, length, false);
        assertThat(channel.submit(request)).isTrue();
        channel.commit();
        while (!ended[0]) {
            channel.poll(1);
            conductor.work();
        }
        return request.status();
    }

    private String examine(int member) {
        return Tool.MDADM.run("--examine-badblocks", files.get(member)).out();
    }
}
