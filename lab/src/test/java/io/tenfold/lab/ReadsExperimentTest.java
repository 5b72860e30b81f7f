package io.tenfold.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tenfold.lab.Experiment.Bar;
import io.tenfold.lab.ReadsRun.Drive;
import io.tenfold.lab.ReadsRun.Load;
import io.tenfold.lab.ReadsRun.Outcome;
import io.tenfold.raid.Layout;
import io.tenfold.raid.ReadRule;
import io.tenfold.sim.SimFlashModel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Virtual time: the figures are the same on every machine. */
class ReadsExperimentTest {
    private static final List<Drive> FOUR = Collections.nCopies(4, Drive.of(SimFlashModel.nvme()));
    private static final Load RANDOM = new Load(4, 64, 4096, false, 8_000);

    @Test
    void oneSeedGivesOneRun() {
        Outcome first = ReadsRun.array(Layout.near(2), FOUR, ReadRule.BALANCED, RANDOM, 5);
        assertThat(ReadsRun.array(Layout.near(2), FOUR, ReadRule.BALANCED, RANDOM, 5))
                .isEqualTo(first);
        assertThat(ReadsRun.array(Layout.near(2), FOUR, ReadRule.BALANCED, RANDOM, 6))
                .isNotEqualTo(first);
    }

    /** The canary: a rule that leaves half of the members idle must be seen to do so. */
    @Test
    void ruleThatLeavesMembersIdleGivesHalf() {
        double one = ReadsRun.alone(FOUR.getFirst(), RANDOM, 1).perSecond();
        Outcome outcome = ReadsRun.array(Layout.near(2), FOUR, ReadRule.FIRST_COPY, RANDOM, 1);
        assertThat(outcome.perSecond() / one).isCloseTo(2, within(0.1));
        assertThat(outcome.byMember().get(1)).isZero();
        assertThat(outcome.share(0)).isCloseTo(50, within(2.0));
    }

    @Test
    void everyFigureThatIsPromisedIsReachedInAShortRunToo() {
        List<Integer> steps = new ArrayList<>();
        List<Experiment> results = ReadsExperiment.run(
                (done, of) -> {
                    steps.add(done);
                    assertThat(of).isEqualTo(40);
                },
                new ReadsExperiment.Effort(1, 4));
        assertThat(steps).first().isEqualTo(0);
        assertThat(steps).last().isEqualTo(40);
        assertThat(results).extracting(Experiment::id).containsOnly("B").hasSize(6);
        assertThat(results.getFirst().limit()).isEqualTo(400);
        assertThat(results)
                .allSatisfy(experiment -> assertThat(experiment.bars())
                        .as(experiment.name())
                        .isNotEmpty()
                        .allMatch(Bar::met));
        assertThat(results.getFirst().bars()).extracting(Bar::bound).containsExactly(395.0);
        assertThat(ReadsExperiment.drawing(results)).contains(">balanced<", ">rules of 2016<", "347");
    }
}
