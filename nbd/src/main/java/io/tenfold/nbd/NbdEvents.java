package io.tenfold.nbd;

/**
 * What becomes of connections, told for the log. Calls come from the shards' threads, each as it happens; they must be
 * quick and not throw. Never once per request.
 */
public interface NbdEvents {
    /** Whoever wants to know nothing. */
    NbdEvents NONE = new NbdEvents() {};

    /**
     * Somebody has connected.
     *
     * @param connection its number, from 1, by which later events name it
     * @param peer the other side's address; for a UNIX socket that of the listener
     */
    default void connected(long connection, String peer) {}

    /** A connection has chosen an export, by the name that the export has. */
    default void attached(long connection, String peer, String export) {}

    /**
     * A connection has ended.
     *
     * @param reason why, in words
     * @param requests how many requests it has made
     */
    default void closed(long connection, String peer, String reason, long requests) {}

    /** Somebody was turned away before a word was said. */
    default void refused(String peer, String reason) {}
}
