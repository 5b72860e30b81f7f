package io.tenfold.cli;

import io.tenfold.base.Reactor;
import io.tenfold.nbd.NbdServer;
import io.tenfold.nbd.NbdShard;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * The threads of a server: one for each shard, which polls its reactor, lets NBD work, and parks when neither found
 * anything. Nothing here or below it writes to a log on such a thread while requests are served.
 */
final class ShardThreads {
    private final NbdServer server;
    private final List<Reactor> reactors;
    private final Consumer<Throwable> onFailure;
    private final List<Thread> threads = new ArrayList<>();
    private final List<NbdShard> shards = new ArrayList<>();
    private volatile boolean stopping;

    private ShardThreads(NbdServer server, List<Reactor> reactors, Consumer<Throwable> onFailure) {
        this.server = server;
        this.reactors = reactors;
        this.onFailure = onFailure;
    }

    /**
     * Starts a thread for each reactor, which closes it when it ends.
     *
     * @param onFailure called on a thread that cannot go on
     */
    static ShardThreads start(List<Reactor> reactors, NbdServer server, Consumer<Throwable> onFailure) {
        ShardThreads all = new ShardThreads(server, reactors, onFailure);
        for (Reactor reactor : reactors) {
            CompletableFuture<NbdShard> made = new CompletableFuture<>();
            all.threads.add(Thread.ofPlatform().name("shard-" + reactor.index()).start(() -> all.run(reactor, made)));
            all.shards.add(made.join());
        }
        return all;
    }

    private void run(Reactor reactor, CompletableFuture<NbdShard> made) {
        try (reactor) {
            NbdShard shard = server.shard(reactor);
            made.complete(shard);
            while (!(stopping && shard.draining() && shard.idle())) {
                if (reactor.poll() + shard.work() == 0) {
                    reactor.park(shard.idleNanosMax());
                }
            }
            shard.close();
        } catch (Throwable t) {
            onFailure.accept(t);
            made.completeExceptionally(t);
        }
    }

    /**
     * Listens on the first shard.
     *
     * @return the address that it really has
     */
    SocketAddress listen(SocketAddress at) throws IOException {
        CompletableFuture<SocketAddress> listening = new CompletableFuture<>();
        NbdShard first = shards.getFirst();
        reactors.getFirst().execute(() -> {
            try {
                listening.complete(server.listen(first, at));
            } catch (IOException | RuntimeException e) {
                listening.completeExceptionally(e);
            }
        });
        try {
            return listening.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException("cannot listen", e.getCause());
        }
    }

    /**
     * Takes no new connections, answers what was asked, and waits for all threads to end.
     *
     * @param nanosMax how long clients may take to receive their replies
     */
    void stop(long nanosMax) {
        server.drain(nanosMax);
        stopping = true;
        reactors.forEach(Reactor::wake);
        for (Thread thread : threads) {
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
