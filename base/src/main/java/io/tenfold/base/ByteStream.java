package io.tenfold.base;

import java.lang.foreign.MemorySegment;

/**
 * One connection on one shard. At most one receive and one send are under way at a time; both end by a call of the
 * {@link Handler}, from within {@link Reactor#poll} and never from within the method that started them.
 *
 * <p>Memory given to it is native, and stays untouched by the caller until the handler is called; after {@link #close}
 * it stays untouched until {@link Handler#closed}.
 */
public interface ByteStream {
    /** A handler's outcome: the peer has closed its side. */
    int END = 0;

    /** A handler's outcome: the connection is broken. */
    int BROKEN = -1;

    /**
     * What the owner of a stream is told. The calls come on the stream's own shard and must not throw; they may start the
     * next receive or send, or close.
     */
    interface Handler {
        /**
         * The receive has ended.
         *
         * @param bytes how many were received, 1 or more; {@link #END} or {@link #BROKEN}
         */
        void received(int bytes);

        /**
         * The send has ended.
         *
         * @param ok all parts have been handed to the transport; false: the connection is broken
         */
        void sent(boolean ok);

        /** The stream is closed, nothing is in flight and the memory is the owner's again. Comes exactly once. */
        void closed();
    }

    /**
     * Starts to receive 1 to {@code length} bytes.
     *
     * @param length bytes, above 0, at most 2<sup>30</sup>
     */
    void receive(MemorySegment into, long offset, long length);

    /**
     * Starts to send the parts in order, all of them to the last byte.
     *
     * @param count how many of the arrays' entries count, 1 to {@link #PARTS_MAX}
     */
    void send(MemorySegment[] parts, long[] offsets, long[] lengths, int count);

    /** The most parts that one {@link #send} takes. */
    int PARTS_MAX = 512;

    /**
     * Starts to close. A receive or send under way ends without its own call; {@link Handler#closed} follows. Idempotent.
     * Nothing may be received or sent afterwards.
     */
    void close();

    /** The peer, for messages. */
    String peer();
}
