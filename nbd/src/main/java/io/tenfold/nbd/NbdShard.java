package io.tenfold.nbd;

import io.tenfold.base.BufferPool;
import io.tenfold.base.BufferPool.Buffer;
import io.tenfold.base.Reactor;
import io.tenfold.nbd.wire.Offer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The server's part on one reactor: its connections, its channels to the exports' devices, its memory.
 *
 * <p>The loop's owner calls {@link Reactor#poll}, then {@link #work}, and parks for at most {@link #idleNanosMax} when
 * neither found anything. All methods belong to that thread.
 */
public final class NbdShard implements AutoCloseable {
    private final NbdServer server;
    private final Reactor reactor;
    private final NbdLimits limits;
    private final BufferPool pool = new BufferPool();

    private final List<Connection> connections = new ArrayList<>();
    private final List<ExportChannel> targets = new ArrayList<>();

    /** In the order in which they connected, hence of their deadlines. Those that are over it leave when they are first. */
    private final ArrayDeque<Connection> handshakes = new ArrayDeque<>();

    /** Have replies to send; want to go on taking requests. */
    private final ArrayDeque<Connection> toFlush = new ArrayDeque<>();

    private final ArrayDeque<Connection> toResume = new ArrayDeque<>();

    private Command freeCommands;

    /** What the buffers of all commands count, against {@link NbdLimits#memoryBytesMax}. */
    private long reservedBytes;

    /** Wait for memory, in order: a newcomer does not overtake. */
    private final ArrayDeque<Connection> memoryWaiters = new ArrayDeque<>();

    private long stallCheckNanos;

    private boolean draining;

    /** When those that are left are cut off; none once that has been done. */
    private boolean drainTimed;

    private long drainDeadlineNanos;
    private boolean closed;

    NbdShard(NbdServer server, Reactor reactor, NbdLimits limits) {
        this.server = server;
        this.reactor = reactor;
        this.limits = limits;
    }

    /** The reactor on which this works. */
    public Reactor reactor() {
        return reactor;
    }

    /** Serves a connection that a reactor of this one's kind has accepted. */
    public void accept(Reactor.Incoming incoming) {
        if (draining) {
            incoming.close();
            server.disconnected(this);
            return;
        }
        Connection connection = new Connection(this, server.nextNumber());
        connection.place = connections.size();
        connections.add(connection);
        connection.deadlineNanos = reactor.clock().nanos() + limits.handshakeNanosMax();
        handshakes.add(connection);
        connection.start(reactor.adopt(incoming, connection));
        server.events().connected(connection.number, connection.peer());
    }

    /**
     * Moves everything on by what can be done now: hands requests to the devices, takes what they have completed, sends
     * replies.
     *
     * @return how much happened; 0 for nothing, so that the owner may park
     */
    public int work() {
        int moved = 0;
        for (int i = 0; i < targets.size(); i++) {
            moved += targets.get(i).turn();
        }
        moved += flushAll();
        moved += resumeAll();
        moved += serveMemoryWaiters();
        for (int i = 0; i < targets.size(); i++) {
            targets.get(i).commit();
        }
        return moved + timers();
    }

    private int flushAll() {
        int count = toFlush.size();
        for (int i = 0; i < count; i++) {
            Connection connection = toFlush.remove();
            connection.flushQueued = false;
            connection.flush();
        }
        return count;
    }

    private int resumeAll() {
        int count = toResume.size();
        for (int i = 0; i < count; i++) {
            Connection connection = toResume.remove();
            connection.resumeQueued = false;
            connection.resume();
        }
        return count;
    }

    /** Lets those that wait for memory go on, as long as there is what the first of them wants. */
    private int serveMemoryWaiters() {
        int count = 0;
        Connection first = memoryWaiters.peek();
        while (first != null && reservedBytes + first.wantedBytes <= limits.memoryBytesMax()) {
            memoryWaiters.remove();
            first.waitsForMemory = false;
            first.granted = true;
            first.resume();
            first.granted = false;
            count++;
            first = memoryWaiters.peek();
        }
        return count;
    }

    /** How long the reactor may be parked, in nanoseconds: until a time limit is reached that this watches. */
    public long idleNanosMax() {
        long due = nextTimer();
        return due == Long.MAX_VALUE ? due : Math.max(0, due);
    }

    /** Nanoseconds until the next time limit, {@link Long#MAX_VALUE} if there is none. Reads no clock if there is none. */
    private long nextTimer() {
        if (handshakes.isEmpty() && memoryWaiters.isEmpty() && !drainTimed) {
            return Long.MAX_VALUE;
        }
        long now = reactor.clock().nanos();
        long due = Long.MAX_VALUE;
        if (!handshakes.isEmpty()) {
            due = Math.min(due, handshakes.peek().deadlineNanos - now);
        }
        if (!memoryWaiters.isEmpty()) {
            due = Math.min(due, stallCheckNanos - now);
        }
        if (drainTimed) {
            due = Math.min(due, drainDeadlineNanos - now);
        }
        return due;
    }

    private int timers() {
        while (!handshakes.isEmpty() && !handshakes.peek().inHandshake()) {
            handshakes.remove();
        }
        if (nextTimer() > 0) {
            return 0;
        }
        long now = reactor.clock().nanos();
        int count = 0;
        if (!handshakes.isEmpty() && handshakes.peek().deadlineNanos - now <= 0) {
            handshakes.remove().abort("client did not finish the handshake in time");
            count++;
        }
        if (!memoryWaiters.isEmpty() && stallCheckNanos - now <= 0) {
            count += cutStalled(now);
        }
        if (drainTimed && drainDeadlineNanos - now <= 0) {
            drainTimed = false;
            count += connections.size();
            for (int i = connections.size() - 1; i >= 0; i--) {
                connections.get(i).abort("server shuts down, and the client took too long");
            }
        }
        return count;
    }

