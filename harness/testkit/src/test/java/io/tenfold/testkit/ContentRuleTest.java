package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ContentRuleTest {
    private final ContentRule rule = new ContentRule(1000);

    @Test
    void wordIsItsOffsetMixedWithTheSeed() {
        assertThat(new ContentRule(0).word(4096)).isEqualTo(4096);
        assertThat(new ContentRule(1).word(8)).isEqualTo(0x9E37_79B9_7F4A_7C15L ^ 8);
    }

    @Test
    void wordsAreLittleEndian() {
        assertThat(new ContentRule(0).bytes(0x1020, 8)).containsExactly(0x20, 0x10, 0, 0, 0, 0, 0, 0);
    }

    @Test
    void whatFillWritesFollowsTheRule() {
        byte[] bytes = rule.bytes(4096, 8192);
        assertThat(rule.firstDifference(MemorySegment.ofArray(bytes), 4096)).isEqualTo(-1);
    }

    /** The canary: one flipped bit, a moved block and another seed are all found, where they are. */
    @Test
    void wrongContentIsFoundWhereItIs() {
        byte[] bytes = rule.bytes(0, 8192);
        assertThat(rule.firstDifference(MemorySegment.ofArray(bytes), 8192)).isEqualTo(8192);
        assertThat(new ContentRule(1001).firstDifference(MemorySegment.ofArray(bytes), 0))
                .isZero();
        bytes[4099] ^= 1;
        assertThat(rule.firstDifference(MemorySegment.ofArray(bytes), 0)).isEqualTo(4096);
    }

    @Test
    void streamGivesTheSameBytesFromAnyOffset() throws IOException {
        byte[] all = rule.bytes(0, 64);
        assertThat(rule.stream(0, 64).readAllBytes()).isEqualTo(all);
        for (int from = 0; from < 20; from++) {
            for (int length = 0; length < 40; length++) {
                assertThat(rule.stream(from, length).readAllBytes())
                        .isEqualTo(Arrays.copyOfRange(all, from, from + length));
            }
        }
        try (var stream = rule.stream(0, 1)) {
            assertThat(stream.read()).isEqualTo(all[0] & 0xff);
            assertThat(stream.read()).isEqualTo(-1);
        }
    }

    @Test
    void unalignedOffsetIsRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> rule.bytes(4, 8))
                .withMessage("offset and length must be multiples of 8: offset=4, length=8");
    }
}
