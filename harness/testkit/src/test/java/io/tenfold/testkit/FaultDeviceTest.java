package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.FaultDevice;
import io.tenfold.block.FaultDevice.Fault;
import io.tenfold.block.IoStatus;
import io.tenfold.block.MemoryDevice;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Without faults it is the device beneath; with them, exactly the struck requests fail. */
class FaultDeviceTest extends DeviceContract {
    private static final int BLOCK = 512;

    private final FaultDevice device = new FaultDevice(new MemoryDevice(64 * BLOCK));
    private final Channel channel = device.open(Shard.ofCaller(0, Clock.system()));
    private final MemorySegment memory = Arena.ofAuto().allocate(8 * BLOCK);

    @Override
    protected BlockDevice makeDevice() {
        return new FaultDevice(new MemoryDevice(1 << 20));
    }

    @Test
    void faultStrikesRequestsThatTouchItsRangeAndNoOthers() {
        device.inject(Fault.in(Op.READ, 4 * BLOCK, 6 * BLOCK, IoStatus.MEDIUM_ERROR));
        assertThat(read(2, 2)).isEqualTo(IoStatus.OK);
        assertThat(read(2, 3)).isEqualTo(IoStatus.MEDIUM_ERROR);
        assertThat(read(5, 2)).isEqualTo(IoStatus.MEDIUM_ERROR);
        assertThat(read(6, 2)).isEqualTo(IoStatus.OK);
        assertThat(write(4)).isEqualTo(IoStatus.OK);
        assertThat(device.injected()).isEqualTo(2);
    }

    @Test
    void struckWriteDoesNotReachTheDevice() {
        memory.fill((byte) 7);
        assertThat(write(0)).isEqualTo(IoStatus.OK);
        device.inject(Fault.all(IoStatus.IO_ERROR));
        memory.fill((byte) 8);
        assertThat(write(0)).isEqualTo(IoStatus.IO_ERROR);
        device.inject(Fault.NONE);
        assertThat(read(0, 1)).isEqualTo(IoStatus.OK);
        assertThat(memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
    }

    @Test
    void faultMayBeginLaterAndEnd() {
        device.inject(Fault.in(Op.WRITE, 0, Long.MAX_VALUE, IoStatus.IO_ERROR)
                .times(2)
                .after(1));
        // times(2) counts what it would strike, and the first of those is spared: one failure is left.
        assertThat(write(0)).isEqualTo(IoStatus.OK);
        assertThat(write(0)).isEqualTo(IoStatus.IO_ERROR);
        assertThat(write(0)).isEqualTo(IoStatus.OK);
        device.inject(Fault.in(Op.FLUSH, 0, 0, IoStatus.IO_ERROR)
                .or(Fault.in(Op.READ, 0, BLOCK, IoStatus.OFFLINE))
                .times(2));
        assertThat(run(new Request(_ -> {}).flush())).isEqualTo(IoStatus.IO_ERROR);
        assertThat(read(0, 1)).isEqualTo(IoStatus.OFFLINE);
        assertThat(read(0, 1)).isEqualTo(IoStatus.OK);
        assertThat(device.injected()).isEqualTo(3);
    }

    private IoStatus read(long block, int blocks) {
        return run(new Request(_ -> {}).read(block * BLOCK, memory, 0, (long) blocks * BLOCK));
    }

    private IoStatus write(long block) {
        return run(new Request(_ -> {}).write(block * BLOCK, memory, 0, BLOCK, false));
    }

    private IoStatus run(Request request) {
        assertThat(channel.submit(request)).isTrue();
        channel.commit();
        assertThat(channel.poll(1)).isEqualTo(1);
        return request.status();
    }
}
