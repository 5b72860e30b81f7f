package io.tenfold.base;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * A reactor on a {@link Selector}: TCP and UNIX sockets on every platform, no native code.
 *
 * <p>In steady state neither a receive nor a send of one part allocates, if the memory given to them is part of the same
 * segment each time and that is not above 2 GiB; a send of several makes about 40 bytes of garbage for each part, within
 * the JDK. Sleeps are rounded up to whole milliseconds, the selector's unit.
 */
public final class NioReactor implements Reactor {
    /** Tasks run in one poll, so that one task that adds another does not keep the streams waiting. */
    private static final int TASKS_MAX = 1024;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final int index;
    private final Clock clock;
    private final Selector selector;
    private final Consumer<SelectionKey> onReady = this::ready;
    private final WakeFlag flag = new WakeFlag();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** Found ready by the last select and not yet served. */
    private final ArrayDeque<Source> ready = new ArrayDeque<>();

    /** Have something to tell that no select will find. */
    private final ArrayDeque<NioStream> ended = new ArrayDeque<>();

    /** Those that could not accept a while ago. */
    private final List<NioListener> pausedListeners = new ArrayList<>();

    /**
     * A reactor with nothing to serve yet.
     *
     * @param index the shard's number, from 0
     * @throws IOException if the machine gives no selector
     */
    public NioReactor(int index, Clock clock) throws IOException {
        if (index < 0) {
            throw new IllegalArgumentException("a shard's index counts from 0: index=" + index);
        }
        this.index = index;
        this.clock = clock;
        selector = Selector.open();
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        wake();
    }

    @Override
    public void wake() {
        if (flag.wake()) {
            selector.wakeup();
        }
    }

    @Override
    public Listener listen(SocketAddress at, Consumer<Incoming> onConnect) throws IOException {
        NioListener listener = new NioListener(this, at, onConnect);
        register(listener.channel(), SelectionKey.OP_ACCEPT, listener);
        return listener;
    }

    @Override
    public ByteStream adopt(Incoming connection, ByteStream.Handler handler) {
        NioListener.NioIncoming incoming = (NioListener.NioIncoming) connection;
        SocketChannel channel = incoming.channel();
        NioStream stream = new NioStream(this, channel, handler, incoming.peer());
        try {
            channel.configureBlocking(false);
            register(channel, 0, stream);
        } catch (IOException e) {
            throw new IllegalStateException("cannot adopt a closed connection: peer=" + incoming.peer(), e);
        }
        try {
            if (incoming.listener() instanceof InetSocketAddress) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            }
        } catch (IOException _) {
            // The peer is gone already: the first receive says so.
        }
        return stream;
    }

    private void register(SelectableChannel channel, int ops, Source source) throws ClosedChannelException {
        source.key = channel.register(selector, ops, source);
    }

    /** Called by the selector for each key that is ready. */
    private void ready(SelectionKey key) {
        Source source = (Source) key.attachment();
        if (source.readyOps == 0) {
            ready.add(source);
        }
        source.readyOps |= key.readyOps();
    }

    /** A stream has ended something by itself, which the next poll tells its handler. */
    void ended(NioStream stream) {
        ended.add(stream);
    }

    /** A listener must be asked now and then whether its pause is over. */
    void paused(NioListener listener) {
        pausedListeners.add(listener);
    }

    @Override
    public int poll() {
        int calls = runTasks();
        if (ready.isEmpty()) {
            select(0);
        }
        Source source;
        while ((source = ready.poll()) != null) { // Only a select adds to it.
            int ops = source.readyOps;
            source.readyOps = 0;
            calls += source.serve(ops);
        }
        for (int left = ended.size(); left > 0; left--) {
            calls += ended.remove().tellEnded();
        }
        return calls;
    }

    private int runTasks() {
        int count = 0;
        Runnable task;
        while (count < TASKS_MAX && (task = tasks.poll()) != null) {
            task.run();
            count++;
        }
        return count;
    }

    @Override
    public void park(long nanosMax) {
        boolean mayTellNothing = ready.isEmpty() && ended.isEmpty() && tasks.isEmpty();
        if (mayTellNothing && nanosMax > 0 && flag.enter()) {
            select(Math.min(nanosMax, untilResume()));
        }
        flag.leave();
    }

    /** Nanoseconds until a listener that could not accept should try again. */
    private long untilResume() {
        long nanos = Long.MAX_VALUE;
        for (int i = pausedListeners.size() - 1; i >= 0; i--) {
            long left = pausedListeners.get(i).pausedNanos(clock.nanos());
            if (left == 0) {
                pausedListeners.remove(i);
            } else {
                nanos = Math.min(nanos, left);
            }
        }
        return nanos;
    }

    private void select(long nanosMax) {
        try {
            if (nanosMax <= 0) {
                selector.selectNow(onReady);
            } else if (nanosMax == Long.MAX_VALUE) {
                selector.select(onReady);
            } else {
                selector.select(onReady, Math.ceilDiv(nanosMax, NANOS_PER_MILLI));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("selector failed: shard=" + index, e);
        }
    }

    @Override
    public void close() {
        if (!selector.isOpen()) {
            return;
        }
        for (SelectionKey key : List.copyOf(selector.keys())) {
            if (key.attachment() instanceof NioListener listener) {
                listener.close();
            } else {
                closeQuietly(key.channel());
            }
        }
        closeQuietly(selector);
    }

    static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception _) {
            // The descriptor is gone in any case; close reports errors of writes, of which there are none.
        }
    }

    /** Something registered with the selector. */
    abstract static class Source {
        SelectionKey key;

        /** What the last select found, until it is served. */
        int readyOps;

        /** Does what has become possible; answers how many calls it made. */
        abstract int serve(int ops);
    }
}
