package io.tenfold.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.tenfold.raid.BarrierDesign;
import io.tenfold.sim.NumaModel;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class BarrierPredictionTest {
    private static final BarrierPrediction PREDICTION = BarrierPrediction.calibrated(NumaModel.fourNodes());

    @Test
    void postedFiguresComeOutWithinFivePercentForSeedsThatItWasNotSetBy() {
        for (long seed = 1; seed <= 5; seed++) {
            assertThat(PREDICTION.gibPerSecond(BarrierDesign.ATOMIC_PENDING, 16, seed))
                    .isCloseTo(2.9, within(0.05 * 2.9));
            assertThat(PREDICTION.gibPerSecond(BarrierDesign.SEQUENCE_LOCK, 16, seed))
                    .isCloseTo(6.6, within(0.05 * 6.6));
        }
    }

    /** Else it would be a model of something else than contention. */
    @Test
    void onOneCoreDesignsDifferByTheirInstructionsOnly() {
        double requestNanos = PREDICTION.requestNanos();
        NumaModel model = PREDICTION.model();
        assertThat(nanos(BarrierDesign.WINDOWED, 1) - requestNanos)
                .isCloseTo(2.0 * model.atomicNanos() + 3.0 * model.loadNanos(), within(0.01 * requestNanos));
        for (BarrierDesign design : BarrierDesign.values()) {
            assertThat(nanos(design, 1))
                    .as("design=%s", design)
                    .isCloseTo(nanos(BarrierDesign.WINDOWED, 1), within(0.01 * requestNanos));
        }
    }

    @Test
    void countsByStripeGrowWithTheCoresAndOneLineDoesNot() {
        assertThat(nanos(BarrierDesign.WINDOWED, 64) * 64)
                .isCloseTo(nanos(BarrierDesign.WINDOWED, 1), within(0.02 * nanos(BarrierDesign.WINDOWED, 1)));
        for (BarrierDesign design : BarrierDesign.values()) {
            if (design != BarrierDesign.WINDOWED) {
                assertThat(nanos(design, 64)).as("design=%s", design).isGreaterThan(0.9 * nanos(design, 32));
            }
        }
        assertThat(List.of(BarrierDesign.SPINLOCK, BarrierDesign.ATOMIC_PENDING, BarrierDesign.SEQUENCE_LOCK))
                .as("each is better than the one before it")
                .isSortedAccordingTo((a, b) -> Double.compare(nanos(b, 64), nanos(a, 64)));
    }

    /** The canary: where lines alone cost more than was posted, no figure besides can mend that. */
    @Test
    void machinesThatCannotGiveThePostedFiguresAreRefused() {
        NumaModel slow = NumaModel.fourNodes().withTransfers(400, 1_000);
        assertThatThrownBy(() -> BarrierPrediction.calibrated(slow))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lines alone cost more than was posted");
    }

    @Test
    void drawingIsXmlThatSaysThatItIsAPrediction() throws Exception {
        String svg = BarrierExperiment.drawing();
        Element root = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
                .getDocumentElement();
        NodeList curves = root.getElementsByTagName("polyline");
        assertThat(curves.getLength()).isEqualTo(4);
        assertThat(((Element) curves.item(0)).getAttribute("points").split(" ")).hasSize(7);
        assertThat(root.getElementsByTagName("circle").getLength()).isEqualTo(2);
        assertThat(root.getTextContent())
                .contains("Prediction by a model, not a measurement", "windowed, 3", "posted: 6.6");
        assertThat(svg).isEqualTo(BarrierExperiment.drawing());
    }

    private static double nanos(BarrierDesign design, int cores) {
        return 1e9 * 4096 / (1 << 30) / PREDICTION.gibPerSecond(design, cores, 1);
    }
}
