package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.BlockingIo;
import io.tenfold.block.Channel;
import io.tenfold.block.FileDevice;
import io.tenfold.block.IoStatus;
import io.tenfold.block.IoStatusException;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FileDeviceTest extends DeviceContract {
    @TempDir
    Path temp;

    private final Shard shard = Shard.ofCaller(0, Clock.system());

    @Override
    protected BlockDevice makeDevice() throws Exception {
        return FileDevice.open(file(2 << 20), false);
    }

    private Path file(long size) throws Exception {
        Path path = temp.resolve("member");
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(size);
        }
        return path;
    }

    @Test
    void endWithinABlockIsOutOfReach() throws Exception {
        try (FileDevice device = FileDevice.open(file(1500), true)) {
            assertThat(device.sizeBytes()).isEqualTo(1024);
        }
    }

    @Test
    void readOnlyDeviceNeedsNoLeaveToWriteAndTakesNoWrites() throws Exception {
        Path path = file(4096);
        assertThat(path.toFile().setWritable(false)).isTrue();
        try (FileDevice device = FileDevice.open(path, true);
                BlockingIo io = new BlockingIo(device, shard)) {
            assertThat(device.limits().readOnly()).isTrue();
            assertStatus(() -> io.write(0, MemorySegment.ofArray(new byte[512]), false), IoStatus.READ_ONLY);
            io.flush();
        }
    }

    @Test
    void fileThatWasCutShortFailsToReadBehindItsEnd() throws Exception {
        Path path = file(4096);
        try (FileDevice device = FileDevice.open(path, true);
                BlockingIo io = new BlockingIo(device, shard);
                FileChannel cut = FileChannel.open(path, StandardOpenOption.WRITE)) {
            cut.truncate(1024);
            io.read(0, MemorySegment.ofArray(new byte[1024]));
            assertStatus(() -> io.read(512, MemorySegment.ofArray(new byte[1024])), IoStatus.IO_ERROR);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"READ", "WRITE", "FLUSH"})
    void fileThatWasCutShortIsNotFilledUpWithZeroes(Op foundBy) throws Exception {
        Path path = file(4096);
        try (FileDevice device = FileDevice.open(path, false);
                BlockingIo io = new BlockingIo(device, shard);
                FileChannel cut = FileChannel.open(path, StandardOpenOption.WRITE)) {
            cut.truncate(1024);
            if (foundBy == Op.FLUSH) {
                assertStatus(io::flush, IoStatus.OFFLINE);
            } else if (foundBy == Op.READ) {
                assertStatus(() -> io.read(3584, MemorySegment.ofArray(new byte[512])), IoStatus.IO_ERROR);
            }
            assertStatus(() -> io.write(3584, MemorySegment.ofArray(new byte[512]), false), IoStatus.OFFLINE);
            assertStatus(io::flush, IoStatus.OFFLINE);
            io.read(0, MemorySegment.ofArray(new byte[1024]));
            assertThat(Files.size(path)).isEqualTo(1024);
        }
    }

    @Test
    void zeroesReplaceWhatWasThereAndNothingElse() throws Exception {
        long size = 5 << 20;
        Path path = file(size);
        try (FileDevice device = FileDevice.open(path, false);
                BlockingIo io = new BlockingIo(device, shard);
                Arena arena = Arena.ofShared()) {
            MemorySegment ones = arena.allocate(size).fill((byte) 1);
            io.write(0, ones, true);
            try (Channel channel = device.open(shard)) {
                boolean[] done = {false};
                Request request = new Request(_ -> done[0] = true);
                assertThat(channel.submit(request.writeZeroes(512, size - 1024, true)))
                        .isTrue();
                channel.poll(1);
                assertThat(done[0]).isTrue();
                assertThat(request.status()).isEqualTo(IoStatus.OK);
            }
            byte[] expected = new byte[(int) size];
            Arrays.fill(expected, 0, 512, (byte) 1);
            Arrays.fill(expected, expected.length - 512, expected.length, (byte) 1);
            assertThat(Files.readAllBytes(path)).isEqualTo(expected);
        }
    }

    private static void assertStatus(ThrowingCallable call, IoStatus status) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        IoStatusException.class, e -> assertThat(e.status()).isEqualTo(status));
    }
}
