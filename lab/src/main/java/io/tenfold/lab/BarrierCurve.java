package io.tenfold.lab;

import io.tenfold.lab.Experiment.Design;
import io.tenfold.raid.BarrierDesign;
import io.tenfold.sim.NumaModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What {@link BarrierPrediction} says for 1 to 64 cores, as results beside the measured ones, and as a drawing. */
final class BarrierCurve {
    private static final List<Integer> CORES = List.of(1, 2, 4, 8, 16, 32, 64);
    private static final List<Long> SEEDS = List.of(1L, 2L, 3L);
    private static final NumaModel MACHINE = NumaModel.fourNodes();

    private BarrierCurve() {}

    /** Three machines: one, and the same with transfers of half and of a tenth more; calibrated each. A second or two. */
    static List<Experiment> experiments() {
        return List.of(
                experiment("barrier: predicted for four nodes, not measured", MACHINE, CORES),
                experiment(
                        "barrier: predicted with transfers that take half of that",
                        MACHINE.withTransfers(MACHINE.nodeTransferNanos() / 2, MACHINE.crossTransferNanos() / 2),
                        List.of(16, 64)),
                experiment(
                        "barrier: predicted with transfers that take a tenth more",
                        MACHINE.withTransfers(
                                MACHINE.nodeTransferNanos() * 11 / 10, MACHINE.crossTransferNanos() * 11 / 10),
                        List.of(16, 64)));
    }

    /** The first of the three. */
    static String drawing() {
        BarrierPrediction prediction = BarrierPrediction.calibrated(MACHINE);
        CurveChart chart = new CurveChart(
                "Prediction by a model, not a measurement: 4 KiB reads through each barrier, four nodes",
                "cores",
                "GiB/s",
                CORES,
                0.25,
                7);
        for (BarrierDesign design : BarrierDesign.values()) {
            chart.curve(
                    BarrierExperiment.name(design),
                    CORES.stream()
                            .map(cores -> Experiment.median(bySeed(prediction, design, cores)))
                            .toList());
        }
        return chart.point("posted: 2.9", BarrierPrediction.POSTED_CORES, BarrierPrediction.POSTED_BEFORE)
                .point("posted: 6.6", BarrierPrediction.POSTED_CORES, BarrierPrediction.POSTED_AFTER)
                .svg();
    }

    private static Experiment experiment(String name, NumaModel machine, List<Integer> cores) {
        BarrierPrediction prediction = BarrierPrediction.calibrated(machine);
        List<Design> designs = new ArrayList<>();
        for (int count : cores) {
            for (BarrierDesign design : BarrierDesign.values()) {
                designs.add(Design.of(
                        BarrierExperiment.name(design) + ", " + count + (count == 1 ? " core" : " cores"),
                        BarrierExperiment.role(design),
                        bySeed(prediction, design, count)));
            }
        }
        return new Experiment(
                "A",
                name,
                load(prediction),
                "GiB/s",
                String.format(
                        Locale.ROOT,
                        "%.1f -> %.1f GiB/s with %d jobs on four nodes (2022), to which the model is set",
                        BarrierPrediction.POSTED_BEFORE,
                        BarrierPrediction.POSTED_AFTER,
                        BarrierPrediction.POSTED_CORES),
                null,
                designs,
                List.of());
    }

    private static List<Double> bySeed(BarrierPrediction prediction, BarrierDesign design, int cores) {
        return SEEDS.stream()
                .map(seed -> prediction.gibPerSecond(design, cores, seed))
                .toList();
    }

    private static String load(BarrierPrediction prediction) {
        NumaModel model = prediction.model();
        return String.format(
                Locale.ROOT,
                "a prediction by a model of cache lines, in virtual time, %d seeds: %d nodes of %d cores, each core going"
                        + " through requests of 4 KiB that enter and leave. A load from the own cache takes %d ns, an atomic"
                        + " change there %d, a line from the same node %d, from another %d. Set by the posting's two figures:"
                        + " a request costs %d ns besides, handing a lock on %d ns besides lines. Does not show: drives,"
                        + " memory, the width of links",
                SEEDS.size(),
                model.nodes(),
                model.coresPerNode(),
                model.loadNanos(),
                model.atomicNanos(),
                model.nodeTransferNanos(),
                model.crossTransferNanos(),
                prediction.requestNanos(),
                model.handOverNanos());
    }
}
