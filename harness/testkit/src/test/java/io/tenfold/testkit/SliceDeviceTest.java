package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.BlockingIo;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.MemoryDevice;
import io.tenfold.block.Request;
import io.tenfold.block.SliceDevice;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class SliceDeviceTest extends DeviceContract {
    private static final long START = 1536;

    @Override
    protected BlockDevice makeDevice() {
        return new SliceDevice(new MemoryDevice(4 << 20), "memory, partition 1", START, 2 << 20);
    }

    @Test
    void onlyTheWindowIsTouched() throws IOException {
        Shard shard = Shard.ofCaller(0, Clock.system());
        try (MemoryDevice whole = new MemoryDevice(1 << 20);
                Arena arena = Arena.ofConfined()) {
            whole.memory().fill((byte) 0x11);
            SliceDevice window = new SliceDevice(whole, "window", 4096, 8192);
            MemorySegment data = arena.allocate(8192);
            data.fill((byte) 0x22);
            try (BlockingIo io = new BlockingIo(window, shard)) {
                io.write(0, data, true);
                io.flush();
            }
            for (long at = 0; at < whole.sizeBytes(); at++) {
                int expected = at >= 4096 && at < 12288 ? 0x22 : 0x11;
                if (whole.memory().get(ValueLayout.JAVA_BYTE, at) != expected) {
                    throw new AssertionError("at=" + at + ", expected=" + expected);
                }
            }
        }
    }

    @Test
    void windowThatIsNotWithinTheDeviceIsRefused() {
        try (MemoryDevice whole = new MemoryDevice(1 << 20)) {
            long[][] bad = {
                {-512, 512},
                {0, -512},
                {0, (1 << 20) + 512},
                {1 << 20, 512},
                {Long.MAX_VALUE - 511, 1024},
                {1, 512},
                {512, 1}
            };
            for (long[] window : bad) {
                assertThatThrownBy(() -> new SliceDevice(whole, "window", window[0], window[1]))
                        .as("start=%d, size=%d", window[0], window[1])
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("startBytes=" + window[0]);
            }
            assertThat(new SliceDevice(whole, "window", 1 << 20, 0).sizeBytes()).isZero();
        }
    }

    @Test
    void requestThatFoundNoRoomIsStillItsOwners() {
        try (BlockDevice device = new SliceDevice(new FullDevice(), "window", 512, 512);
                Channel channel = device.open(Shard.ofCaller(0, Clock.system()))) {
            Request request = new Request(_ -> {});
            assertThat(channel.submit(request.flush())).isFalse();
            request.flush(); // Asserts that it is not in flight.
            assertThat(channel.submit(request)).isFalse();
        }
    }

    /** Never has room. */
    private static final class FullDevice implements BlockDevice {
        @Override
        public String name() {
            return "full";
        }

        @Override
        public long sizeBytes() {
            return 4096;
        }

        @Override
        public DeviceLimits limits() {
            return DeviceLimits.ofMemory();
        }

        @Override
        public Channel open(Shard shard) {
            return new Channel() {
                @Override
                public boolean submit(Request request) {
                    return false;
                }

                @Override
                public void commit() {}

                @Override
                public int poll(int max) {
                    return 0;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void close() {}
    }
}
