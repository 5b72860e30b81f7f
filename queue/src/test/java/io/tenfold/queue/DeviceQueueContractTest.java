package io.tenfold.queue;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.MemoryDevice;
import io.tenfold.sim.SimDisk;
import io.tenfold.sim.SimDiskModel;
import io.tenfold.sim.SimMedium;
import io.tenfold.sim.SimWorld;
import io.tenfold.testkit.DeviceContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A queue is a block device like any other: by every schedule, all rules, and for every kind of cache. */
@ParameterizedClass
@MethodSource("cases")
class DeviceQueueContractTest extends DeviceContract {
    private static final int BLOCK = 512;

    /** With a disk in virtual time, or else memory that is done at once. */
    record Case(boolean disk, QueueOptions options) {
        @Override
        public String toString() {
            return (disk ? "disk " : "memory ") + options.schedule() + " " + options.writeCache() + " "
                    + options.wakePolicy() + " wholeRequests=" + options.wholeRequests();
        }
    }

    @Parameter
    private Case with;

    private final SimWorld world = new SimWorld(3);

    static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (Schedule schedule : Schedule.values()) {
            for (WakePolicy policy : TagSetTest.policies()) {
                for (WriteCache cache : WriteCache.values()) {
                    QueueOptions options = QueueOptions.DEFAULT
                            .withSchedule(schedule)
                            .withWakePolicy(policy)
                            .withWriteCache(cache)
                            .withWholeRequests(cases.size() % 6 != 0)
                            .withDepth(6)
                            .withDeviceDepth(4);
                    cases.add(new Case(false, options));
                    cases.add(new Case(true, options));
                }
            }
        }
        return cases;
    }

    /** Takes 8 blocks at a time, so that many requests are cut. */
    @Override
    protected BlockDevice makeDevice() {
        BlockDevice device = with.disk
                ? new SimDisk(world, "sim", new SimMedium(2 << 20), SimDiskModel.flash())
                : new MemoryDevice(2 << 20);
        return new DeviceQueue(NarrowDevice.of(device, 8 * BLOCK, 4, 16 * BLOCK, 0), with.options, 1);
    }

    @Override
    protected Shard makeShard() {
        return with.disk ? world.caller(0) : Shard.ofCaller(0, Clock.system());
    }
}