    /** While somebody waits for memory: cuts those off that hold some and have left it lying for too long. */
    private int cutStalled(long now) {
        int cut = 0;
        for (int i = connections.size() - 1; i >= 0; i--) {
            Connection connection = connections.get(i);
            if (connection.progress != connection.progressSeen || !connection.waitsForClient()) {
                connection.progressSeen = connection.progress;
                connection.progressSeenNanos = now;
            } else if (connection.reservedBytes > 0 && now - connection.progressSeenNanos >= limits.stallNanosMax()) {
                connection.abort("client leaves memory lying that others wait for");
                cut++;
            }
        }
        stallCheckNanos = now + stallCheckInterval();
        return cut;
    }

    private long stallCheckInterval() {
        return Math.max(1, limits.stallNanosMax() / 4);
    }

    /**
     * Begins to shut down: takes no new connections, answers new requests with ESHUTDOWN, and closes each connection once
     * it has been answered what it asked for before.
     *
     * @param nanosMax how long clients may take to receive their replies, before they are cut off
     */
    public void drain(long nanosMax) {
        if (draining) {
            return;
        }
        draining = true;
        drainTimed = true;
        drainDeadlineNanos = reactor.clock().nanos() + nanosMax;
        for (int i = connections.size() - 1; i >= 0; i--) {
            connections.get(i).drain();
        }
    }

    /** Whether this has begun to shut down. */
    public boolean draining() {
        return draining;
    }

    /** Whether nothing is left: no connection, and no request in a device. */
    public boolean idle() {
        int inFlight = 0;
        for (ExportChannel target : targets) {
            inFlight += target.inFlight();
        }
        return connections.isEmpty() && inFlight == 0;
    }

    /** How many connections there are. */
    public int connections() {
        return connections.size();
    }

    /** Closes the channels and frees the memory; {@link #idle} must hold. The reactor stays open. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            assert idle() : "closed while in use: connections=" + connections.size();
            closed = true;
            targets.forEach(ExportChannel::close);
            assert pool.outBytes() == 0 : "memory was not given back: bytes=" + pool.outBytes();
            pool.close();
        }
    }

    // For connections.

    BufferPool pool() {
        return pool;
    }

    List<Offer> offers() {
        return server.catalog().offers();
    }

    /** The channel to what has been chosen; opened when it is chosen first. */
    ExportChannel target(Offer offer) {
        for (ExportChannel target : targets) {
            if (target.offer.equals(offer)) {
                return target;
            }
        }
        ExportChannel opened = new ExportChannel(server.catalog().exportOf(offer), offer, reactor, pool);
        targets.add(opened);
        return opened;
    }

    Command takeCommand() {
        Command command = freeCommands;
        if (command == null) {
            return new Command();
        }
        freeCommands = command.next;
        command.next = null;
        return command;
    }

    /**
     * Counts memory for a command in. If there is none, the connection is resumed when there is.
     *
     * @return whether it may go on
     */
    boolean reserve(Connection connection, long bytes) {
        if (connection.reservedBytes + bytes > limits.connectionBytesMax()) {
            return bytes == 0; // It has some, whose release resumes it.
        }
        boolean overtakes = !memoryWaiters.isEmpty() && !connection.granted;
        boolean mustWait = bytes > 0 && (overtakes || reservedBytes + bytes > limits.memoryBytesMax());
        if (mustWait) {
            waitForMemory(connection, bytes);
            return false;
        }
        connection.granted = false;
        reservedBytes += bytes;
        connection.reservedBytes += bytes;
        return true;
    }

    private void waitForMemory(Connection connection, long bytes) {
        if (memoryWaiters.isEmpty()) {
            long now = reactor.clock().nanos();
            stallCheckNanos = now + stallCheckInterval();
            for (int i = 0; i < connections.size(); i++) {
                connections.get(i).progressSeenNanos = now;
            }
        }
        connection.wantedBytes = bytes;
        connection.waitsForMemory = true;
        memoryWaiters.add(connection);
    }

    void releaseBuffers(Command command) {
        for (int i = 0; i < command.bufferCount; i++) {
            Buffer buffer = command.buffers[i];
            command.buffers[i] = null;
            pool.release(buffer);
        }
        command.bufferCount = 0;
        reservedBytes -= command.reservedBytes;
        command.connection.reservedBytes -= command.reservedBytes;
        command.reservedBytes = 0;
    }

    void release(Command command) {
        assert !command.inDevice : "released while in the device: " + command;
        releaseBuffers(command);
        command.connection = null;
        command.next = freeCommands;
        freeCommands = command;
    }

    void flushSoon(Connection connection) {
        if (!connection.flushQueued) {
            connection.flushQueued = true;
            toFlush.add(connection);
        }
    }

    void resumeSoon(Connection connection) {
        if (!connection.resumeQueued) {
            connection.resumeQueued = true;
            toResume.add(connection);
        }
    }

    void attached(Connection connection, String export) {
        server.events().attached(connection.number, connection.peer(), export);
    }

    /** The connection wants nothing more. */
    void closing(Connection connection) {
        if (connection.waitsForMemory) {
            connection.waitsForMemory = false;
            memoryWaiters.remove(connection);
        }
    }

    void closed(Connection connection) {
        Connection last = connections.removeLast();
        if (last != connection) {
            last.place = connection.place;
            connections.set(last.place, last);
        }
        server.disconnected(this);
        server.events().closed(connection.number, connection.peer(), connection.closeReason(), connection.requests());
    }
}
