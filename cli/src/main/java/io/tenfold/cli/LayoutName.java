package io.tenfold.cli;

import io.tenfold.raid.Layout;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How layouts are written on the command line, as for mdadm: {@code n2}, {@code f2}, {@code o3}. */
final class LayoutName implements ITypeConverter<Layout> {
    @Override
    public Layout convert(String text) {
        try {
            return parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    /**
     * Reads a layout.
     *
     * @throws IllegalArgumentException if it is none; the message says why
     */
    static Layout parse(String text) {
        String digits = text.isEmpty() ? "" : text.substring(1);
        if (!digits.matches("[1-9][0-9]{0,2}")) {
            throw new IllegalArgumentException(
                    "layout must be n, f or o and the number of copies, such as n2: layout=" + text);
        }
        int copies = Integer.parseInt(digits);
        return switch (text.charAt(0)) {
            case 'n' -> Layout.near(copies);
            case 'f' -> Layout.far(copies);
            case 'o' -> Layout.offset(copies);
            default ->
                throw new IllegalArgumentException("layout must be n (near), f (far) or o (offset): layout=" + text);
        };
    }
}
