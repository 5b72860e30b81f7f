package io.tenfold.nbd;

import io.tenfold.base.Reactor;
import io.tenfold.nbd.wire.Offer;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Serves devices over NBD: what is exported, and by which shards. Starts no thread: the owner of each reactor makes a
 * {@link NbdShard} for it and runs the loop.
 *
 * <p>Threads: any, except where it says otherwise.
 */
public final class NbdServer {
    private final NbdLimits limits;
    private final NbdEvents events;
    private final AtomicLong numbers = new AtomicLong();

    private volatile Catalog catalog = new Catalog(List.of(), List.of());
    private final List<Member> members = new CopyOnWriteArrayList<>();
    private final List<Listening> listening = new CopyOnWriteArrayList<>();
    private volatile boolean draining;

    /** A server that exports nothing yet. */
    public NbdServer(NbdLimits limits, NbdEvents events) {
        this.limits = limits;
        this.events = events;
    }

    /**
     * Offers a device from now on. A client that asks for the empty name gets the export of that name, or else the one
     * that was added first.
     *
     * @throws IllegalArgumentException if there is one of that name
     */
    public synchronized void add(Export export) {
        for (Offer offer : catalog.offers()) {
            if (offer.name().equals(export.name())) {
                throw new IllegalArgumentException("export exists already: name=\"" + export.name() + "\"");
            }
        }
        List<Export> exports = new ArrayList<>(catalog.exports());
        List<Offer> offers = new ArrayList<>(catalog.offers());
        exports.add(export);
        offers.add(export.offer());
        catalog = new Catalog(List.copyOf(exports), List.copyOf(offers));
    }

    /** Makes this server's part on a reactor. To be called on the reactor's thread, once. */
    public NbdShard shard(Reactor reactor) {
        NbdShard shard = new NbdShard(this, reactor, limits);
        members.add(new Member(shard));
        return shard;
    }

    /**
     * Listens, and gives each connection to the shard that has the fewest. To be called on that shard's thread, whose
     * reactor must be of the same kind as those of the other shards.
     *
     * @param at an address as {@link Reactor#listen} takes it
     * @return the address it really has
     * @throws IOException if the address is in use or not to be had; the message names it
     */
    public SocketAddress listen(NbdShard on, SocketAddress at) throws IOException {
        Reactor.Listener listener = on.reactor().listen(at, incoming -> dispatch(on, incoming));
        listening.add(new Listening(on, listener));
        return listener.address();
    }

    private void dispatch(NbdShard on, Reactor.Incoming incoming) {
        long all = 0;
        Member fewest = null;
        for (Member member : members) {
            long count = member.connections.get();
            all += count;
            if (fewest == null || count < fewest.connections.get()) {
                fewest = member;
            }
        }
        if (draining || all >= limits.connectionsMax()) {
            events.refused(
                    incoming.peer(),
                    draining ? "server shuts down" : "too many connections: connectionsMax=" + limits.connectionsMax());
            incoming.close();
            return;
        }
        fewest.connections.incrementAndGet();
        NbdShard shard = fewest.shard;
        if (shard == on) {
            shard.accept(incoming);
        } else {
            shard.reactor().execute(() -> shard.accept(incoming));
        }
    }

    /**
     * Begins to shut down: stops listening and drains all shards, each on its own thread. It is over when every shard is
     * {@linkplain NbdShard#idle idle}.
     *
     * @param nanosMax how long clients may take to receive their replies, before they are cut off
     */
    public void drain(long nanosMax) {
        draining = true;
        for (Listening one : listening) {
            one.shard.reactor().execute(one.listener::close);
        }
        for (Member member : members) {
            member.shard.reactor().execute(() -> member.shard.drain(nanosMax));
        }
    }

    // For shards.

    NbdEvents events() {
        return events;
    }

    Catalog catalog() {
        return catalog;
    }

    long nextNumber() {
        return numbers.incrementAndGet();
    }

    void disconnected(NbdShard shard) {
        for (Member member : members) {
            if (member.shard == shard) {
                member.connections.decrementAndGet();
            }
        }
    }

    /** What is exported, at one moment. The lists go side by side. */
    record Catalog(List<Export> exports, List<Offer> offers) {
        Export exportOf(Offer offer) {
            for (int i = 0; i < offers.size(); i++) {
                if (offers.get(i).equals(offer)) {
                    return exports.get(i);
                }
            }
            throw new AssertionError("not offered: " + offer);
        }
    }

    private record Listening(NbdShard shard, Reactor.Listener listener) {}

    /** A shard, and how many connections it has or has been given: a count that others than its thread read and add to. */
    private static final class Member {
        final NbdShard shard;
        final AtomicLong connections = new AtomicLong();

        Member(NbdShard shard) {
            this.shard = shard;
        }
    }
}
