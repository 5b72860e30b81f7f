package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void everyKindOfValueIsWrittenInOrderAndEscaped() {
        assertThat(Json.text(Json.object(
                        "name",
                        "a \"b\"\n\u0001/ü",
                        "size",
                        1L << 40,
                        "count",
                        3,
                        "ratio",
                        0.5,
                        "ok",
                        true,
                        "none",
                        null,
                        "list",
                        Arrays.asList(1, null, List.of()),
                        "nested",
                        Json.object())))
                .isEqualTo(
                        "{\"name\":\"a \\\"b\\\"\\n\\u0001/ü\",\"size\":1099511627776,\"count\":3,\"ratio\":0.5,\"ok\":true,"
                                + "\"none\":null,\"list\":[1,null,[]],\"nested\":{}}");
    }

    @Test
    void whatHasNoJsonFormIsRejected() {
        assertThatThrownBy(() -> Json.text(Double.NaN)).hasMessageContaining("class java.lang.Double");
    }
}
