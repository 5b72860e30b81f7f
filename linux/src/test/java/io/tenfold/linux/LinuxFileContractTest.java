package io.tenfold.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.testkit.DeviceContract;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

/** The contract of devices on every way that a file's data can go. */
class LinuxFileContractTest {
    private static final long MIB = 1 << 20;

    abstract static class OfFile extends DeviceContract {
        private final TestFiles files;
        private final String kind;
        private Shard shard;

        OfFile(TestFiles files, String kind) {
            this.files = files;
            this.kind = kind;
        }

        abstract Path makeFile(TestFiles in) throws IOException;

        @Override
        protected BlockDevice makeDevice() throws Exception {
            Path path = makeFile(files);
            assumeTrue(
                    !kind.endsWith("O_DIRECT") || !path.startsWith(files.folder()) || !files.areInMemory(),
                    "the build folder is in memory, so that there is no O_DIRECT");
            LinuxFile file = LinuxFile.open(path, false);
            assertThat(file.kind(shard)).isEqualTo(kind);
            return file;
        }

        @Override
        protected Shard makeShard() throws Exception {
            shard = kind.startsWith("io_uring") ? makeReactor() : super.makeShard();
            return shard;
        }

        RingReactor makeReactor() throws IOException {
            return TestRings.make(0, Clock.system());
        }

        @AfterEach
        void removeFiles() throws IOException {
            files.close();
        }
    }

    @Nested
    class RingDirect extends OfFile {
        RingDirect() {
            super(TestFiles.onDisk(), "io_uring, O_DIRECT");
        }

        @Override
        Path makeFile(TestFiles in) throws IOException {
            return in.sparse(48 * MIB);
        }
    }

    @Nested
    class TinyRingOfAnOldKernel extends OfFile {
        TinyRingOfAnOldKernel() {
            super(TestFiles.onDisk(), "io_uring, O_DIRECT");
        }

        @Override
        Path makeFile(TestFiles in) throws IOException {
            return in.sparse(4 * MIB);
        }

        @Override
        RingReactor makeReactor() throws IOException {
            return TestRings.make(0, Clock.system(), 2, 4, 2);
        }
    }

    @Nested
    class RingPageCache extends OfFile {
        RingPageCache() {
            super(TestFiles.onDisk(), "io_uring, page cache");
        }

        @Override
        Path makeFile(TestFiles in) throws IOException {
            return in.sparse(4 * MIB + 100); // Ends within a block, which O_DIRECT could not reach.
        }
    }

    @Nested
    class RingWithTmpfs extends OfFile {
        private final RingReactor reactor;

        RingWithTmpfs() throws IOException {
            super(TestFiles.onTmpfs(), "pread, page cache");
            reactor = TestRings.make(0, Clock.system());
        }

        @Override
        Path makeFile(TestFiles in) throws IOException {
            return in.sparse(4 * MIB);
        }

        @Override
        protected Shard makeShard() throws Exception {
            super.makeShard();
            return reactor;
        }
    }

    @Nested
    class PreadDirect extends OfFile {
        PreadDirect() {
            super(TestFiles.onDisk(), "pread, O_DIRECT");
        }

        @Override
        Path makeFile(TestFiles in) throws IOException {
            return in.sparse(48 * MIB);
        }
    }

    @Nested
    class PreadPageCache extends OfFile {
        PreadPageCache() {
            super(TestFiles.onDisk(), "pread, page cache");
        }

        @Override
        Path makeFile(TestFiles in) throws IOException {
            return in.sparse(4 * MIB + 100);
        }
    }

    @Nested
    class RingLoopDevice extends OfFile {
        RingLoopDevice() {
            super(TestFiles.onTmpfs(), "io_uring, O_DIRECT");
        }

        @Override
        Path makeFile(TestFiles in) throws IOException {
            return in.loop(4 * MIB);
        }
    }

    @Nested
    class RingLoopDeviceOf4kSectors extends OfFile {
        RingLoopDeviceOf4kSectors() {
            super(TestFiles.onDisk(), "io_uring, O_DIRECT");
        }

        @Override
        Path makeFile(TestFiles in) throws IOException {
            return in.loop(4 * MIB, "--sector-size", "4096", "--direct-io=on");
        }
    }

    @Nested
    class PreadLoopDevice extends OfFile {
        PreadLoopDevice() {
            super(TestFiles.onDisk(), "pread, O_DIRECT");
        }

        @Override
        Path makeFile(TestFiles in) throws IOException {
            return in.loop(4 * MIB);
        }
    }
}
