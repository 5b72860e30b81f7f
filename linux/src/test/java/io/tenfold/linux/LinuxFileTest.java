package io.tenfold.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.testkit.Allocation;
import io.tenfold.testkit.Command;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a file does beyond the contract of every device: what it refuses, how it fails, what it costs. */
@Timeout(120)
class LinuxFileTest {
    private static final int MIB = 1 << 20;

    private final Arena arena = Arena.ofShared();
    private final TestFiles files = TestFiles.onDisk();
    private RingReactor reactor;

    @BeforeEach
    void makeReactor() throws IOException {
        reactor = TestRings.make(0, Clock.system());
    }

    @AfterEach
    void close() throws IOException {
        reactor.close();
        files.close();
        arena.close();
    }

    @Test
    void missingFileIsNamed() {
        assertThatThrownBy(() -> LinuxFile.open(Path.of("target/none"), true))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot open: path=target/none, error=No such file or directory (errno 2)");
    }

    @Test
    void folderAndPipeAreRefusedWithoutWaiting() {
        Path pipe = files.folder().resolve("pipe");
        Command.of("mkfifo", pipe).run().succeeded();
        for (Path path : List.of(files.folder(), pipe, Path.of("/dev/zero"))) {
            assertThatThrownBy(() -> LinuxFile.open(path, false))
                    .isInstanceOf(IOException.class)
                    .hasMessage("cannot open: path=" + path + ", reason=neither a regular file nor a block device");
        }
    }

    @Test
    void deviceInUseIsNotOpenedForWriting() throws IOException {
        Path loop = files.loop(MIB);
        try (LinuxFile first = LinuxFile.open(loop, false)) {
            assertThat(first.sizeBytes()).isEqualTo(MIB);
            assertThatThrownBy(() -> LinuxFile.open(loop, false))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use")
                    .hasMessageContaining("path=" + loop);
            try (LinuxFile looking = LinuxFile.open(loop, true)) {
                assertThat(looking.limits().readOnly()).isTrue();
            }
        }
        LinuxFile.open(loop, false).close();
    }

