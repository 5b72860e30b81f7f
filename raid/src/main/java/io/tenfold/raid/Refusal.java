package io.tenfold.raid;

import java.util.List;

/**
 * Why something is not done, in words for the user.
 *
 * @param message one line, without the program's name: {@code cannot assemble "db1": …}
 * @param detail one line of facts, {@code name=value} each, or empty
 * @param hints what would help, a line each; may be empty
 */
public record Refusal(String message, String detail, List<String> hints) {
    public Refusal {
        hints = List.copyOf(hints);
    }

    /** The lines as a user sees them, after the program's name. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(message);
        if (!detail.isEmpty()) {
            text.append("\n  detail: ").append(detail);
        }
        for (String hint : hints) {
            text.append("\n  hint: ").append(hint);
        }
        return text.toString();
    }
}
