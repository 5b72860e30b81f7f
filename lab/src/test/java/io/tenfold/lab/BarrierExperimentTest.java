package io.tenfold.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tenfold.base.Clock;
import io.tenfold.lab.Experiment.Bar;
import io.tenfold.lab.Experiment.Design;
import io.tenfold.lab.Experiment.Role;
import io.tenfold.raid.BarrierDesign;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class BarrierExperimentTest {
    /** Pairs a second that meet every bar, but none by much. */
    private static final Map<BarrierDesign, Double> FAST = Map.of(
            BarrierDesign.WINDOWED, 100e6,
            BarrierDesign.SPINLOCK, 10e6,
            BarrierDesign.ATOMIC_PENDING, 20e6,
            BarrierDesign.SEQUENCE_LOCK, 24e6);

    @Test
    void everyDesignLetsAllThreadsIn() throws InterruptedException {
        for (BarrierDesign design : BarrierDesign.values()) {
            assertThat(BarrierRun.perSecond(Clock.system(), design, 4, 1_000_000, 10_000_000))
                    .as("design=%s", design)
                    .isPositive();
        }
    }

    @Test
    void resultsHaveFourBarsAndTheMachinesLimit() throws IOException {
        List<Integer> steps = new ArrayList<>();
        List<Experiment> results = BarrierExperiment.run(
                (done, of) -> {
                    steps.add(done);
                    assertThat(of).isEqualTo(15);
                },
                new BarrierExperiment.Effort(1, 5, 5));
        assertThat(steps).first().isEqualTo(0);
        assertThat(steps).last().isEqualTo(15);
        assertThat(results).extracting(Experiment::id).containsOnly("A");
        assertThat(results.getFirst().name()).isEqualTo("barrier");
        assertThat(results.getFirst().designs())
                .hasSize(12)
                .allSatisfy(design -> assertThat(design.value()).isPositive())
                .extracting(Design::name)
                .contains("windowed, 1 thread", "sequence lock, 16 threads");
        assertThat(results.getFirst().bars()).extracting(Bar::bound).containsExactly(2.28, 2.28, 4.0, 20.0);
        assertThat(results.get(1).designs()).hasSize(3);
        assertThat(results.get(3).name()).contains("predicted", "not measured");
        assertThat(results.get(3).load()).startsWith("a prediction by a model");
        assertThat(results.get(3).designs()).hasSize(4 * 7);
    }

    @Test
    void figuresThatAreThereAreMetAndTheDefaultIsTheWindowedDesign() throws IOException {
        Experiment experiment = first(figures(FAST));
        assertThat(experiment.bars()).allMatch(Bar::met);
        assertThat(experiment.bars())
                .extracting(Bar::value)
                .satisfiesExactly(
                        ratio -> assertThat(ratio).isCloseTo(10, within(1e-9)),
                        ratio -> assertThat(ratio).isCloseTo(10, within(1e-9)),
                        ratio -> assertThat(ratio).isCloseTo(100 / 24.0, within(1e-9)),
                        nanos -> assertThat(nanos).isCloseTo(10, within(1e-9)));
        assertThat(experiment.designs().stream().filter(design -> design.role() == Role.DEFAULT))
                .hasSize(3)
                .allMatch(design -> design.name().startsWith("windowed"));
    }

    /** The canary: whichever design is too fast, or the default too slow, some bar is missed. */
    @Test
    void everyBarCanBeMissed() throws IOException {
        assertThat(missed(figures(with(BarrierDesign.SPINLOCK, 44e6)))).containsExactly(0, 1, 2);
        assertThat(missed(figures(with(BarrierDesign.ATOMIC_PENDING, 26e6)))).containsExactly(2);
        assertThat(missed(figures(with(BarrierDesign.SEQUENCE_LOCK, 26e6)))).containsExactly(2);
        assertThat(missed(figures(with(BarrierDesign.WINDOWED, 49e6)))).containsExactly(2, 3);
    }

    /** One round in three in which the default had no processor is noise; two are not. */
    @Test
    void ratiosAreJudgedByRounds() throws IOException {
        assertThat(missed(slowIn(EnumSet.of(BarrierDesign.WINDOWED), 1))).isEmpty();
        assertThat(missed(slowIn(EnumSet.of(BarrierDesign.WINDOWED), 2))).containsExactly(0, 1, 2, 3);
        assertThat(missed(slowIn(EnumSet.allOf(BarrierDesign.class), 2)))
                .as("a slow round hits all alike")
                .containsExactly(3);
    }

    private static Experiment first(BarrierExperiment.Source source) throws IOException {
        return BarrierExperiment.run((_, _) -> {}, source, 3).getFirst();
    }

    private static List<Integer> missed(BarrierExperiment.Source source) throws IOException {
        List<Bar> bars = first(source).bars();
        List<Integer> missed = new ArrayList<>();
        for (int i = 0; i < bars.size(); i++) {
            if (!bars.get(i).met()) {
                missed.add(i);
            }
        }
        return missed;
    }

    private static Map<BarrierDesign, Double> with(BarrierDesign design, double rate) {
        Map<BarrierDesign, Double> rates = new EnumMap<>(FAST);
        rates.put(design, rate);
        return rates;
    }

    private static BarrierExperiment.Source figures(Map<BarrierDesign, Double> rates) {
        return new Figures(rates, EnumSet.noneOf(BarrierDesign.class), 0);
    }

    private static BarrierExperiment.Source slowIn(EnumSet<BarrierDesign> slow, int rounds) {
        return new Figures(FAST, slow, rounds);
    }

    /** Rates that are given; in the first rounds some designs have a tenth of theirs. */
    private static final class Figures implements BarrierExperiment.Source {
        private final Map<BarrierDesign, Double> rates;
        private final EnumSet<BarrierDesign> slow;
        private final int slowRounds;
        private int round;

        Figures(Map<BarrierDesign, Double> rates, EnumSet<BarrierDesign> slow, int slowRounds) {
            this.rates = rates;
            this.slow = slow;
            this.slowRounds = slowRounds;
        }

        @Override
        public double adds(int threads, int words) {
            round += words == 1 && threads == 1 ? 1 : 0; // The first thing in each round.
            return 100e6;
        }

        @Override
        public double alone(BarrierDesign design, int threads) {
            return rates.get(design) / (slow.contains(design) && round <= slowRounds ? 10 : 1);
        }
    }
}
