package io.tenfold.nbd.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The server's side of the handshake: answers options, and says when it is over. It knows what is offered, not what is
 * behind it: nothing is opened before a client has chosen.
 *
 * <p>Control path: it allocates. Threads: one.
 */
public final class Negotiation {
    /** What follows once the answer has been sent. */
    public enum Next {
        /** The next option. */
        OPTIONS,
        /** Transmission, for {@link #chosen()}. */
        TRANSMISSION,
        /** The end of the connection: {@link #reason()}. */
        CLOSE
    }

    private static final int EXPORT_NAME_PADDING = 124;

    private final OptionReplies replies = new OptionReplies();
    private boolean noZeroes;
    private Offer chosen;
    private String reason;

    /** A handshake whose greeting is the first answer. */
    public Negotiation() {
        replies.greeting();
    }

    /** The client wants, or does without, the padding after EXPORT_NAME. */
    public void clientFlags(boolean withoutZeroes) {
        noZeroes = withoutZeroes;
    }

    /**
     * Answers an option.
     *
     * @param offers what there is; the first is what a client gets that asks for the empty name, unless one has it
     */
    public Next option(int option, MemorySegment in, long offset, int bytes, List<Offer> offers) {
        replies.clear();
        return switch (option) {
            case Wire.OPT_EXPORT_NAME -> exportName(in, offset, bytes, offers);
            case Wire.OPT_ABORT -> {
                replies.reply(option, Wire.REP_ACK);
                yield close("client has taken leave");
            }
            case Wire.OPT_LIST -> list(bytes, offers);
            case Wire.OPT_INFO, Wire.OPT_GO -> info(option, in, offset, bytes, offers);
            default -> refuse(option, Wire.REP_ERR_UNSUP, "option is not supported");
        };
    }

    /** Answers an option whose data was too long to be looked at. */
    public Next tooBig(int option) {
        replies.clear();
        return switch (option) {
            case Wire.OPT_ABORT, Wire.OPT_LIST, Wire.OPT_INFO, Wire.OPT_GO ->
                refuse(option, Wire.REP_ERR_TOO_BIG, "option data is too long");
            default -> refuse(option, Wire.REP_ERR_UNSUP, "option is not supported");
        };
    }

    private Next exportName(MemorySegment in, long offset, int bytes, List<Offer> offers) {
        Offer offer = find(text(in, offset, bytes), offers);
        if (offer == null) { // There is no reply that could say so.
            return close("no such export: name=" + quoted(in, offset, bytes));
        }
        replies.exportName(offer.facts(), noZeroes ? 0 : EXPORT_NAME_PADDING);
        chosen = offer;
        return Next.TRANSMISSION;
    }

    private Next list(int bytes, List<Offer> offers) {
        if (bytes != 0) {
            return refuse(Wire.OPT_LIST, Wire.REP_ERR_INVALID, "LIST takes no data");
        }
        for (Offer offer : offers) {
            replies.server(Wire.OPT_LIST, offer);
        }
        replies.reply(Wire.OPT_LIST, Wire.REP_ACK);
        return Next.OPTIONS;
    }

    /** INFO and GO: name length, name, count, that many information codes. */
    private Next info(int option, MemorySegment in, long offset, int bytes, List<Offer> offers) {
        long nameBytes = bytes < 6 ? -1 : Integer.toUnsignedLong(in.get(Wire.INT, offset));
        if (nameBytes < 0 || nameBytes > bytes - 6) {
            return refuse(option, Wire.REP_ERR_INVALID, "name is longer than the option");
        }
        long codes = offset + 4 + nameBytes;
        int count = Short.toUnsignedInt(in.get(Wire.SHORT, codes));
        if (bytes != 4 + nameBytes + 2 + 2L * count) {
            return refuse(option, Wire.REP_ERR_INVALID, "option has not the length that its counts make");
        }
        if (nameBytes > Wire.NAME_BYTES_MAX) {
            return refuse(option, Wire.REP_ERR_TOO_BIG, "name is too long");
        }
        Offer offer = find(text(in, offset + 4, (int) nameBytes), offers);
        if (offer == null) {
            return refuse(option, Wire.REP_ERR_UNKNOWN, "no such export");
        }
        replies.exportInfo(option, offer.facts());
        replies.blockSizes(option, offer.facts());
        for (int i = 0; i < count; i++) {
            switch (Short.toUnsignedInt(in.get(Wire.SHORT, codes + 2 + 2L * i))) {
                case Wire.INFO_NAME -> replies.text(option, Wire.INFO_NAME, offer.name());
                case Wire.INFO_DESCRIPTION -> replies.text(option, Wire.INFO_DESCRIPTION, offer.description());
                default -> {} // Sent in any case, or unknown and so to be ignored.
            }
        }
        replies.reply(option, Wire.REP_ACK);
        if (option == Wire.OPT_INFO) {
            return Next.OPTIONS;
        }
        chosen = offer;
        return Next.TRANSMISSION;
    }

    private Next refuse(int option, int reply, String why) {
        replies.error(option, reply, why);
        return Next.OPTIONS;
    }

    private Next close(String why) {
        reason = why;
        return Next.CLOSE;
    }

    private static Offer find(String name, List<Offer> offers) {
        for (Offer offer : offers) {
            if (offer.name().equals(name)) {
                return offer;
            }
        }
        return "".equals(name) && !offers.isEmpty() ? offers.getFirst() : null;
    }

    /** The text, or null if it is not UTF-8. */
    private static String text(MemorySegment in, long offset, int bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(in.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE)))
                    .toString();
        } catch (CharacterCodingException _) {
            return null;
        }
    }

    /** A name that a client sent, fit for a line of a log. */
    private static String quoted(MemorySegment in, long offset, int bytes) {
        String text = text(in, offset, Math.min(bytes, 100));
        return text == null ? bytes + " bytes that are not UTF-8" : "\"" + text.replaceAll("\\p{Cntrl}", "?") + "\"";
    }

    /** The answer to be sent: the greeting at first. Valid until the next option. */
    public byte[] answer() {
        return replies.bytes();
    }

    /** What the client has chosen, once {@link Next#TRANSMISSION} follows. */
    public Offer chosen() {
        return chosen;
    }

    /** Why the connection ends, once {@link Next#CLOSE} follows. */
    public String reason() {
        return reason;
    }
}
