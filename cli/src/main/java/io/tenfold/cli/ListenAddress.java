package io.tenfold.cli;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Where a server listens, as written on the command line: {@code HOST:PORT}, {@code [IPv6]:PORT}, {@code unix:PATH}, or a
 * path with a slash in it.
 */
final class ListenAddress implements ITypeConverter<SocketAddress> {
    /** What is used where nothing is said: NBD's port, for this machine alone. */
    static final String DEFAULT = "127.0.0.1:10809";

    /** {@code sun_path} of sockaddr_un(7), less its closing zero. */
    private static final int UNIX_PATH_BYTES_MAX = 107;

    @Override
    public SocketAddress convert(String text) {
        try {
            return parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    /**
     * Reads an address.
     *
     * @throws IllegalArgumentException if it is none; the message says why
     */
    static SocketAddress parse(String text) {
        if (text.startsWith("unix:")) {
            return unix(text.substring("unix:".length()));
        }
        return text.indexOf('/') >= 0 ? unix(text) : tcp(text);
    }

    private static SocketAddress unix(String path) {
        int bytes = path.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > UNIX_PATH_BYTES_MAX) {
            throw new IllegalArgumentException("path of a UNIX socket must have 1 to " + UNIX_PATH_BYTES_MAX
                    + " bytes: path=" + path + ", bytes=" + bytes);
        }
        try {
            return UnixDomainSocketAddress.of(Path.of(path));
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("path of a UNIX socket is not valid: path=" + path, e);
        }
    }

    private static SocketAddress tcp(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (host.isEmpty() || (host.indexOf(':') >= 0 && !bracketed)) {
            throw new IllegalArgumentException(
                    "address must be HOST:PORT, [IPv6]:PORT, unix:PATH or a path with a slash: address=" + text);
        }
        int port = port(text.substring(colon + 1), text);
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("host is not known: address=" + text, e);
        }
    }

    private static int port(String digits, String text) {
        try {
            int port = Integer.parseInt(digits);
            if (port >= 0 && port <= 65535 && Character.isDigit(digits.charAt(0))) {
                return port;
            }
        } catch (NumberFormatException _) {
            // Said below.
        }
        throw new IllegalArgumentException("port must be 0 to 65535, 0 for any free one: address=" + text);
    }

    /** Whether only programs of this machine can connect. */
    static boolean isLocal(SocketAddress address) {
        return !(address instanceof InetSocketAddress inet) || inet.getAddress().isLoopbackAddress();
    }

    /** The NBD URI of an export at an address. */
    static String uri(SocketAddress address, String export) {
        return switch (address) {
            case InetSocketAddress inet -> {
                String host = inet.getAddress().getHostAddress();
                yield "nbd://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + inet.getPort() + "/"
                        + escaped(export);
            }
            case UnixDomainSocketAddress unix ->
                "nbd+unix:///" + escaped(export) + "?socket="
                        + escaped(unix.getPath().toAbsolutePath().toString());
            default -> address.toString();
        };
    }

    /** Percent-escapes all that has a meaning in a URI; slashes stay. */
    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c < 128 && (Character.isLetterOrDigit(c) || "-._~/".indexOf(c) >= 0);
            escaped.append(plain ? String.valueOf(c) : "%%%02X".formatted((int) c));
        }
        return escaped.toString();
    }
}
