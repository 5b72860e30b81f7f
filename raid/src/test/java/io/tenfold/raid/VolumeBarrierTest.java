package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import io.tenfold.sim.SimWorld;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What changes an array stays out of a raised window, whatever the design of the barrier; what reads it does not. */
class VolumeBarrierTest {
    private static final long WHILE = 50_000_000;
    private static final long MIB = 1 << 20;

    private final SimArray array = new SimArray(new TestArray(Layout.near(2), 4, 64 << 10, 4 << 20));
    private final MemorySegment memory = Arena.ofAuto().allocate(64 << 10, 4096);
    private final List<Request> done = new ArrayList<>();
    private Channel channel;

    private void open(BarrierDesign design) throws Exception {
        array.maker = (plan, readOnly) -> new RaidDevice(plan, readOnly, ReadRule.BALANCED, design);
        array.open(1, false);
        channel = array.device.open(array.world.loop(3, shard -> {
            if (channel == null || channel.poll(100) == 0) {
                shard.park(Long.MAX_VALUE);
            }
        }));
    }

    @BeforeEach
    void forget() {
        done.clear();
    }

    private Request request() {
        return new Request(done::add);
    }

    private BarrierWindow raise(long from, long to) {
        BarrierWindow window = new BarrierWindow(array.world.caller(9));
        assertThat(array.device.barrier().windows().raise(window, from, to)).isTrue();
        return window;
    }

    private void submit(Request request) {
        assertThat(channel.submit(request)).isTrue();
        channel.commit();
    }

    @ParameterizedTest
    @EnumSource
    void writesAndDiscardsWaitForTheWindowAndReadsDoNot(BarrierDesign design) throws Exception {
        open(design);
        BarrierWindow window = raise(MIB, 2 * MIB);
        Request write = request().write(MIB, memory, 0, 4096, false);
        Request discard = request().discard(MIB + 8192, 4096, false);
        Request zeroes = request().writeZeroes(2 * MIB - 4096, 8192, false);
        submit(write);
        submit(discard);
        submit(zeroes);
        submit(request().read(MIB, memory, 0, 4096));
        submit(request().flush());
        array.world.runFor(WHILE);
        assertThat(done).as("read and flush").hasSize(2).doesNotContain(write, discard, zeroes);
        array.device.barrier().windows().lower(window);
        array.world.runFor(WHILE);
        assertThat(done).hasSize(5).allMatch(request -> request.status() == IoStatus.OK);
        close();
    }

    @ParameterizedTest
    @EnumSource
    void windowWaitsForTheWriteInIt(BarrierDesign design) throws Exception {
        open(design);
        submit(request().write(MIB, memory, 0, 4096, false));
        array.world.runFor(WHILE); // The gate is open now.
        Request slow = request().write(MIB, memory, 0, 65536, false);
        submit(slow);
        boolean[] raised = new boolean[1];
        BarrierWindow window = new BarrierWindow(array.world.caller(9));
        assertThat(array.device.barrier().windows().raise(window, MIB, 2 * MIB)).isFalse();
        assertThat(array.world.runUntil(
                        () -> raised[0] = array.device.barrier().windows().poll(window), WHILE))
                .isTrue();
        assertThat(done).contains(slow);
        array.device.barrier().windows().lower(window);
        close();
    }

    /** The point of windows: beside one there is no waiting. */
    @ParameterizedTest
    @EnumSource
    void writeBesideTheWindowWaitsInTheOldDesignsAlone(BarrierDesign design) throws Exception {
        open(design);
        BarrierWindow window = raise(MIB, 2 * MIB);
        submit(request().write(3 * MIB, memory, 0, 4096, false));
        array.world.runFor(WHILE);
        assertThat(done).hasSize(design == BarrierDesign.WINDOWED ? 1 : 0);
        array.device.barrier().windows().lower(window);
        array.world.runFor(WHILE);
        assertThat(done).hasSize(1);
        close();
    }

    private void close() {
        channel.close();
        channel = null;
        array.stop();
        SimWorld world = array.world;
        assertThat(world.runUntil(array.conductor::isStopped, WHILE)).isTrue();
        BarrierWindow all = raise(0, 8 * MIB); // Nobody was left inside.
        array.device.barrier().windows().lower(all);
    }
}