    @Test
    void openingForReadingChangesNothing() throws IOException {
        Path file = files.sparse(MIB);
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L));
        try (LinuxFile device = LinuxFile.open(file, true);
                Channel channel = device.open(reactor)) {
            assertThat(device.limits().discardBytesMax()).isZero();
            assertThat(device.limits().zeroBytesMax()).isZero();
            assertThat(run(reactor, channel, request().read(0, memory(4096), 0, 4096)))
                    .isEqualTo(IoStatus.OK);
        }
        assertThat(Files.getLastModifiedTime(file).toMillis()).isEqualTo(1_000_000_000_000L);
    }

    @Test
    void openingForWritingKeepsTheBytesAndTheSize() throws IOException {
        byte[] content = new byte[3 * MIB + 77];
        Arrays.fill(content, (byte) 9);
        Path file = Files.write(files.folder().resolve("full"), content);
        LinuxFile.open(file, false).close();
        assertThat(file).hasBinaryContent(content);
    }

    @Test
    void partOfABlockAtTheEndIsLeftOut() throws IOException {
        try (LinuxFile device = LinuxFile.open(files.sparse(5 * 512 + 511), false)) {
            assertThat(device.sizeBytes()).isEqualTo(5 * 512);
        }
        try (LinuxFile device = LinuxFile.open(files.sparse(0), false)) {
            assertThat(device.sizeBytes()).isZero();
        }
    }

    @Test
    void limitsOfADeviceAreItsOwn() throws IOException {
        try (LinuxFile device = LinuxFile.open(files.loop(MIB, "--sector-size", "4096"), false)) {
            assertThat(device.limits().blockBytes()).isEqualTo(4096);
            assertThat(device.limits().memoryAlignment()).isGreaterThanOrEqualTo(512);
        }
    }

    @Test
    void moreRequestsThanTheChannelHoldsFindNoRoomAndAllComplete() throws IOException {
        try (LinuxFile device = LinuxFile.open(files.sparse(MIB), false);
                Channel channel = device.open(reactor)) {
            MemorySegment memory = memory(4096);
            int[] completed = new int[1];
            boolean refused = false;
            for (int i = 0; i < 1000; i++) {
                Request request = new Request(_ -> completed[0]++).read(0, memory, 0, 4096);
                while (!channel.submit(request)) {
                    refused = true;
                    turn(reactor, channel);
                }
            }
            while (completed[0] < 1000) {
                turn(reactor, channel);
            }
            assertThat(refused).isTrue();
        }
    }

    @Test
    void channelThatIsPolledWithoutParkingGetsOn() throws IOException {
        try (LinuxFile device = LinuxFile.open(files.sparse(MIB), false);
                Channel channel = device.open(reactor)) {
            boolean[] completed = new boolean[1];
            channel.submit(new Request(_ -> completed[0] = true).read(0, memory(4096), 0, 4096));
            channel.commit();
            while (!completed[0]) { // Neither poll nor park of the reactor.
                channel.poll(1);
            }
        }
    }

    @Test
    void parkDoesNotSleepWhileACompletionIsUndelivered() throws IOException {
        try (LinuxFile device = LinuxFile.open(files.sparse(MIB), false);
                Channel channel = device.open(reactor)) {
            int[] completed = new int[1];
            for (int i = 0; i < 2; i++) {
                channel.submit(new Request(_ -> completed[0]++).read(0, memory(4096), 0, 4096));
            }
            while (completed[0] == 0) {
                reactor.park(1_000_000_000);
                reactor.poll(); // Takes both answers from the ring, at once or with the next one.
                channel.poll(1);
            }
            for (int i = 0; i < 100; i++) {
                reactor.poll();
            }
            long before = Clock.system().nanos();
            while (completed[0] < 2) {
                reactor.park(20_000_000_000L);
                channel.poll(1);
            }
            assertThat(Clock.system().nanos() - before).isLessThan(10_000_000_000L);
        }
    }

    @Test
    void manyFlushesAtOnceEachComplete() throws IOException {
        for (long size : new long[] {MIB, MIB + 100}) {
            try (LinuxFile device = LinuxFile.open(files.sparse(size), false);
                    Channel channel = device.open(reactor)) {
                MemorySegment memory = memory(4096);
                List<Request> requests = new ArrayList<>();
                int[] completed = new int[1];
                for (int i = 0; i < 100; i++) {
                    Request request = new Request(_ -> completed[0]++);
                    requests.add(i % 3 == 0 ? request.flush() : request.write(i * 4096L, memory, 0, 4096, i % 3 == 1));
                    assertThat(channel.submit(request)).isTrue();
                    if (i % 10 == 0) {
                        turn(reactor, channel);
                    }
                }
                while (completed[0] < requests.size()) {
                    turn(reactor, channel);
                }
                assertThat(requests).allMatch(r -> r.status() == IoStatus.OK);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void zeroesAreWrittenFromMemoryWhereTheFileSystemHasNoOtherWay(boolean onRing) throws IOException {
        Shard shard = shard(onRing);
        try (LinuxFile device = LinuxFile.open(files.sparse(5 * MIB), false);
                Channel channel = device.open(shard)) {
            MemorySegment ones = memory(5 * MIB);
            ones.fill((byte) 1);
            run(shard, channel, request().write(0, ones, 0, 5 * MIB, false));
            assertThat(device.zeroWayAfter(device.zeroWay())).isEqualTo(LinuxFile.ZeroWay.PUNCH_HOLE);
            assertThat(run(shard, channel, request().writeZeroes(512, 1024, true)))
                    .isEqualTo(IoStatus.OK);
            assertThat(device.zeroWayAfter(device.zeroWay())).isEqualTo(LinuxFile.ZeroWay.WRITE);
            assertThat(run(shard, channel, request().writeZeroes(MIB, 3 * MIB + 512, true)))
                    .isEqualTo(IoStatus.OK);

            MemorySegment expected = memory(5 * MIB);
            expected.fill((byte) 1);
            expected.asSlice(512, 1024).fill((byte) 0);
            expected.asSlice(MIB, 3 * MIB + 512).fill((byte) 0);
            MemorySegment back = memory(5 * MIB);
            run(shard, channel, request().read(0, back, 0, 5 * MIB));
            assertThat(back.mismatch(expected)).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fileThatWasCutShortFailsItsReads(boolean onRing) throws IOException {
        Path file = files.sparse(MIB);
        try (LinuxFile device = LinuxFile.open(file, false);
                Channel channel = device.open(shard(onRing))) {
            try (FileChannel cut = FileChannel.open(file, StandardOpenOption.WRITE)) {
                cut.truncate(MIB / 2 + 100);
            }
            Request read = request().read(0, memory(MIB), 0, MIB);
            assertThat(run(shard(onRing), channel, read)).isNotEqualTo(IoStatus.OK);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, READ", "true, WRITE", "true, FLUSH", "false, READ", "false, WRITE", "false, FLUSH"})
    void fileThatWasCutShortIsNotFilledUpWithZeroes(boolean onRing, Op foundBy) throws IOException {
        Path file = files.sparse(MIB);
        try (LinuxFile device = LinuxFile.open(file, false);
                Channel channel = device.open(shard(onRing));
                FileChannel cut = FileChannel.open(file, StandardOpenOption.WRITE)) {
            cut.truncate(MIB / 2);
            Request finder = request()
                    .start(foundBy, foundBy == Op.FLUSH ? 0 : MIB - 4096, foundBy == Op.FLUSH ? 0 : 4096, false);
            if (foundBy != Op.FLUSH) {
                finder.add(memory(4096), 0, 4096);
            }
            assertThat(run(shard(onRing), channel, finder))
                    .isEqualTo(foundBy == Op.READ ? IoStatus.IO_ERROR : IoStatus.OFFLINE);
            for (boolean fua : new boolean[] {false, true}) {
                Request late = request().write(MIB - 4096, memory(4096), 0, 4096, fua);
                assertThat(run(shard(onRing), channel, late)).isEqualTo(IoStatus.OFFLINE);
            }
            assertThat(run(shard(onRing), channel, request().writeZeroes(MIB - 4096, 4096, false)))
                    .isEqualTo(IoStatus.OFFLINE);
            assertThat(run(shard(onRing), channel, request().flush())).isEqualTo(IoStatus.OFFLINE);
            assertThat(run(shard(onRing), channel, request().read(0, memory(4096), 0, 4096)))
                    .isEqualTo(IoStatus.OK);
            assertThat(cut.size()).isEqualTo(MIB / 2);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void deviceThatFailsIsAnIoError(boolean onRing) throws IOException {
        Path file = files.sparse(MIB);
        Path loop = files.loopOver(file, "--direct-io=on");
        try (LinuxFile device = LinuxFile.open(loop, false);
                Channel channel = device.open(shard(onRing))) {
            try (FileChannel cut = FileChannel.open(file, StandardOpenOption.WRITE)) {
                cut.truncate(MIB / 2);
            }
            Request lost = request().read(MIB / 2, memory(4096), 0, 4096);
            assertThat(run(shard(onRing), channel, lost)).isEqualTo(IoStatus.IO_ERROR);
            assertThat(run(shard(onRing), channel, request().read(0, memory(4096), 0, 4096)))
                    .isEqualTo(IoStatus.OK);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fullFileSystemIsNoSpaceAndDoesNotSpoilFlushes(boolean onRing) throws IOException {
        try (Mount small = Mount.ext4(files, files.sparse(4 * MIB))) {
            Path file = sparseFile(small, 16 * MIB);
            Shard shard = shard(onRing);
            try (LinuxFile device = LinuxFile.open(file, false);
                    Channel channel = device.open(shard)) {
                Request tooMuch = request().write(0, memory(16 * MIB), 0, 16 * MIB, false);
                assertThat(run(shard, channel, tooMuch)).isEqualTo(IoStatus.NO_SPACE);
                assertThat(run(shard, channel, request().flush())).isEqualTo(IoStatus.OK);
            }
        }
    }

    @Test
    void fullTmpfsIsNoSpace() throws IOException {
        try (Mount small = Mount.tmpfs(files, MIB)) {
            Path file = sparseFile(small, 4 * MIB);
            try (LinuxFile device = LinuxFile.open(file, false);
                    Channel channel = device.open(reactor)) {
                Request tooMuch = request().write(0, memory(4 * MIB), 0, 4 * MIB, false);
                assertThat(run(reactor, channel, tooMuch)).isEqualTo(IoStatus.NO_SPACE);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void flushThatFailedIsNotFollowedByOneThatSucceeds(boolean onRing) throws IOException {
        // A file system in a file that has no room: writing to the page cache works, writing back does not.
        try (Mount small = Mount.tmpfs(files, 3 * MIB);
                Mount hollow = Mount.ext4(files, sparseFile(small, 64 * MIB))) {
            Path file = sparseFile(hollow, 16 * MIB + 100);
            Shard shard = shard(onRing);
            try (LinuxFile device = LinuxFile.open(file, false);
                    Channel channel = device.open(shard);
                    Channel other = device.open(shard)) {
                assertThat(device.kind(shard)).endsWith("page cache");
                Request write = request().write(0, memory(16 * MIB), 0, 16 * MIB, false);
                assertThat(run(shard, channel, write)).isEqualTo(IoStatus.OK);
                assertThat(run(shard, other, request().flush())).isNotEqualTo(IoStatus.OK);
                small.resize(64 * MIB); // From here on the kernel would say that all is well.
                for (int i = 0; i < 3; i++) {
                    assertThat(run(shard, channel, request().flush())).isEqualTo(IoStatus.IO_ERROR);
                    assertThat(run(shard, other, request().flush())).isEqualTo(IoStatus.IO_ERROR);
                }
                Request fua = request().write(0, memory(4096), 0, 4096, true);
                assertThat(run(shard, channel, fua)).isEqualTo(IoStatus.IO_ERROR);
                Request read = request().read(0, memory(4096), 0, 4096);
                assertThat(run(shard, channel, read)).isEqualTo(IoStatus.OK);
            }
            try (LinuxFile again = LinuxFile.open(file, false);
                    Channel channel = again.open(shard)) {
                assertThat(run(shard, channel, request().flush())).isEqualTo(IoStatus.OK);
            }
        }
    }

    @Test
    void deviceThatIsReadOnlyIsNotOpenedForWriting() throws IOException {
        Path loop = files.loopOver(files.sparse(4 * MIB), "--read-only");
        assertThatThrownBy(() -> LinuxFile.open(loop, false).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the device is read-only");
        try (LinuxFile device = LinuxFile.open(loop, true)) {
            assertThat(device.limits().readOnly()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void writeWithFuaThatFindsNoRoomSaysNothingAboutWhatWasWrittenBefore(boolean onRing) throws IOException {
        Shard shard = shard(onRing);
        try (Mount small = Mount.tmpfs(files, MIB)) {
            Path loop = files.loopOver(sparseFile(small, 4 * MIB));
            try (LinuxFile device = LinuxFile.open(loop, false);
                    Channel channel = device.open(shard)) {
                assertThat(device.isDirect()).isTrue();
                assertThat(run(shard, channel, request().flush())).isEqualTo(IoStatus.OK);
                Request fua = request().write(0, memory(2 * MIB), 0, 2 * MIB, true);
                assertThat(run(shard, channel, fua)).isEqualTo(IoStatus.NO_SPACE);
                assertThat(run(shard, channel, request().flush())).isEqualTo(IoStatus.OK);
            } finally {
                files.detach(loop);
            }
        }
    }

    @Test
    void requestThatBreaksTheLimitsIsAMistakeOfTheSubmitter() throws IOException {
        try (LinuxFile device = LinuxFile.open(files.sparse(MIB), false);
                Channel ring = device.open(reactor);
                Channel pread = device.open(shard(false))) {
            assumeTrue(device.isDirect(), "no O_DIRECT on the file system of the build folder");
            DeviceLimits limits = device.limits();
            MemorySegment memory = memory(2 * limits.blockBytes() + 8);
            for (Channel channel : List.of(ring, pread)) {
                for (Request wrong : List.of(
                        request().read(0, memory, 8, limits.blockBytes()),
                        request().read(100, memory, 0, limits.blockBytes()),
                        request().read(0, memory, 0, 100),
                        request().read(MIB, memory, 0, limits.blockBytes()),
                        request().read(0, MemorySegment.ofArray(new long[64]), 0, 512),
                        request().start(Op.READ, 0, 1024, false).add(memory, 0, 512))) {
                    assertThatThrownBy(() -> channel.submit(wrong)).isInstanceOf(AssertionError.class);
                }
            }
        }
    }

    @Test
    void steadyReadsAndWritesAllocateNothing() throws IOException {
        Path direct = files.sparse(MIB);
        Path cached = files.sparse(MIB + 100);
        try (TestFiles inMemory = TestFiles.onTmpfs()) {
            for (Path path : List.of(direct, cached, inMemory.sparse(MIB))) {
                try (LinuxFile device = LinuxFile.open(path, false);
                        Channel channel = device.open(reactor)) {
                    assertSoonAllocatesNothing(channel, device.kind(reactor));
                }
            }
        }
    }

    /** Reads and writes of one piece and of several, one in 200 with FUA, one in 200 a flush. */
    private void assertSoonAllocatesNothing(Channel channel, String kind) {
        MemorySegment memory = memory(8192);
        int[] completed = new int[1];
        Request[] requests = new Request[16];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new Request(_ -> completed[0]++).start(Op.READ, 0, 8192, false);
            requests[i].add(memory, 0, 4096).add(memory, 4096, 4096); // So that its tables have grown.
        }
        int count = 4000;
        Allocation.assertSoonNone(kind, count, () -> {
            completed[0] = 0;
            for (int submitted = 0; submitted < count; submitted += requests.length) {
                for (int i = 0; i < requests.length; i++) {
                    channel.submit(fill(requests[i], memory, submitted + i));
                }
                channel.commit();
                while (completed[0] < submitted + requests.length) {
                    turn(reactor, channel);
                }
            }
        });
    }

    private static Request fill(Request request, MemorySegment memory, int number) {
        long at = number % 100 * 8192L;
        return switch (number % 200) {
            case 0 -> request.flush();
            case 1 -> request.write(at, memory, 0, 4096, true);
            default ->
                switch (number % 4) {
                    case 0 -> request.read(at, memory, 0, 4096);
                    case 1 -> request.write(at, memory, 0, 4096, false);
                    case 2 ->
                        request.start(Op.READ, at, 8192, false)
                                .add(memory, 0, 4096)
                                .add(memory, 4096, 4096);
                    default ->
                        request.start(Op.WRITE, at, 8192, false)
                                .add(memory, 0, 4096)
                                .add(memory, 4096, 4096);
                };
        };
    }

    private Shard shard(boolean onRing) {
        return onRing ? reactor : Shard.ofCaller(0, Clock.system());
    }

    private static Path sparseFile(Mount in, long bytes) throws IOException {
        Path file = in.folder().resolve("data");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), bytes - 1);
        }
        return file;
    }

    private MemorySegment memory(long bytes) {
        return arena.allocate(bytes, 4096);
    }

    private static Request request() {
        return new Request(_ -> {});
    }

    private static IoStatus run(Shard shard, Channel channel, Request filled) {
        boolean[] completed = new boolean[1];
        Request request = new Request(_ -> completed[0] = true);
        request.start(filled.op(), filled.offset(), filled.length(), filled.fua());
        if (filled.op().carriesData()) {
            request.addPartOf(filled, 0, filled.length());
        }
        assertThat(channel.submit(request)).isTrue();
        channel.commit();
        while (!completed[0]) {
            turn(shard, channel);
        }
        return request.status();
    }

    private static void turn(Shard shard, Channel channel) {
        if (channel.poll(Integer.MAX_VALUE) == 0) {
            shard.park(Long.MAX_VALUE);
        }
    }
}
