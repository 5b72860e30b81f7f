package io.tenfold.nbd;

import io.tenfold.base.Clock;
import io.tenfold.base.NioReactor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A server on threads and sockets of its own, as a program would run it; for tests with real clients. */
final class RunningServer implements AutoCloseable {
    private static final long DRAIN_NANOS = 5_000_000_000L;

    final NbdServer server;

    /** What the server said of its connections, in its order. */
    final ConcurrentLinkedQueue<String> said = new ConcurrentLinkedQueue<>();

    private final Path folder;
    private final Path socket;
    private final List<Loop> loops = new ArrayList<>();
    private URI tcp;

    RunningServer(int shards, NbdLimits limits, Export... exports) {
        try {
            folder = Files.createTempDirectory("tf");
            socket = folder.resolve("nbd.sock");
            server = new NbdServer(limits, new Said());
            for (Export export : exports) {
                server.add(export);
            }
            for (int i = 0; i < shards; i++) {
                loops.add(new Loop(i));
            }
            for (Loop loop : loops) {
                await(loop.ready);
            }
            loops.getFirst().call(shard -> server.listen(shard, UnixDomainSocketAddress.of(socket)));
            SocketAddress at = loops.getFirst()
                    .call(shard -> server.listen(shard, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
            tcp = URI.create("nbd://127.0.0.1:" + ((InetSocketAddress) at).getPort());
        } catch (IOException e) {
            throw new AssertionError("cannot start a server", e);
        }
    }

    RunningServer(Export... exports) {
        this(1, NbdLimits.usual(), exports);
    }

    URI unix(String export) {
        return URI.create("nbd+unix:///" + export + "?socket=" + socket);
    }

    URI tcp(String export) {
        return URI.create(tcp + "/" + export);
    }

    /** Begins to shut down. */
    void drain() {
        server.drain(DRAIN_NANOS);
    }

    /** Does something on the first shard's thread and waits for it. */
    <T> T onShard(OnShard<T> deed) {
        return loops.getFirst().call(deed);
    }

    /** The thread of the first shard. */
    Thread thread() {
        return loops.getFirst().thread;
    }

    @Override
    public void close() {
        drain();
        for (Loop loop : loops) {
            await(loop.ended);
        }
        try {
            Files.delete(folder); // Its socket is gone if the listener was closed.
        } catch (IOException e) {
            throw new AssertionError("socket was left behind", e);
        }
    }

    private static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            throw new AssertionError("a shard failed", e);
        }
    }

    interface OnShard<T> {
        T apply(NbdShard shard) throws IOException;
    }

    /** One shard's thread. */
    private final class Loop {
        final CompletableFuture<NbdShard> ready = new CompletableFuture<>();
        final CompletableFuture<Void> ended = new CompletableFuture<>();
        final Thread thread;

        Loop(int index) {
            thread = Thread.ofPlatform().daemon().name("shard-" + index).start(() -> run(index));
        }

        private void run(int index) {
            try (NioReactor reactor = new NioReactor(index, Clock.system());
                    NbdShard shard = server.shard(reactor)) {
                ready.complete(shard);
                boolean draining = false;
                while (!draining || !shard.idle()) {
                    if (reactor.poll() + shard.work() == 0) {
                        reactor.park(shard.idleNanosMax());
                    }
                    draining |= shard.draining();
                }
                reactor.poll(); // The listeners' closing.
                ended.complete(null);
            } catch (Throwable e) {
                ready.completeExceptionally(e);
                ended.completeExceptionally(e);
            }
        }

        <T> T call(OnShard<T> deed) {
            CompletableFuture<T> result = new CompletableFuture<>();
            NbdShard shard = await(ready);
            shard.reactor().execute(() -> {
                try {
                    result.complete(deed.apply(shard));
                } catch (IOException | RuntimeException e) {
                    result.completeExceptionally(e);
                }
            });
            return await(result);
        }
    }

    private final class Said implements NbdEvents {
        @Override
        public void connected(long connection, String peer) {
            said.add("connected " + connection + " " + peer);
        }

        @Override
        public void attached(long connection, String peer, String export) {
            said.add("attached " + connection + " \"" + export + "\"");
        }

        @Override
        public void closed(long connection, String peer, String reason, long requests) {
            said.add("closed " + connection + " " + reason + " requests=" + requests);
        }

        @Override
        public void refused(String peer, String reason) {
            said.add("refused " + reason);
        }
    }
}
