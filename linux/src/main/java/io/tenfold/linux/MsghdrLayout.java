package io.tenfold.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;

/** {@code struct msghdr}, sendmsg(2): the pieces of memory of one message. */
final class MsghdrLayout {
    static final StructLayout LAYOUT = MemoryLayout.structLayout(
            JAVA_LONG.withName("msg_name"),
            JAVA_INT.withName("msg_namelen"),
            MemoryLayout.paddingLayout(4),
            JAVA_LONG.withName("msg_iov"),
            JAVA_LONG.withName("msg_iovlen"),
            JAVA_LONG.withName("msg_control"),
            JAVA_LONG.withName("msg_controllen"),
            JAVA_INT.withName("msg_flags"),
            MemoryLayout.paddingLayout(4));

    static final long IOV = LAYOUT.byteOffset(PathElement.groupElement("msg_iov"));
    static final long IOVLEN = LAYOUT.byteOffset(PathElement.groupElement("msg_iovlen"));

    private MsghdrLayout() {}
}
