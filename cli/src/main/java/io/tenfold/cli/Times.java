package io.tenfold.cli;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Moments as they are shown: to the second, in UTC, so that two people see the same. */
final class Times {
    private static final DateTimeFormatter SHOWN = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private Times() {}

    /** {@code 2026-11-30 10:35:32 UTC}. */
    static String shown(long epochMicros) {
        return SHOWN.format(instant(epochMicros));
    }

    /** {@code 2026-11-30T10:35:32Z}. */
    static String iso(long epochMicros) {
        return instant(epochMicros).toString();
    }

    private static Instant instant(long epochMicros) {
        return Instant.ofEpochSecond(Math.floorDiv(epochMicros, 1_000_000L));
    }
}
