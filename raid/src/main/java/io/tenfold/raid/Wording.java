package io.tenfold.raid;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;

/** How numbers, times and names stand in messages. */
final class Wording {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private Wording() {}

    /** A moment, by the second. */
    static String time(long micros) {
        return TIME.format(Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L)));
    }

    /** An array's name without its host, or its identity where it has none. */
    static String label(String name, MdUuid uuid) {
        String own = name.substring(name.indexOf(':') + 1);
        return own.isEmpty() ? uuid.toString() : own;
    }

    /** What a superblock's counter and clock say. */
    static String freshness(Superblock superblock) {
        return "events=" + superblock.events() + ", updated " + time(superblock.updatedMicros());
    }

    /** {@code 0, 2, 3}. */
    static String list(Collection<?> things) {
        return things.stream().map(Object::toString).collect(Collectors.joining(", "));
    }

    /** {@code 0,2,3}, as the value of a name. */
    static String slots(Collection<Integer> slots) {
        return slots.stream().map(Object::toString).collect(Collectors.joining(","));
    }

    /** {@code 1 member}, {@code 3 members}. */
    static String count(long count, String thing) {
        return count + " " + thing + (count == 1 ? "" : "s");
    }

    /** Bytes in the largest unit that leaves no rest. */
    static String bytes(long bytes) {
        String[] units = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
        int unit = 0;
        long left = bytes;
        while (left != 0 && left % 1024 == 0 && unit < units.length - 1) {
            left /= 1024;
            unit++;
        }
        return left + " " + units[unit];
    }

    /** A level's name. */
    static String level(int level) {
        return switch (level) {
            case -1 -> "linear";
            case -4 -> "multipath";
            case -5 -> "faulty";
            case -100 -> "container";
            default -> "raid" + level;
        };
    }
}
