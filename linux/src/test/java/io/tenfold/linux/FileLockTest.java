package io.tenfold.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockingIo;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLockTest {
    @TempDir
    Path temp;

    private Path file;

    @BeforeEach
    void makeFile() throws IOException {
        file = Files.write(temp.resolve("file"), new byte[8192]);
    }

    @Test
    void exclusiveLockKeepsEverybodyOutUntilItIsClosed() throws IOException {
        FileLock first = FileLock.tryAcquire(file, true);
        assertThat(first).isNotNull();
        assertThat(FileLock.tryAcquire(file, true)).isNull();
        assertThat(FileLock.tryAcquire(file, false)).isNull();
        first.close();
        first.close();
        try (FileLock second = FileLock.tryAcquire(file, true)) {
            assertThat(second).isNotNull();
        }
    }

    @Test
    void sharedLocksGoTogetherAndKeepExclusiveOnesOut() throws IOException {
        try (FileLock one = FileLock.tryAcquire(file, false);
                FileLock other = FileLock.tryAcquire(file, false)) {
            assertThat(one).isNotNull();
            assertThat(other).isNotNull();
            assertThat(FileLock.tryAcquire(file, true)).isNull();
        }
    }

    /** The locks of FileChannel fail here: they end with any descriptor of the file that the process closes. */
    @Test
    void lockOutlivesEveryOtherDescriptorOfTheFile() throws IOException {
        try (FileLock lock = FileLock.tryAcquire(file, true)) {
            assertThat(lock).isNotNull();
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)
                    .close();
            try (LinuxFile device = LinuxFile.open(file, false);
                    BlockingIo io = new BlockingIo(device, Shard.ofCaller(0, Clock.system()))) {
                io.read(0, MemorySegment.ofArray(new byte[0]));
            }
            assertThat(FileLock.tryAcquire(file, false)).isNull();
        }
    }

    @Test
    void holderIsFoundAmongTheKernelsLocks() throws IOException {
        assertThat(FileLock.holders(file)).isEmpty();
        try (FileLock lock = FileLock.tryAcquire(file, false)) {
            assertThat(lock).isNotNull();
            assertThat(FileLock.holders(file))
                    .containsExactly(ProcessHandle.current().pid());
        }
    }

    @Test
    void onlyWholeFileLocksOfThatFileCount() {
        List<String> locks = List.of(
                "1: POSIX  ADVISORY  WRITE 11 08:01:77 0 EOF",
                "2: FLOCK  ADVISORY  WRITE 12 08:01:77 0 EOF",
                "3: FLOCK  ADVISORY  READ  13 08:02:77 0 EOF",
                "4: FLOCK  ADVISORY  READ  14 103:14e:77 0 EOF",
                "5: FLOCK  ADVISORY  READ  0 08:01:77 0 EOF",
                "5: -> FLOCK ADVISORY WRITE 15 08:01:77 0 EOF",
                "");
        assertThat(FileLock.holders(locks, 0x801, 77)).containsExactly(12L);
        assertThat(FileLock.holders(locks, device(0x103, 0x14e), 77)).containsExactly(14L);
    }

    /** How the C library puts a device number together, gnu/sys/sysmacros.h. */
    private static long device(long major, long minor) {
        return ((major & 0xfff) << 8) | ((major & ~0xfffL) << 32) | (minor & 0xff) | ((minor & ~0xffL) << 12);
    }

    @Test
    void fileThatIsNotThereIsAnError() {
        assertThatThrownBy(() -> FileLock.tryAcquire(temp.resolve("gone"), true))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot open: path=");
    }
}
