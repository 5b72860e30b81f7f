package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Prng;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizeTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "4096, 4096",
        "512B, 512",
        "512K, 524288",
        "512k, 524288",
        "64KiB, 65536",
        "1M, 1048576",
        "1G, 1073741824",
        "3GiB, 3221225472",
        "1T, 1099511627776",
        "2P, 2251799813685248",
        "7E, 8070450532247928832"
    })
    void unitsArePowersOf1024AndANumberAloneIsBytes(String text, long bytes) {
        assertThat(Size.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "'', 'size must be a whole number and a unit, such as 512K or 1G: size='",
        "K, 'size must be a whole number and a unit, such as 512K or 1G: size=K'",
        "-1K, 'size must be a whole number and a unit, such as 512K or 1G: size=-1K'",
        "1.5G, 'unit must be K, M, G, T, P or E, powers of 1024: size=1.5G'",
        "1X, 'unit must be K, M, G, T, P or E, powers of 1024: size=1X'",
        "1Kx, 'unit must be K, M, G, T, P or E, powers of 1024: size=1Kx'",
        "1 K, 'unit must be K, M, G, T, P or E, powers of 1024: size=1 K'",
        "64kB, 'unit could mean powers of 1000 or of 1024: size=64kB, write 64K for powers of 1024'",
        "8E, 'size must be below 8E: size=8E'",
        "99999999999999999999, 'size must be below 8E: size=99999999999999999999'"
    })
    void whatIsNoSizeIsRejectedWithTheReason(String text, String message) {
        assertThatThrownBy(() -> Size.parse(text)).hasMessage(message);
    }

    @Test
    void exactFormReadsBackAsTheSameSize() {
        Prng prng = new Prng(11);
        for (int i = 0; i < 10_000; i++) {
            long bytes = ((prng.nextLong() >>> (1 + prng.below(63))) << prng.below(20)) & Long.MAX_VALUE;
            assertThat(Size.parse(Size.exact(bytes))).as("bytes=%d", bytes).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0B", "1000, 1000B", "1024, 1K", "524288, 512K", "1073741824, 1G", "1536, 1536B", "3145728, 3M"})
    void exactFormIsTheShortest(long bytes, String text) {
        assertThat(Size.exact(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1024, 1.00 KiB", "23068672, 22.0 MiB", "536870912, 512 MiB"})
    void roundedFormHasThreeDigits(long bytes, String text) {
        assertThat(Size.rounded(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"23068672, 22.00 MiB 23.07 MB", "1073741824, 1.00 GiB 1.07 GB", "10995116277760, 10.00 TiB 11.00 TB"})
    void bothKindsOfUnitsAreShownAsMdadmDoes(long bytes, String text) {
        assertThat(Size.binaryAndDecimal(bytes)).isEqualTo(text);
    }
}
