package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** {@code struct sockaddr_in}, {@code sockaddr_in6} and {@code sockaddr_un}, ip(7), ipv6(7) and unix(7). */
final class SockaddrLayout {
    private static final ValueLayout.OfShort BIG_SHORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    /** Longest path of a UNIX socket in bytes, its closing zero included. */
    private static final int PATH_BYTES = 108;

    static final StructLayout INET = MemoryLayout.structLayout(
            JAVA_SHORT.withName("family"),
            BIG_SHORT.withName("port"),
            MemoryLayout.sequenceLayout(4, JAVA_BYTE).withName("address"),
            MemoryLayout.paddingLayout(8));

    static final StructLayout INET6 = MemoryLayout.structLayout(
            JAVA_SHORT.withName("family"),
            BIG_SHORT.withName("port"),
            JAVA_INT.withName("flowinfo"),
            MemoryLayout.sequenceLayout(16, JAVA_BYTE).withName("address"),
            JAVA_INT.withName("scope"));

    static final StructLayout UNIX = MemoryLayout.structLayout(
            JAVA_SHORT.withName("family"),
            MemoryLayout.sequenceLayout(PATH_BYTES, JAVA_BYTE).withName("path"));

    private static final long FAMILY = 0;
    private static final long PORT = INET.byteOffset(PathElement.groupElement("port"));
    private static final long ADDRESS = INET.byteOffset(PathElement.groupElement("address"));
    private static final long ADDRESS6 = INET6.byteOffset(PathElement.groupElement("address"));
    private static final long SCOPE6 = INET6.byteOffset(PathElement.groupElement("scope"));
    private static final long PATH = UNIX.byteOffset(PathElement.groupElement("path"));

    private SockaddrLayout() {}

    /** An address in the kernel's form; the segment is as long as the address. */
    static MemorySegment encode(Arena arena, SocketAddress address) throws SocketException {
        return switch (address) {
            case UnixDomainSocketAddress unix -> encode(arena, unix);
            case InetSocketAddress inet -> encode(arena, inet);
            default -> throw new SocketException("neither an IP address nor a UNIX socket");
        };
    }

    private static MemorySegment encode(Arena arena, UnixDomainSocketAddress address) throws SocketException {
        byte[] path = address.getPath().toString().getBytes(StandardCharsets.UTF_8);
        if (path.length == 0 || path.length >= PATH_BYTES) {
            throw new SocketException(
                    "path of a UNIX socket must be 1 to " + (PATH_BYTES - 1) + " bytes long: bytes=" + path.length);
        }
        MemorySegment to = arena.allocate(UNIX);
        to.set(JAVA_SHORT, FAMILY, (short) SocketCalls.AF_UNIX);
        MemorySegment.copy(path, 0, to, JAVA_BYTE, PATH, path.length);
        return to;
    }

    private static MemorySegment encode(Arena arena, InetSocketAddress address) throws SocketException {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            throw new SocketException("unknown host");
        }
        boolean isSix = ip instanceof Inet6Address;
        MemorySegment to = arena.allocate(isSix ? INET6 : INET);
        to.set(JAVA_SHORT, FAMILY, (short) (isSix ? SocketCalls.AF_INET6 : SocketCalls.AF_INET));
        to.set(BIG_SHORT, PORT, (short) address.getPort());
        byte[] bytes = ip.getAddress();
        MemorySegment.copy(bytes, 0, to, JAVA_BYTE, isSix ? ADDRESS6 : ADDRESS, bytes.length);
        if (ip instanceof Inet6Address six) {
            to.set(JAVA_INT, SCOPE6, six.getScopeId());
        }
        return to;
    }

    /** An IP address from the kernel's form. */
    static InetSocketAddress decodeInet(MemorySegment from) {
        boolean isSix = from.get(JAVA_SHORT, FAMILY) == SocketCalls.AF_INET6;
        byte[] bytes = new byte[isSix ? 16 : 4];
        MemorySegment.copy(from, JAVA_BYTE, isSix ? ADDRESS6 : ADDRESS, bytes, 0, bytes.length);
        try {
            int scope = isSix ? from.get(JAVA_INT, SCOPE6) : 0;
            InetAddress ip =
                    scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
            return new InetSocketAddress(ip, from.get(BIG_SHORT, PORT) & 0xffff);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are always an address", e);
        }
    }
}
