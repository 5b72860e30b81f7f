package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the default design does beyond the contract: only what is inside a window waits, or is waited for. */
class WindowedBarrierTest {
    private static final long REGION = 64L << 20;

    private final WindowedBarrier barrier = new WindowedBarrier(2);
    private final RecordedWaiter raiser = new RecordedWaiter();
    private final BarrierWindow window = new BarrierWindow(raiser);
    private final BarrierWindow second = new BarrierWindow(new RecordedWaiter());

    private boolean enters(long offset, long length) {
        int ticket = barrier.tryEnter(0, offset, length);
        if (ticket == IoBarrier.TURNED_AWAY) {
            return false;
        }
        barrier.leave(0, ticket);
        return true;
    }

    @Test
    void onlyIoInsideTheWindowIsTurnedAway() {
        assertThat(barrier.windows().raise(window, 8192, 16384)).isTrue();
        assertThat(enters(0, 8192)).as("ends where it begins").isTrue();
        assertThat(enters(16384, 4096)).as("begins where it ends").isTrue();
        assertThat(enters(0, 8193)).as("one byte of it").isFalse();
        assertThat(enters(16383, 1)).as("its last byte").isFalse();
        assertThat(enters(0, 1L << 40)).as("all around it").isFalse();
        assertThat(enters(12288, 4096)).as("within it").isFalse();
    }

    @Test
    void severalWindowsKeepOutEachForItself() {
        barrier.windows().raise(window, 0, 4096);
        assertThat(barrier.windows().raise(second, 3 * REGION, 3 * REGION + 4096))
                .isTrue();
        assertThat(enters(0, 4096)).isFalse();
        assertThat(enters(3 * REGION, 4096)).isFalse();
        assertThat(enters(4096, 4096)).isTrue();
        barrier.windows().lower(window);
        assertThat(enters(0, 4096)).isTrue();
        assertThat(enters(3 * REGION, 4096)).isFalse();
    }

    @Test
    void raiseDoesNotWaitForIoInOtherRegions() {
        barrier.tryEnter(0, REGION, 4096);
        barrier.tryEnter(1, 15 * REGION, 4096);
        assertThat(barrier.windows().raise(window, 0, 4096)).isTrue();
        assertThat(barrier.windows().raise(second, REGION, REGION + 1))
                .as("of its region")
                .isFalse();
    }

    @Test
    void raiseWaitsForIoOverSeveralRegionsAndOverSeveralRegionsOfItsOwn() {
        int wide = barrier.tryEnter(0, REGION - 4096, 8192);
        assertThat(barrier.windows().raise(window, 0, REGION)).isFalse();
        barrier.leave(0, wide);
        assertThat(barrier.windows().poll(window)).isTrue();
        barrier.windows().lower(window);
        int inside = barrier.tryEnter(1, 14 * REGION, 4096);
        assertThat(barrier.windows().raise(window, 0, 1000 * REGION)).isFalse();
        barrier.leave(1, inside);
        assertThat(barrier.windows().poll(window)).isTrue();
    }

    @Test
    void ioBesideTheWindowThatNeverPausesDoesNotHoldTheRaiseUp() {
        int before = barrier.tryEnter(0, 1 << 20, 4096);
        assertThat(barrier.windows().raise(window, 0, 4096))
                .as("of its region, and inside")
                .isFalse();
        int overlapping = barrier.tryEnter(0, 1 << 20, 4096);
        assertThat(overlapping).as("beside the window").isNotNegative();
        barrier.leave(0, before);
        assertThat(raiser.woken()).isTrue();
        assertThat(barrier.windows().poll(window))
                .as("who came later is not waited for")
                .isTrue();
        barrier.windows().lower(window);
        assertThat(barrier.windows().raise(window, 0, 4096))
                .as("now it came before")
                .isFalse();
        barrier.leave(0, overlapping);
        assertThat(barrier.windows().poll(window)).isTrue();
    }

    @Test
    void leavingWakesOnlyWhenItIsTheLastOfItsCount() {
        int one = barrier.tryEnter(0, 0, 4096);
        int two = barrier.tryEnter(0, 0, 4096);
        barrier.windows().raise(window, 0, 4096);
        raiser.woken();
        barrier.leave(0, one);
        assertThat(raiser.woken()).as("one more is inside").isFalse();
        barrier.leave(0, two);
        assertThat(raiser.woken()).isTrue();
    }

    @Test
    void raiseTakenBackHalfWayDoesNotConfuseTheNext() {
        int slow = barrier.tryEnter(0, 0, 4096);
        barrier.windows().raise(window, 0, 4096);
        barrier.windows().lower(window);
        int later = barrier.tryEnter(1, 0, 4096);
        assertThat(barrier.windows().raise(window, 0, 4096)).isFalse();
        barrier.leave(1, later);
        assertThat(barrier.windows().poll(window))
                .as("the slow one is still inside")
                .isFalse();
        barrier.leave(0, slow);
        assertThat(barrier.windows().poll(window)).isTrue();
    }
}
