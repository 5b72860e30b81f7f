package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.testkit.Allocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing is allocated by entering, leaving, being turned away and waiting. */
class BarrierAllocationTest {
    private static final int ROUNDS = 5_000;

    @ParameterizedTest
    @EnumSource(BarrierDesign.class)
    void nothingIsAllocated(BarrierDesign design) {
        IoBarrier open = design.create(2);
        IoBarrier closed = design.create(2);
        closed.waiters().attach(1, new RecordedWaiter());
        closed.windows().raise(new BarrierWindow(new RecordedWaiter()), 0, 1 << 20);
        Allocation.assertSoonNone(design.name(), ROUNDS, () -> {
            for (int i = 0; i < ROUNDS; i++) {
                open.leave(1, open.tryEnter(1, i * 4096L, 4096));
                closed.tryEnter(1, 0, 4096);
                closed.waiters().start(1);
                closed.leave(1, closed.pass(1, 0, 4096));
                closed.waiters().stop(1);
            }
        });
    }

    /** The canary: what a raise allocates, which is no request, is seen. */
    @ParameterizedTest
    @EnumSource(BarrierDesign.class)
    void whatARaiseAllocatesIsSeen(BarrierDesign design) {
        IoBarrier barrier = design.create(2);
        BarrierWindow window = new BarrierWindow(new RecordedWaiter());
        assertThatThrownBy(() -> Allocation.assertSoonNone(design.name(), ROUNDS, () -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        barrier.windows().raise(window, 0, 4096);
                        barrier.windows().lower(window);
                    }
                }))
                .isInstanceOf(AssertionError.class);
    }
}
