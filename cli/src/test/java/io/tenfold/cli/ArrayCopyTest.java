package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Clock;
import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.FaultDevice;
import io.tenfold.block.FaultDevice.Fault;
import io.tenfold.block.IoStatus;
import io.tenfold.block.MemoryDevice;
import io.tenfold.block.Op;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArrayCopyTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path temp;

    private final Shard shard = Shard.ofCaller(0, Clock.system());

    @Test
    void streamGetsEveryByteInOrder() throws Exception {
        try (MemoryDevice device = random(20 * MIB + 512)) {
            List<Long> progress = new ArrayList<>();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ArrayCopy.Result result = copy(device, new CopyTarget.Stream(Channels.newChannel(out), false), progress);
            byte[] all = device.memory().toArray(ValueLayout.JAVA_BYTE);
            assertThat(out.toByteArray()).isEqualTo(all);
            assertThat(result.sha256()).isEqualTo(sha256(all));
            assertThat(result.writtenBytes()).isEqualTo(all.length);
            assertThat(result.unreadable()).isEmpty();
            assertThat(progress).isSorted().endsWith((long) all.length);
        }
    }

    @Test
    void zeroesBecomeHolesWhereverTheyLie() throws Exception {
        Prng prng = new Prng(5);
        for (int round = 0; round < 20; round++) {
            int size = 512 * (1 + prng.below(4 * MIB / 512));
            try (MemoryDevice device = new MemoryDevice(size)) {
                int data = 0;
                for (int block = 0; block < size / 4096; block++) {
                    if (prng.oneIn(3)) {
                        device.memory().set(ValueLayout.JAVA_BYTE, block * 4096L + prng.below(4096), (byte) 1);
                        data += 4096;
                    }
                }
                Path file = temp.resolve("out" + round);
                ArrayCopy.Result result = copyToFile(device, file);
                assertThat(Files.size(file)).as("round=%d", round).isEqualTo(size);
                assertThat(Files.readAllBytes(file))
                        .as("round=%d", round)
                        .isEqualTo(device.memory().toArray(ValueLayout.JAVA_BYTE));
                assertThat(result.writtenBytes()).as("round=%d", round).isEqualTo(data);
            }
        }
    }

    @Test
    void unreadableBlocksAreNarrowedDownZeroedAndListed() throws Exception {
        try (MemoryDevice memory = random(3 * MIB)) {
            FaultDevice device = new FaultDevice(memory);
            device.inject(Fault.in(Op.READ, MIB - 512, MIB + 1024, IoStatus.MEDIUM_ERROR)
                    .or(Fault.in(Op.READ, 5 * 512, 6 * 512, IoStatus.IO_ERROR)));
            ArrayCopy.Result result = copyToFile(device, temp.resolve("out"));
            assertThat(result.unreadable())
                    .containsExactly(new ByteRange(5 * 512, 512), new ByteRange(MIB - 512, 3 * 512));
            memory.memory().asSlice(5 * 512, 512).fill((byte) 0);
            memory.memory().asSlice(MIB - 512, 3 * 512).fill((byte) 0);
            byte[] rest = memory.memory().toArray(ValueLayout.JAVA_BYTE);
            assertThat(Files.readAllBytes(temp.resolve("out"))).isEqualTo(rest);
            assertThat(result.sha256()).isEqualTo(sha256(rest));
        }
    }

    @Test
    void deviceThatIsGoneIsNotAskedForEachOfItsBlocks() throws Exception {
        try (MemoryDevice memory = random(3 * MIB)) {
            FaultDevice device = new FaultDevice(memory);
            device.inject(Fault.all(IoStatus.OFFLINE));
            ArrayCopy.Result result = copyToFile(device, temp.resolve("out"));
            assertThat(result.unreadable()).containsExactly(new ByteRange(0, 3 * MIB));
            assertThat(device.injected()).as("not below the smallest chunk").isLessThanOrEqualTo(3 * 2 * 256);
        }
    }

    /** The chunks of a pair that is gone lie between those of others, also within what is read at once. */
    @Test
    void chunksOfMembersThatAreGoneDoNotTakeTheirNeighboursAlong() throws Exception {
        try (MemoryDevice memory = random(3 * MIB)) {
            FaultDevice device = new FaultDevice(memory);
            device.inject(Fault.in(Op.READ, MIB / 2, MIB, IoStatus.OFFLINE)
                    .or(Fault.in(Op.READ, MIB + 4096, MIB + 8192, IoStatus.OFFLINE)));
            ArrayCopy.Result result = copyToFile(device, temp.resolve("out"));
            assertThat(result.unreadable())
                    .containsExactly(new ByteRange(MIB / 2, MIB / 2), new ByteRange(MIB + 4096, 4096));
            memory.memory().asSlice(MIB / 2, MIB / 2).fill((byte) 0);
            memory.memory().asSlice(MIB + 4096, 4096).fill((byte) 0);
            assertThat(Files.readAllBytes(temp.resolve("out")))
                    .isEqualTo(memory.memory().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    void targetThatFailsEndsTheCopyAndLeavesNoReadBehind() {
        WritableByteChannel full = new WritableByteChannel() {
            private int room = 2 * MIB;

            @Override
            public int write(ByteBuffer from) throws IOException {
                if (from.remaining() > room) {
                    throw new IOException("No space left on device");
                }
                int bytes = from.remaining();
                room -= bytes;
                from.position(from.limit());
                return bytes;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {
                // Holds nothing.
            }
        };
        try (MemoryDevice device = random(20 * MIB)) {
            assertThatThrownBy(() -> copy(device, new CopyTarget.Stream(full, false), new ArrayList<>()))
                    .hasMessage("No space left on device");
        }
    }

    private ArrayCopy.Result copy(BlockDevice device, CopyTarget target, List<Long> progress) throws IOException {
        try (ArrayCopy copy = new ArrayCopy(device, shard, target)) {
            return copy.run(progress::add);
        }
    }

    private ArrayCopy.Result copyToFile(BlockDevice device, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            return copy(device, new CopyTarget.SparseFile(channel), new ArrayList<>());
        }
    }

    private static MemoryDevice random(int bytes) {
        MemoryDevice device = new MemoryDevice(bytes);
        Prng prng = new Prng(bytes);
        for (long at = 0; at < bytes; at += 8) {
            device.memory().set(ValueLayout.JAVA_LONG, at, prng.nextLong());
        }
        return device;
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
