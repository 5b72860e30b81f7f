package io.tenfold.base;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * The file by which a listening UNIX socket is found: what is in its way before, and its removal afterwards.
 *
 * <p>The file outlives a process that was killed, so one to which nobody listens is replaced. Anything else in the way
 * is left alone: another server's socket, and a file that is no socket.
 */
public final class UnixSocketFile {
    private static final int TYPE_MASK = 0170000; // S_IFMT and S_IFSOCK, inode(7).
    private static final int TYPE_SOCKET = 0140000;

    private final Path path;
    private final Object key;

    private UnixSocketFile(Path path, Object key) {
        this.path = path;
        this.key = key;
    }

    /**
     * Removes a socket file to which nobody listens. To be called before binding.
     *
     * @throws BindException if somebody listens there, or the file is not a socket; the message names it
     */
    public static void removeStale(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!isSocket(path)) {
            throw new BindException("cannot listen, a file that is not a socket is in the way: address=unix:" + path);
        }
        Object before = keyOf(path);
        if (isListenedTo(path)) {
            throw new BindException("cannot listen, address already in use: address=unix:" + path);
        }
        if (before.equals(keyOf(path))) { // Else another server has replaced it meanwhile, and binding will say so.
            Files.deleteIfExists(path);
        }
    }

    /** The file that binding has just made. */
    public static UnixSocketFile bound(Path path) throws IOException {
        return new UnixSocketFile(path, keyOf(path));
    }

    /** Removes the file, unless another one has taken its place. */
    public void remove() {
        try {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && key.equals(keyOf(path))) {
                Files.deleteIfExists(path);
            }
        } catch (IOException _) {
            // It stays as a stale socket, which the next server replaces.
        }
    }

    private static boolean isSocket(Path path) throws IOException {
        if (path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            return (mode & TYPE_MASK) == TYPE_SOCKET;
        }
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther();
    }

    /** Tells one file from another of the same name: the inode, or where there is none the time of its making. */
    private static Object keyOf(Path path) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return attributes.fileKey() != null ? attributes.fileKey() : attributes.creationTime();
    }

    private static boolean isListenedTo(Path path) throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false); // A server whose queue is full would hold a blocking connect.
            probe.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (ConnectException _) {
            return false;
        }
    }
}
