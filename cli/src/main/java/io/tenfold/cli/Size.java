package io.tenfold.cli;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Sizes as people write and read them. Units are binary, as mdadm's are: K, KiB = 1024 bytes, M, G, T in steps of 1024.
 * A number alone is bytes.
 */
final class Size implements ITypeConverter<Long> {
    private static final String UNITS = "KMGTPE";

    @Override
    public Long convert(String text) {
        try {
            return parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    /**
     * Reads a size.
     *
     * @return bytes, 0 or more
     * @throws IllegalArgumentException if it is none; the message says why
     */
    static long parse(String text) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        String unit = text.substring(digits).toUpperCase(Locale.ROOT);
        if (digits == 0) {
            throw new IllegalArgumentException(
                    "size must be a whole number and a unit, such as 512K or 1G: size=" + text);
        }
        if (unit.length() == 2 && unit.endsWith("B")) {
            throw new IllegalArgumentException("unit could mean powers of 1000 or of 1024: size=" + text + ", write "
                    + text.substring(0, digits) + unit.charAt(0) + " for powers of 1024");
        }
        int power = power(unit);
        if (power < 0) {
            throw new IllegalArgumentException("unit must be K, M, G, T, P or E, powers of 1024: size=" + text);
        }
        try {
            return Math.multiplyExact(Long.parseLong(text, 0, digits, 10), 1L << (10 * power));
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException("size must be below 8E: size=" + text, e);
        }
    }

    /** The power of 1024 that a unit stands for, or -1. */
    private static int power(String unit) {
        if (unit.isEmpty() || unit.equals("B")) {
            return 0;
        }
        return unit.length() == 1 || (unit.length() == 3 && unit.endsWith("IB")) ? power(unit.charAt(0)) : -1;
    }

    private static int power(char unit) {
        int index = UNITS.indexOf(unit);
        return index < 0 ? -1 : index + 1;
    }

    /** The shortest exact form: {@code 512K}, {@code 1G}, {@code 1000B}. What {@link #parse} reads back. */
    static String exact(long bytes) {
        int power = bytes == 0 ? 0 : Math.min(Long.numberOfTrailingZeros(bytes) / 10, UNITS.length());
        return (bytes >> (10 * power)) + (power == 0 ? "B" : UNITS.substring(power - 1, power));
    }

    /** To about three digits: {@code 22.0 MiB}, {@code 1.00 GiB}, {@code 512 B}. */
    static String rounded(long bytes) {
        int power = bytes == 0 ? 0 : (63 - Long.numberOfLeadingZeros(bytes)) / 10;
        if (power == 0) {
            return bytes + " B";
        }
        double value = bytes / (double) (1L << (10 * power));
        String digits = String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
        return digits + " " + UNITS.charAt(power - 1) + "iB";
    }

    /** As mdadm prints it behind an exact number: {@code 22.00 MiB 23.07 MB}. */
    static String binaryAndDecimal(long bytes) {
        return scaled(bytes, 1024, "iB") + " " + scaled(bytes, 1000, "B");
    }

    private static String scaled(long bytes, int step, String suffix) {
        double value = bytes / (double) step / step;
        String unit = "M";
        if (value >= step) {
            value /= step;
            unit = "G";
            if (value >= step) {
                value /= step;
                unit = "T";
            }
        }
        return String.format(Locale.ROOT, "%.2f %s%s", value, unit, suffix);
    }
}
