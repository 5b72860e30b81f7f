package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Calls of the C library on sockets. Receiving, sending and accepting go through the ring. */
final class SocketCalls {
    // asm-generic/socket.h and bits/socket.h, the same on x86-64 and AArch64.
    static final int AF_UNIX = 1;
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int SOCK_STREAM = 1;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int SOL_SOCKET = 1;
    static final int SO_REUSEADDR = 2;
    static final int IPPROTO_TCP = 6;
    static final int TCP_NODELAY = 1;
    static final int SO_KEEPALIVE = 9;
    static final int MSG_WAITALL = 0x100;
    static final int MSG_NOSIGNAL = 0x4000;
    private static final int SHUT_RDWR = 2;

    private static final FunctionDescriptor INT_POINTER_INT =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final FunctionDescriptor INT_POINTER_POINTER =
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final FunctionDescriptor INT_INT = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT);

    /** {@code int socket(int family, int type, int protocol)}, socket(2). */
    private static final MethodHandle SOCKET =
            NativeCalls.bind("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));

    /** {@code int bind(int fd, const struct sockaddr *at, socklen_t length)}, bind(2). */
    private static final MethodHandle BIND = NativeCalls.bind("bind", INT_POINTER_INT);

    /** {@code int listen(int fd, int backlog)}, listen(2). */
    private static final MethodHandle LISTEN = NativeCalls.bind("listen", INT_INT);

    /** {@code int setsockopt(int fd, int level, int option, const void *value, socklen_t length)}, setsockopt(2). */
    private static final MethodHandle SETSOCKOPT = NativeCalls.bind(
            "setsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT));

    /** {@code int getsockname(int fd, struct sockaddr *to, socklen_t *length)}, getsockname(2). */
    private static final MethodHandle GETSOCKNAME = NativeCalls.bind("getsockname", INT_POINTER_POINTER);

    /** {@code int getpeername(int fd, struct sockaddr *to, socklen_t *length)}, getpeername(2). */
    private static final MethodHandle GETPEERNAME = NativeCalls.bind("getpeername", INT_POINTER_POINTER);

    /** {@code int shutdown(int fd, int how)}, shutdown(2). */
    private static final MethodHandle SHUTDOWN = NativeCalls.bind("shutdown", INT_INT);

    private SocketCalls() {}

    /** A stream socket; its descriptor, or {@code -errno}. */
    static int streamSocket(MemorySegment capture, int family) {
        try {
            return NativeCalls.result(
                    capture, (int) SOCKET.invokeExact(capture, family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        } catch (Throwable t) {
            throw NativeCalls.broken("socket", t);
        }
    }

    /** Gives a socket an address; 0, or {@code -errno}. */
    static int bind(MemorySegment capture, int fd, MemorySegment address) {
        try {
            return NativeCalls.result(
                    capture, (int) BIND.invokeExact(capture, fd, address.address(), (int) address.byteSize()));
        } catch (Throwable t) {
            throw NativeCalls.broken("bind", t);
        }
    }

    /** Starts to listen; 0, or {@code -errno}. */
    static int listen(MemorySegment capture, int fd, int backlog) {
        try {
            return NativeCalls.result(capture, (int) LISTEN.invokeExact(capture, fd, backlog));
        } catch (Throwable t) {
            throw NativeCalls.broken("listen", t);
        }
    }

    /** Switches an option on; 0, or {@code -errno}. */
    static int switchOn(MemorySegment capture, int fd, int level, int option, MemorySegment scratch) {
        scratch.set(ValueLayout.JAVA_INT, 0, 1);
        try {
            return NativeCalls.result(capture, (int)
                    SETSOCKOPT.invokeExact(capture, fd, level, option, scratch.address(), Integer.BYTES));
        } catch (Throwable t) {
            throw NativeCalls.broken("setsockopt", t);
        }
    }

    /** Writes a socket's own address, whose length goes into an int; 0, or {@code -errno}. */
    static int getsockname(MemorySegment capture, int fd, MemorySegment to, MemorySegment length) {
        try {
            return NativeCalls.result(
                    capture, (int) GETSOCKNAME.invokeExact(capture, fd, to.address(), length.address()));
        } catch (Throwable t) {
            throw NativeCalls.broken("getsockname", t);
        }
    }

    /** Writes the peer's address, whose length goes into an int; 0, or {@code -errno}. */
    static int getpeername(MemorySegment capture, int fd, MemorySegment to, MemorySegment length) {
        try {
            return NativeCalls.result(
                    capture, (int) GETPEERNAME.invokeExact(capture, fd, to.address(), length.address()));
        } catch (Throwable t) {
            throw NativeCalls.broken("getpeername", t);
        }
    }

    /** Cuts a connection in both directions: what is in flight on it ends. 0, or {@code -errno}. */
    static int shutdown(MemorySegment capture, int fd) {
        try {
            return NativeCalls.result(capture, (int) SHUTDOWN.invokeExact(capture, fd, SHUT_RDWR));
        } catch (Throwable t) {
            throw NativeCalls.broken("shutdown", t);
        }
    }
}
