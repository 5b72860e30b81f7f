package io.tenfold.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.tenfold.base.Prng;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.Request;
import io.tenfold.testkit.DeviceContract;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The contract holds for it, and it is as fast as the figures from which it is made, and no faster. */
class SimFlashTest extends DeviceContract {
    private static final SimFlashModel MODEL = SimFlashModel.nvme();

    private final SimWorld contractWorld = new SimWorld(1);

    @Override
    protected BlockDevice makeDevice() {
        SimFlashModel small = new SimFlashModel(4 << 20, 4, 50_000, 80_000, 500_000_000, 64, 1 << 20);
        return new SimFlash(contractWorld, "flash", small, new SimMedium(4 << 20));
    }

    @Override
    protected Shard makeShard() {
        return contractWorld.caller(0);
    }

    @Test
    void readAloneTakesTheMean() {
        assertThat(1e9 / readsPerSecond(MODEL, 1, 4096)).isCloseTo(80_000 + 4096 / 2.8, within(1_500.0));
    }

    @Test
    void fullQueueKeepsAllUnitsBusy() {
        assertThat(readsPerSecond(MODEL, 512, 4096)).isCloseTo(400_000, within(8_000.0));
        assertThat(readsPerSecond(MODEL.withUnits(16, 60_000, 80_000), 512, 4096))
                .as("canary")
                .isLessThan(210_000);
    }

    @Test
    void longReadsComeAtTheRateOfTheBus() {
        assertThat(readsPerSecond(MODEL, 32, 128 << 10) * (128 << 10) / 1e9).isCloseTo(2.8, within(0.03));
        assertThat(readsPerSecond(SimFlashModel.sata(), 4, 128 << 10) * (128 << 10) / 1e6)
                .isCloseTo(520, within(5.0));
    }

    @Test
    void mediumOfAnotherSizeAndTimesInTheWrongOrderAreRefused() {
        assertThatThrownBy(() -> new SimFlash(contractWorld, "flash", MODEL, new SimMedium(4096)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the medium is of another size: mediumBytes=4096, sizeBytes=1073741824");
        assertThatThrownBy(() -> MODEL.withUnits(4, 100, 99))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("times must be above 0 and the mean not below the shortest: unitNanosMin=100,"
                        + " unitNanosMean=99");
    }

    private static double readsPerSecond(SimFlashModel model, int depth, int length) {
        SimWorld world = new SimWorld(3);
        Prng prng = new Prng(3);
        Shard shard = world.caller(0);
        Channel channel = new SimFlash(world, "flash", model, new SimMedium(model.sizeBytes())).open(shard);
        MemorySegment memory = MemorySegment.ofArray(new byte[length]);
        int reads = 20_000;
        int[] done = {0};
        for (int i = 0; i < depth; i++) {
            Request request = new Request(ended -> {
                done[0]++;
                channel.submit(ended.read(prng.below(model.sizeBytes() / length) * length, memory, 0, length));
            });
            channel.submit(request.read(prng.below(model.sizeBytes() / length) * length, memory, 0, length));
        }
        while (done[0] < reads) {
            channel.commit();
            if (channel.poll(100) == 0) {
                shard.park(Long.MAX_VALUE);
            }
        }
        return done[0] * 1e9 / world.clock().nanos();
    }
}
