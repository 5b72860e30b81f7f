package io.tenfold.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import io.tenfold.lab.Experiment.Bar;
import io.tenfold.lab.Experiment.Design;
import io.tenfold.queue.DeviceQueue;
import io.tenfold.queue.QueueOptions;
import io.tenfold.queue.WakePolicy;
import io.tenfold.queue.WriteCache;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SplitExperimentTest {
    private static final QueueOptions OPTIONS =
            QueueOptions.DEFAULT.withDepth(64).withDeviceDepth(32).withWriteCache(WriteCache.WRITE_THROUGH);

    @Test
    void shareCountsWhatStartsWhereTheOneBeforeEnded() {
        SequentialShare share = new SequentialShare();
        dispatch(share, 0, 128);
        share.begin(1_000);
        for (int start : new int[] {128, 256, 0, 128, 512}) {
            dispatch(share, start, 128);
        }
        assertThat(share.dispatches()).isEqualTo(5);
        assertThat(share.percent()).isEqualTo(60);
        assertThat(share.bytesPerSecond()).isCloseTo(5 * 128 * 512 * 1e9 / 1_000, within(1.0));
    }

    private static void dispatch(SequentialShare share, int startBlock, int blocks) {
        Request request = new Request(_ -> {});
        MemorySegment memory = MemorySegment.ofArray(new byte[blocks * 512]);
        request.write(startBlock * 512L, memory, 0, blocks * 512L, false);
        request.started();
        share.dispatched(0, request);
        share.completed(2_000, request);
        request.complete(IoStatus.OK);
    }

    @Test
    void oneSubmitterAloneIsAlwaysInSequenceAndSoTheLimitIsThreeQuarters() {
        SplitRun.Outcome outcome = run(OPTIONS, 1, 1);
        assertThat(outcome.sequentialPercent()).isCloseTo(75, within(1.5));
        assertThat(outcome.dispatches()).isCloseTo(4 * 200, within(16L));
    }

    @Test
    void oneSeedGivesOneRun() {
        SplitRun.Outcome first = run(OPTIONS, 16, 5);
        assertThat(run(OPTIONS, 16, 5)).isEqualTo(first);
        assertThat(run(OPTIONS, 16, 6)).isNotEqualTo(first);
    }

    /** The canary: a queue that lets pieces of others in between must be seen to do so. */
    @Test
    void rulesThatLetOthersInBetweenAreTold() {
        double together =
                run(OPTIONS.withWakePolicy(WakePolicy.NO_PREEMPTION), 64, 1).sequentialPercent();
        double apart = run(OPTIONS.withWakePolicy(WakePolicy.ORIGINAL).withWholeRequests(false), 64, 1)
                .sequentialPercent();
        assertThat(together).isGreaterThan(apart + 20);
    }

    @Test
    void resultsHaveThreeBarsForEachLoadAndThreeMeasures() {
        List<Integer> steps = new ArrayList<>();
        List<Experiment> results = SplitExperiment.run(
                (done, of) -> {
                    steps.add(done);
                    assertThat(of).isEqualTo(29);
                },
                new SplitExperiment.Effort(List.of(64, 80), 1, 100));
        assertThat(steps).first().isEqualTo(0);
        assertThat(steps).last().isEqualTo(29);
        assertThat(results).extracting(Experiment::id).containsExactly("C", "C", "C");
        assertThat(results.getFirst().limit()).isEqualTo(75);
        assertThat(results.getFirst().designs())
                .hasSize(20)
                .allSatisfy(design -> assertThat(design.value()).isBetween(design.min(), design.max()));
        assertThat(results.getFirst().designs())
                .extracting(Design::name)
                .contains("original rules, 64 submitters", "default, 80 submitters");
        assertThat(results.getFirst().bars())
                .extracting(Bar::bound)
                .containsExactly(30.0, 40.0, 74.0, 30.0, 40.0, 74.0);
        assertThat(results.getFirst().bars())
                .as("the acceptance, on a short run")
                .allMatch(Bar::met);
        assertThat(results.getLast().designs()).hasSize(9);
        assertThat(SplitExperiment.drawing(results)).contains("original rules, 64 submitters", "mq-deadline");
    }

    private static SplitRun.Outcome run(QueueOptions options, int submitters, long seed) {
        return SplitRun.run(
                (disk, shards) -> new DeviceQueue(disk, options, shards), submitters, seed, 200, SplitRun.Pace.USUAL);
    }
}
