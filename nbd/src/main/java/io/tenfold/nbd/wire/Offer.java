package io.tenfold.nbd.wire;

import java.nio.charset.StandardCharsets;

/**
 * An export as the handshake offers it.
 *
 * @param name by which clients ask for it; may be empty
 * @param description for people; may be empty
 */
public record Offer(String name, String description, ExportFacts facts) {
    public Offer {
        requireFits("name", name);
        requireFits("description", description);
    }

    private static void requireFits(String what, String text) {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > Wire.NAME_BYTES_MAX || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(what + " of an export must be at most " + Wire.NAME_BYTES_MAX
                    + " bytes without NUL: " + what + "=\"" + text + "\", bytes=" + bytes);
        }
    }
}
