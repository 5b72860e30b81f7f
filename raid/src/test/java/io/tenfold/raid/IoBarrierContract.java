package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** What every design of {@link IoBarrier} does, on two stripes. All I/O here is inside all windows. */
final class IoBarrierContract {
    private static final long MIB = 1L << 20;

    private final BarrierSubject barrier;
    private final RecordedWaiter raiser = new RecordedWaiter();
    private final RecordedWaiter other = new RecordedWaiter();
    private final RecordedWaiter loop = new RecordedWaiter();
    private final BarrierWindow window;
    private final BarrierWindow second;

    private IoBarrierContract(BarrierSubject barrier) {
        this.barrier = barrier;
        window = barrier.window(raiser);
        second = barrier.window(other);
        barrier.attach(0, loop);
    }

    /** The checks by name; each takes a fresh subject. */
    static Map<String, Consumer<BarrierSubject>> checks() {
        Map<String, Consumer<IoBarrierContract>> checks = new LinkedHashMap<>();
        checks.put("raised window keeps I/O out until it is lowered", IoBarrierContract::raisedWindowKeepsOut);
        checks.put("raise waits until all inside have left", IoBarrierContract::raiseWaits);
        checks.put("failed entry leaves no trace", IoBarrierContract::failedEntryLeavesNoTrace);
        checks.put("lowered window wakes who waits, and nobody else", IoBarrierContract::loweredWindowWakes);
        checks.put("leaving wakes nobody who does not wait for it", IoBarrierContract::noNeedlessWake);
        checks.put("own work passes a raised window and is counted", IoBarrierContract::ownWorkPasses);
        checks.put("freeze waits for all but what it holds", IoBarrierContract::freezeWaits);
        checks.put("freeze and raise may wait side by side", IoBarrierContract::freezeBesideRaise);
        checks.put("waiting I/O has its turn, then the raise has", IoBarrierContract::turns);
        checks.put("raises come first come first served", IoBarrierContract::firstComeFirstServed);
        checks.put("force needs a raised window and goes before I/O that waits", IoBarrierContract::force);
        checks.put("nested raises have a cap", IoBarrierContract::cap);
        checks.put("raise taken back leaves nothing raised", IoBarrierContract::takenBack);
        Map<String, Consumer<BarrierSubject>> named = new LinkedHashMap<>();
        checks.forEach((name, check) -> named.put(name, subject -> check.accept(new IoBarrierContract(subject))));
        return named;
    }

    private int enter(int stripe) {
        return barrier.tryEnter(stripe, 0, 4096);
    }

    private boolean raise(BarrierWindow which) {
        return barrier.raise(which, 0, MIB);
    }

    private void assertOpen() {
        int ticket = enter(1);
        assertThat(ticket).as("nothing is raised").isNotNegative();
        barrier.leave(1, ticket);
    }

    private void assertClosed() {
        assertThat(enter(1)).as("closed").isEqualTo(IoBarrier.TURNED_AWAY);
    }

    private void raisedWindowKeepsOut() {
        assertThat(raise(window)).as("nobody is inside").isTrue();
        assertClosed();
        assertThat(barrier.poll(window)).as("still raised").isTrue();
        barrier.lower(window);
        assertOpen();
    }

    private void raiseWaits() {
        int one = enter(0);
        int two = enter(1);
        assertThat(raise(window)).as("two are inside").isFalse();
        assertClosed();
        barrier.leave(0, one);
        assertThat(barrier.poll(window)).as("one is inside").isFalse();
        barrier.leave(1, two);
        assertThat(raiser.woken()).as("woken by the last").isTrue();
        assertThat(barrier.poll(window)).as("nobody is inside").isTrue();
        barrier.lower(window);
        assertOpen();
    }

    private void failedEntryLeavesNoTrace() {
        raise(window);
        assertClosed();
        barrier.lower(window);
        assertThat(raise(second)).as("nobody waits, nobody is inside: at once").isTrue();
        barrier.lower(second);
        assertOpen();
    }

    private void loweredWindowWakes() {
        RecordedWaiter idle = new RecordedWaiter();
        barrier.attach(1, idle);
        raise(window);
        assertThat(enter(0)).isEqualTo(IoBarrier.TURNED_AWAY);
        barrier.start(0);
        assertThat(enter(0)).isEqualTo(IoBarrier.TURNED_AWAY);
        assertThat(loop.woken()).as("woken too early").isFalse();
        barrier.lower(window);
        assertThat(loop.woken()).as("who waits is woken").isTrue();
        assertThat(idle.woken()).as("who does not wait is woken").isFalse();
        barrier.leave(0, enter(0));
        barrier.stop(0);
        raise(window);
        barrier.lower(window);
        assertThat(loop.woken()).as("woken after it stopped waiting").isFalse();
    }

    private void noNeedlessWake() {
        barrier.leave(0, enter(0));
        assertThat(raiser.woken()).as("nobody raises").isFalse();
        int one = enter(0);
        int two = enter(0);
        raise(window);
        raiser.woken();
        barrier.leave(0, one);
        // The lock of before 2016 wakes at each leave; so the first may, if a raiser waits.
        barrier.leave(0, two);
        barrier.poll(window);
        raiser.woken();
        barrier.leave(0, barrier.pass(0, 0, 4096));
        assertThat(raiser.woken()).as("it is raised").isFalse();
        assertThat(loop.woken()).as("nobody waits to enter").isFalse();
    }

