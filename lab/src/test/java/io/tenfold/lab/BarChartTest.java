package io.tenfold.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class BarChartTest {
    @Test
    void drawingIsXmlWithABarForEachValueInProportion() throws Exception {
        String svg = new BarChart("a < b & c", "%", 75)
                .heading("ours")
                .bar(BarChart.Kind.OURS, "half", 37.5, 30, 40)
                .bar(BarChart.Kind.THEIRS, "all", 75, 75, 75)
                .svg();
        Element root = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
                .getDocumentElement();
        NodeList rectangles = root.getElementsByTagName("rect");
        assertThat(rectangles.getLength()).as("background and two bars").isEqualTo(3);
        assertThat(2 * width(rectangles, 1)).isEqualTo(width(rectangles, 2));
        assertThat(root.getTextContent()).contains("a < b & c", "half", "37.5 (30.0 to 40.0)", "75.0");
    }

    private static double width(NodeList rectangles, int index) {
        return Double.parseDouble(((Element) rectangles.item(index)).getAttribute("width"));
    }
}
