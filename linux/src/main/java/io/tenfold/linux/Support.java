package io.tenfold.linux;

import java.nio.ByteOrder;
import java.util.Set;

/** Whether this JVM can make the calls of this module at all. Links nothing itself. */
final class Support {
    private static final Set<String> ARCHITECTURES = Set.of("amd64", "aarch64");

    /** Why not, in words for a log; empty if it can. */
    static final String REASON = reason();

    static final boolean CAN_CALL = REASON.isEmpty();

    private Support() {}

    private static String reason() {
        String system = System.getProperty("os.name");
        String architecture = System.getProperty("os.arch");
        if (!"Linux".equals(system)) {
            return "the operating system is not Linux: " + system;
        }
        if (!ARCHITECTURES.contains(architecture) || ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            return "the layouts of this architecture are not known: " + architecture;
        }
        try {
            return Errno.text(Errno.EIO).isEmpty() ? "the C library answers nothing" : "";
        } catch (IllegalCallerException | LinkageError e) { // Native access denied, or a library without our symbols.
            return "native code may not be called: " + e;
        }
    }
}
