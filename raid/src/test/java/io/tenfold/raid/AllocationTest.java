package io.tenfold.raid;

import io.tenfold.base.Clock;
import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import io.tenfold.testkit.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The data path allocates nothing once its pools are warm. */
class AllocationTest {
    private static final int DEPTH = 32;
    private static final int WARM_UP = 30_000;
    private static final int BATCH = 3_200;

    private final TestArray array = new TestArray(Layout.near(2), 4, 64 << 10, 8 << 20);
    private final Shard shard = Shard.ofCaller(0, Clock.system());
    private int inFlight;

    @Test
    void readsAndWritesAllocateNothing() throws Exception {
        try (Images images = new Images()) {
            for (int role = 0; role < array.members(); role++) {
                MemorySegment memory = images.add("m" + role, array.deviceBytes());
                byte[] superblock = array.superblock(role, 1, true);
                MemorySegment.copy(
                        MemorySegment.ofArray(superblock), 0, memory, TestArray.SUPERBLOCK_AT, superblock.length);
            }
            RaidDevice device = new RaidDevice(images.examine().assemble(), false);
            Conductor conductor = new Conductor(device, shard);
            Channel channel = device.open(shard);
            Request[] requests = new Request[DEPTH];
            MemorySegment memory = Arena.ofAuto().allocate(256 << 10);
            for (int i = 0; i < DEPTH; i++) {
                requests[i] = new Request(request -> {
                    if (request.status() != IoStatus.OK) {
                        throw new AssertionError("failed: " + request);
                    }
                    inFlight--;
                });
            }
            Prng prng = new Prng(1);
            drive(channel, conductor, requests, memory, prng, WARM_UP);
            Allocation.assertSoonNone(
                    "reads and writes", BATCH, () -> drive(channel, null, requests, memory, prng, BATCH));
            channel.close();
            conductor.stop();
            while (!conductor.isStopped()) {
                conductor.work();
            }
            conductor.close();
        }
    }

    private void drive(
            Channel channel, Conductor conductor, Request[] requests, MemorySegment memory, Prng prng, int count) {
        long size = array.geometry().arrayBytes();
        for (int sent = 0; sent < count; sent += DEPTH) {
            for (Request request : requests) {
                long length = 512L * (1 + prng.below(400));
                long at = 512L * prng.below((size - length) / 512);
                if (prng.oneIn(2)) {
                    request.read(at, memory, 0, length);
                } else {
                    request.write(at, memory, 0, length, false);
                }
                inFlight++;
                if (!channel.submit(request)) {
                    throw new AssertionError("no room: " + request);
                }
            }
            channel.commit();
            while (inFlight > 0) {
                channel.poll(DEPTH);
                if (conductor != null) {
                    conductor.work();
                }
            }
        }
    }
}
