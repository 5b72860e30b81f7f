package io.tenfold.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Clock;
import io.tenfold.block.FaultDevice;
import io.tenfold.block.IoStatus;
import io.tenfold.block.NullDevice;
import io.tenfold.lab.Experiment.Bar;
import io.tenfold.lab.Experiment.Design;
import io.tenfold.queue.DeviceQueue;
import io.tenfold.queue.QueueOptions;
import io.tenfold.queue.TagDesign;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TagsExperimentTest {
    @Test
    void everyDesignServesAllSubmitters() throws Exception {
        for (TagDesign design : TagDesign.values()) {
            TagsLoad.Outcome outcome = TagsRun.run(Clock.system(), design, 64, 12, 32, 1_000_000, 20_000_000);
            assertThat(outcome.requests()).as("design=%s", design).isPositive();
            assertThat(outcome.nanos()).isGreaterThanOrEqualTo(20_000_000);
            assertThat(outcome.waitMaxNanos()).isGreaterThanOrEqualTo(outcome.waitMedianNanos());
        }
    }

    /** Else a submitter would hold one tag for many reads, and nobody would have to wait. */
    @Test
    void noTwoReadsBecomeOne() throws InterruptedException {
        QueueOptions options = QueueOptions.DEFAULT.withDepth(64).withHardwareQueues(12);
        try (DeviceQueue queue = new DeviceQueue(new NullDevice(1 << 30), options, 12)) {
            new TagsLoad(Clock.system(), queue, 12, 32).run(1_000_000, 20_000_000);
            assertThat(queue.statistics().requests()).isGreaterThanOrEqualTo(12 * 32);
            assertThat(queue.statistics().merged()).isZero();
        }
    }

    @Test
    void outcomeComesThroughAPipeUnchanged() {
        TagsLoad.Outcome outcome = new TagsLoad.Outcome(1_000, 2_000_000_000L, 3, 4, 5);
        assertThat(TagsLoad.Outcome.parse(outcome.line() + "\n")).isEqualTo(outcome);
        assertThat(outcome.perSecond()).isEqualTo(500);
    }

    @Test
    void failedRequestEndsTheRun() {
        FaultDevice faulty = new FaultDevice(new NullDevice(1 << 30));
        faulty.inject(FaultDevice.Fault.all(IoStatus.IO_ERROR).after(100));
        TagsLoad load = new TagsLoad(Clock.system(), faulty, 2, 8);
        assertThatThrownBy(() -> load.run(1_000_000, 20_000_000))
                .isInstanceOf(IllegalStateException.class)
                .rootCause()
                .hasMessageStartingWith("a null device failed: request=");
    }

    @Test
    void failureOfAChildIsSaidInOneLine() {
        assertThatThrownBy(() -> ChildJvm.run(TagsRun.class, "NO_DESIGN", "64", "2", "2", "1", "1"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a run failed: exitCode=1, said=Exception in thread \"main\"")
                .hasMessageContaining("NO_DESIGN");
    }

    @Test
    void resultsHaveFourBarsAndTheMachinesLimit() throws IOException {
        List<Integer> steps = new ArrayList<>();
        List<Experiment> results =
                TagsExperiment.run((done, _) -> steps.add(done), new TagsExperiment.Effort(1, 5, 20));
        assertThat(steps).last().isEqualTo(17);
        assertThat(results).extracting(Experiment::id).containsOnly("D");
        assertThat(results.getFirst().designs())
                .hasSize(15)
                .extracting(Design::name)
                .contains("bitmap, depth 64", "locked, depth 64, 384 wanted", "purged, depth 2048");
        assertThat(results.getFirst().bars())
                .extracting(Bar::bound)
                .startsWith(1.84, 1.0, 1.0)
                .hasSize(4);
        assertThat(results.getFirst().bars().getLast().bound()).isBetween(0.9, 1.0);
        assertThat(results.getLast().designs())
                .hasSize(2)
                .allSatisfy(design -> assertThat(design.value()).isPositive());
    }
}
