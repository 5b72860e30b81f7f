package io.tenfold.nbd.wire;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Builds what the server says in the handshake. Control path: it allocates. */
final class OptionReplies {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    void clear() {
        bytes.reset();
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }

    void greeting() {
        put(() -> {
            out.writeLong(Wire.NBDMAGIC);
            out.writeLong(Wire.IHAVEOPT);
            out.writeShort(Wire.FIXED_NEWSTYLE | Wire.NO_ZEROES);
        });
    }

    /** The answer to EXPORT_NAME, which has no header. */
    void exportName(ExportFacts facts, int padding) {
        put(() -> {
            out.writeLong(facts.sizeBytes());
            out.writeShort(facts.flags());
            out.write(new byte[padding]);
        });
    }

    void reply(int option, int type) {
        put(() -> head(option, type, 0));
    }

    /** @param why for people */
    void error(int option, int type, String why) {
        byte[] text = why.getBytes(StandardCharsets.UTF_8);
        put(() -> {
            head(option, type, text.length);
            out.write(text);
        });
    }

    void server(int option, Offer offer) {
        byte[] name = offer.name().getBytes(StandardCharsets.UTF_8);
        byte[] description = offer.description().getBytes(StandardCharsets.UTF_8);
        put(() -> {
            head(option, Wire.REP_SERVER, 4 + name.length + description.length);
            out.writeInt(name.length);
            out.write(name);
            out.write(description);
        });
    }

    void exportInfo(int option, ExportFacts facts) {
        put(() -> {
            head(option, Wire.REP_INFO, 12);
            out.writeShort(Wire.INFO_EXPORT);
            out.writeLong(facts.sizeBytes());
            out.writeShort(facts.flags());
        });
    }

    void blockSizes(int option, ExportFacts facts) {
        put(() -> {
            head(option, Wire.REP_INFO, 14);
            out.writeShort(Wire.INFO_BLOCK_SIZE);
            out.writeInt(facts.blockBytesMin());
            out.writeInt(facts.blockBytesPreferred());
            out.writeInt(Wire.PAYLOAD_BYTES_MAX);
        });
    }

    void text(int option, int code, String value) {
        byte[] text = value.getBytes(StandardCharsets.UTF_8);
        put(() -> {
            head(option, Wire.REP_INFO, 2 + text.length);
            out.writeShort(code);
            out.write(text);
        });
    }

    private void head(int option, int type, int length) throws IOException {
        out.writeLong(Wire.OPTION_REPLY_MAGIC);
        out.writeInt(option);
        out.writeInt(type);
        out.writeInt(length);
    }

    private static void put(Writing writing) {
        try {
            writing.write();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
    }

    private interface Writing {
        void write() throws IOException;
    }
}