    private void ownWorkPasses() {
        raise(window);
        int own = barrier.pass(0, 0, 4096);
        assertThat(own).as("own work gets in").isNotNegative();
        assertThat(barrier.forceRaise(second, 0, MIB)).as("own work is inside").isFalse();
        barrier.leave(0, own);
        assertThat(other.woken()).isTrue();
        assertThat(barrier.poll(second)).isTrue();
    }

    private void freezeWaits() {
        int held = enter(0);
        int running = enter(1);
        int waits = enter(0);
        assertThat(barrier.freeze(window, 1)).as("two that it does not hold").isFalse();
        assertClosed();
        barrier.leave(1, running);
        assertThat(raiser.woken())
                .as("woken, though one is left that is not held")
                .isTrue();
        assertThat(barrier.poll(window)).as("one that it does not hold").isFalse();
        assertThat(barrier.hold(window, 2)).as("that one waits for it too").isTrue();
        barrier.leave(0, held);
        barrier.leave(0, waits);
        barrier.lower(window);
        assertOpen();
        int three = enter(0);
        assertThat(barrier.freeze(window, 1)).as("the only one is held").isTrue();
        barrier.lower(window);
        barrier.leave(0, three);
    }

    /** A read that failed is inside the window that resync waits for, and waits for a freeze to be repaired. */
    private void freezeBesideRaise() {
        int failed = enter(0);
        assertThat(raise(window)).isFalse();
        assertThat(barrier.freeze(second, 1)).as("the failed one is held").isTrue();
        barrier.lower(second);
        assertClosed();
        barrier.leave(0, failed);
        assertThat(barrier.poll(window)).isTrue();
        assertThat(barrier.freeze(second, 0)).as("over a raised window").isTrue();
        barrier.lower(window);
        assertClosed();
        barrier.lower(second);
        assertOpen();
    }

    private void turns() {
        raise(window);
        barrier.start(0);
        assertThat(enter(0)).isEqualTo(IoBarrier.TURNED_AWAY);
        assertThat(raise(second)).as("somebody waits to enter").isFalse();
        barrier.lower(window);
        assertThat(loop.woken()).isTrue();
        assertThat(barrier.poll(second)).as("somebody still waits").isFalse();
        int ticket = enter(0);
        assertThat(ticket).as("who waited has its turn").isNotNegative();
        other.woken();
        barrier.stop(0);
        assertThat(other.woken()).as("the raiser's turn").isTrue();
        assertThat(barrier.poll(second)).as("one is inside").isFalse();
        assertClosed();
        barrier.leave(0, ticket);
        assertThat(other.woken()).isTrue();
        assertThat(barrier.poll(second)).isTrue();
        barrier.lower(second);
        assertOpen();
    }

    private void firstComeFirstServed() {
        int ticket = enter(0);
        assertThat(raise(window)).isFalse();
        assertThat(raise(second)).isFalse();
        barrier.leave(0, ticket);
        assertThat(barrier.poll(window)).as("the first").isTrue();
        assertThat(other.woken())
                .as("the second became raised by the first's poll")
                .isTrue();
        assertThat(barrier.poll(second)).isTrue();
    }

    private void force() {
        assertThatThrownBy(() -> barrier.forceRaise(window, 0, MIB))
                .as("nothing is raised")
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("from=0");
        assertOpen();
        raise(window);
        barrier.start(0);
        assertThat(barrier.forceRaise(second, 0, MIB))
                .as("before I/O that waits")
                .isTrue();
        barrier.lower(window);
        assertThat(enter(0)).as("one is still raised").isEqualTo(IoBarrier.TURNED_AWAY);
        barrier.lower(second);
        assertThat(loop.woken()).isTrue();
        barrier.stop(0);
        assertThatThrownBy(() -> barrier.forceRaise(window, 0, MIB)).isInstanceOf(IllegalStateException.class);
    }

    private void cap() {
        raise(window);
        for (int i = 1; i < WindowRaiser.WINDOWS_MAX; i++) {
            assertThat(barrier.forceRaise(barrier.window(loop), 0, MIB)).isTrue();
        }
        assertThat(barrier.forceRaise(second, 0, MIB)).as("one too many").isFalse();
        assertThat(barrier.poll(second)).isFalse();
        barrier.lower(window);
        assertThat(other.woken()).as("there is room").isTrue();
        assertThat(barrier.poll(second)).isTrue();
    }

    private void takenBack() {
        int ticket = enter(0);
        raise(window);
        raise(second);
        barrier.lower(second);
        assertClosed();
        barrier.lower(window);
        assertOpen();
        barrier.freeze(window, 0);
        assertClosed();
        barrier.lower(window);
        assertOpen();
        barrier.leave(0, ticket);
        assertThat(raise(window)).isTrue();
        barrier.start(0);
        raise(second);
        barrier.lower(second);
        barrier.lower(window);
        barrier.stop(0);
        assertThat(other.woken()).as("it takes part no more").isFalse();
        assertOpen();
    }
}
