package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import io.tenfold.raid.md.Superblock1;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;

/** A running array, and one blocking user. */
final class Rig {
    final SimArray array;
    final Shard shard;
    final Channel channel;

    Rig(TestArray shape, long seed) throws RefusedException {
        this(poweredOn(shape, seed));
    }

    Rig(SimArray array) {
        this.array = array;
        shard = array.world.caller(1);
        channel = array.device.open(shard);
    }

    private static SimArray poweredOn(TestArray shape, long seed) throws RefusedException {
        SimArray array = new SimArray(shape);
        array.powerOn(seed);
        return array;
    }

    MemorySegment memory(long bytes) {
        return Arena.ofAuto().allocate(bytes, 4096);
    }

    IoStatus write(long at, byte[] data, boolean fua) {
        MemorySegment memory = memory(data.length);
        memory.copyFrom(MemorySegment.ofArray(data));
        return run(new Request(_ -> {}).write(at, memory, 0, data.length, fua));
    }

    byte[] read(long at, int length) {
        MemorySegment memory = memory(length);
        assertThat(run(new Request(_ -> {}).read(at, memory, 0, length))).isEqualTo(IoStatus.OK);
        return memory.toArray(ValueLayout.JAVA_BYTE);
    }

    IoStatus readStatus(long at, int length) {
        return run(new Request(_ -> {}).read(at, memory(length), 0, length));
    }

    IoStatus run(Request filled) {
        boolean[] ended = new boolean[1];
        Request request = new Request(_ -> ended[0] = true);
        request.start(filled.op(), filled.offset(), filled.length(), filled.fua());
        if (filled.op().carriesData()) {
            request.addPartOf(filled, 0, filled.length());
        }
        assertThat(channel.submit(request)).isTrue();
        channel.commit();
        drain(() -> ended[0]);
        return request.status();
    }

    void drain(BooleanSupplier until) {
        while (!until.getAsBoolean()) {
            if (channel.poll(100) == 0 && !until.getAsBoolean()) {
                shard.park(Long.MAX_VALUE);
            }
        }
    }

    Superblock superblock(int disk) {
        byte[] area = array.disks.get(disk).peek(TestArray.SUPERBLOCK_AT, 4096);
        return new Superblock(Superblock1.read(
                area, 2, TestArray.SUPERBLOCK_AT, array.disks.get(disk).sizeBytes()));
    }
}
