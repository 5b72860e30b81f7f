package io.tenfold.nbd;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A server on one thread in virtual time, with clients over memory. */
final class ServerUnderTest implements AutoCloseable {
    /** Turns after which a server that is never quiet counts as hanging. */
    private static final int TURNS_MAX = 2_000_000;

    final MemoryReactor reactor;
    final NbdServer server;
    final NbdShard shard;
    final List<String> closed = new ArrayList<>();
    final List<String> refused = new ArrayList<>();
    private final List<MemoryReactor.Client> clients = new ArrayList<>();

    ServerUnderTest(long seed, NbdLimits limits, Export... exports) {
        reactor = new MemoryReactor(seed);
        server = new NbdServer(limits, new NbdEvents() {
            @Override
            public void closed(long connection, String peer, String reason, long requests) {
                closed.add(reason);
            }

            @Override
            public void refused(String peer, String reason) {
                refused.add(reason);
            }
        });
        for (Export export : exports) {
            server.add(export);
        }
        shard = server.shard(reactor);
        try {
            server.listen(shard, InetSocketAddress.createUnresolved("memory", 1));
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }

    ServerUnderTest(TestDevice device) {
        this(1, NbdLimits.usual(), new Export("disk", "a disk", device, false));
    }

    /** One turn of the loop; 0 if nothing happened. */
    int turn() {
        return reactor.poll() + shard.work();
    }

    /** Turns until nothing happens any more. */
    void settle() {
        for (int turns = 0; turn() > 0; turns++) {
            if (turns > TURNS_MAX) {
                throw new AssertionError("never quiet");
            }
        }
    }

    /** Lets time pass, as far as the server would sleep at a time, and serves it. */
    void pass(long nanos) {
        long end = reactor.now + nanos;
        settle();
        while (reactor.now < end) {
            reactor.park(Math.min(end - reactor.now, shard.idleNanosMax()));
            settle();
        }
    }

    /** A client that has said nothing yet, with the greeting still to be read. */
    Session connect() {
        Session session = new Session(reactor.connect());
        clients.add(session.client);
        settle();
        return session;
    }

    /** A client past the greeting and its flags. */
    Session greeted() {
        Session session = connect();
        session.bytes(18);
        session.flags(3);
        settle();
        return session;
    }

    /** A client in transmission. */
    Session attached(String export) {
        Session session = greeted();
        session.option(7, Session.infoData(export));
        settle();
        List<Session.OptionReply> replies = session.optionReplies();
        if (replies.isEmpty() || replies.getLast().type() != 1) {
            throw new AssertionError("export was refused: " + export + ", " + replies);
        }
        return session;
    }

    /** Cuts all clients off and closes the shard, which checks that all memory has come back. */
    @Override
    public void close() {
        clients.forEach(MemoryReactor.Client::reset);
        settle();
        if (!shard.idle()) {
            throw new AssertionError("something is held: connections=" + shard.connections());
        }
        shard.close();
    }
}
