package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Waiter;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All designs keep the contract, which rejects every fault; and what is misuse throws. */
class IoBarrierTest {
    @TestFactory
    List<DynamicTest> everyDesignKeepsTheContract() {
        List<DynamicTest> tests = new ArrayList<>();
        for (BarrierDesign design : BarrierDesign.values()) {
            IoBarrierContract.checks()
                    .forEach((name, check) -> tests.add(DynamicTest.dynamicTest(
                            design + ": " + name, () -> check.accept(new BarrierSubject(design.create(2))))));
        }
        return tests;
    }

    @ParameterizedTest
    @EnumSource(value = BarrierSubject.Fault.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void contractRejectsEveryFault(BarrierSubject.Fault fault) {
        for (BarrierDesign design : BarrierDesign.values()) {
            List<String> rejectedBy = new ArrayList<>();
            IoBarrierContract.checks().forEach((name, check) -> {
                try {
                    check.accept(BarrierSubject.of(design.create(2), fault));
                } catch (AssertionError | IllegalStateException _) {
                    rejectedBy.add(name);
                }
            });
            assertThat(rejectedBy).as("%s, fault=%s", design, fault).isNotEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(BarrierDesign.class)
    void misuseThrowsAndChangesNothing(BarrierDesign design) {
        IoBarrier barrier = design.create(2);
        BarrierWindow window = new BarrierWindow(new RecordedWaiter());
        int ticket = barrier.tryEnter(0, 0, 4096);
        barrier.leave(0, ticket);
        WindowRaiser windows = barrier.windows();
        for (ThrowingCallable misuse : List.<ThrowingCallable>of(
                () -> barrier.leave(0, ticket),
                () -> barrier.waiters().start(1),
                () -> barrier.waiters().stop(1),
                () -> windows.poll(window),
                () -> windows.lower(window),
                () -> windows.hold(window, 1))) {
            assertThatThrownBy(misuse).isInstanceOf(IllegalStateException.class);
        }
        assertThatThrownBy(() -> windows.raise(window, 8, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("to=8");
        assertThatThrownBy(() -> windows.freeze(window, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("held=-1");
        assertThatThrownBy(() -> design.create(0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(windows.raise(window, 0, 8)).as("nothing was changed").isTrue();
        assertThatThrownBy(() -> windows.raise(window, 0, 8)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> windows.freeze(window, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> design.create(1).windows().lower(window)).isInstanceOf(IllegalStateException.class);
        windows.lower(window);
    }

    @ParameterizedTest
    @EnumSource(BarrierDesign.class)
    void blockingEntryParksUntilTheWindowIsLowered(BarrierDesign design) {
        IoBarrier barrier = design.create(1);
        BarrierWindow window = new BarrierWindow(new RecordedWaiter());
        barrier.windows().raise(window, 0, 8192);
        List<String> log = new ArrayList<>();
        barrier.waiters().attach(0, parking(() -> {
            log.add("parked");
            barrier.windows().lower(window);
        }));
        int ticket = barrier.enter(0, 0, 4096);
        assertThat(ticket).isNotNegative();
        assertThat(log).containsExactly("parked");
        BarrierWindow second = new BarrierWindow(parking(() -> {
            log.add("left");
            barrier.leave(0, ticket);
        }));
        assertThat(barrier.windows().raise(second, 0, 8192)).isFalse();
        barrier.windows().await(second);
        assertThat(log).containsExactly("parked", "left");
    }

    private static Waiter parking(Runnable whileParked) {
        return new Waiter() {
            @Override
            public void park(long nanosMax) {
                whileParked.run();
            }

            @Override
            public void wake() {
                // It is awake whenever this comes.
            }
        };
    }
}
