package io.tenfold.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.tenfold.sim.NumaStep.Change;
import io.tenfold.sim.NumaStep.Give;
import io.tenfold.sim.NumaStep.Read;
import io.tenfold.sim.NumaStep.Take;
import io.tenfold.sim.NumaStep.Work;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NumaMachineTest {
    private static final NumaModel MODEL = new NumaModel(4, 16, 2, 5, 70, 180, 300);
    private static final long ROUNDS = 2_000;

    private final NumaMachine machine = new NumaMachine(MODEL, 1);
    private final NumaLine line = machine.line();

    @Test
    void oneCorePaysInstructionsAndNothingMoves() {
        NumaLock lock = machine.lock(line);
        machine.start(List.of(new Work(1_000), new Take(lock), new Change(line), new Give(lock), new Read(line)));
        assertThat(nanosPerRound(machine)).isCloseTo(1_000 + 3 * 5 + 2, within(20.0));
        assertThat(line.transfers()).isZero();
    }

    @Test
    void aLineThatOneCoreUsesNeverMoves() {
        List<NumaLine> own = new ArrayList<>();
        for (int core = 0; core < 64; core++) {
            own.add(machine.line());
            machine.start(List.of(new Work(100), new Change(own.getLast()), new Read(own.getLast())));
        }
        assertThat(nanosPerRound(machine) * 64).isCloseTo(100 + 5 + 2, within(3.0));
        assertThat(own).allSatisfy(each -> assertThat(each.transfers()).isZero());
    }

    @Test
    void aLineThatIsOnlyReadMovesOnceToEachCore() {
        for (int core = 0; core < 64; core++) {
            machine.start(List.of(new Work(100), new Read(line)));
        }
        machine.roundsPerSecond(0, 4 * 64);
        assertThat(nanosPerRound(machine) * 64).isCloseTo(102, within(3.0));
        assertThat(line.transfers()).isEqualTo(63);
    }

    @Test
    void aLineThatAllChangeMovesForEveryChangeAndIsTheLimit() {
        for (int core = 0; core < 8; core++) {
            machine.start(List.of(new Work(100), new Change(line)));
        }
        // First come, first served: of two neighbours in the queue two in eight are on one node at the most.
        assertThat(nanosPerRound(machine)).isBetween(150.0, 180.0);
        assertThat(line.transfers()).isGreaterThanOrEqualTo(ROUNDS);
    }

    @Test
    void coresOfOneNodeAreNearer() {
        assertThat(limit(0, 4)).as("cores 0 and 4 are on node 0").isCloseTo(70, within(3.0));
        assertThat(limit(0, 1)).as("cores 0 and 1 are not").isCloseTo(180, within(3.0));
    }

    /** What a change costs if two cores do nothing else; the cores between them work for ever. */
    private static double limit(int one, int other) {
        NumaMachine machine = new NumaMachine(MODEL, 1);
        NumaLine line = machine.line();
        for (int core = 0; core <= other; core++) {
            machine.start(List.of(core == one || core == other ? new Change(line) : new Work(1L << 40)));
        }
        return nanosPerRound(machine);
    }

    @Test
    void aReaderBringsTheChangeBackAndTheNextChangeTakesItsCopy() {
        machine.start(List.of(new Work(10_000), new Change(line)));
        machine.start(List.of(new Work(10_000), new Read(line)));
        nanosPerRound(machine);
        assertThat(line.transfers()).isBetween(ROUNDS / 2, ROUNDS + 10);
    }

    @Test
    void aLockIsHeldByOneAtATimeAndWhoWaitsPaysTheHandOver() {
        NumaLock lock = machine.lock(machine.line());
        for (int core = 0; core < 4; core++) {
            machine.start(List.of(new Take(lock), new Work(1_000), new Give(lock)));
        }
        assertThat(nanosPerRound(machine))
                .as("the work, a transfer, the hand-over, and the release")
                .isBetween(1_000 + 180.0 + 300, 1_000 + 2 * 180.0 + 300 + 20);
    }

    @Test
    void whoHasNotTheLockDoesNotGiveIt() {
        machine.start(List.of(new Give(machine.lock(line))));
        assertThatThrownBy(() -> machine.roundsPerSecond(0, 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whoNeverGivesTheLockIsTold() {
        machine.start(List.of(new Take(machine.lock(line)), new Work(10)));
        assertThatThrownBy(() -> machine.roundsPerSecond(0, 10))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("all cores wait for ever");
    }

    @Test
    void oneSeedGivesOneRun() {
        assertThat(contended(7)).isEqualTo(contended(7));
        assertThat(contended(8)).isNotEqualTo(contended(7));
    }

    private static double contended(long seed) {
        NumaMachine machine = new NumaMachine(MODEL, seed);
        NumaLine line = machine.line();
        for (int core = 0; core < 16; core++) {
            machine.start(List.of(new Work(1_000), new Change(line)));
        }
        return machine.roundsPerSecond(0, ROUNDS);
    }

    @Test
    void impossibleMachinesAreRefused() {
        assertThatThrownBy(() -> new NumaModel(4, 17, 2, 5, 70, 180, 0)).hasMessageContaining("coresPerNode=17");
        assertThatThrownBy(() -> MODEL.withTransfers(180, 70)).hasMessageContaining("crossTransferNanos=70");
        assertThatThrownBy(() -> MODEL.withHandOverNanos(-1)).hasMessageContaining("handOverNanos=-1");
        for (int core = 0; core < 64; core++) {
            machine.start(List.of(new Work(1)));
        }
        assertThatThrownBy(() -> machine.start(List.of(new Work(1)))).isInstanceOf(IllegalStateException.class);
    }

    private static double nanosPerRound(NumaMachine machine) {
        return 1e9 / machine.roundsPerSecond(0, ROUNDS);
    }
}
