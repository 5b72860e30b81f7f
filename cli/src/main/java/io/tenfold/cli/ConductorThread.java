package io.tenfold.cli;

import io.tenfold.base.Reactor;
import io.tenfold.raid.ArrayState;
import io.tenfold.raid.Conductor;
import io.tenfold.raid.RaidDevice;
import io.tenfold.raid.SyncListener;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The thread of an array's conductor, which also resyncs and recovers while the array is served.
 *
 * <p>Threads: any may call its methods.
 */
final class ConductorThread {
    private final CompletableFuture<Conductor> conductor = new CompletableFuture<>();
    private final Consumer<Throwable> onFailure;
    private final Thread thread;

    private ConductorThread(RaidDevice device, Reactor reactor, SyncListener listener, Consumer<Throwable> onFailure) {
        this.onFailure = onFailure;
        thread = Thread.ofPlatform().name("conductor").daemon().unstarted(() -> run(device, reactor, listener));
    }

    /**
     * Starts the thread, which closes the reactor when it ends.
     *
     * @param listener told of passes over the array, on that thread
     * @param onFailure called on the thread if it cannot go on
     */
    static ConductorThread start(
            RaidDevice device, Reactor reactor, SyncListener listener, Consumer<Throwable> onFailure) {
        ConductorThread started = new ConductorThread(device, reactor, listener, onFailure);
        started.thread.start();
        return started;
    }

    private void run(RaidDevice device, Reactor reactor, SyncListener listener) {
        try (reactor;
                Conductor own = new Conductor(device, reactor, listener)) {
            conductor.complete(own);
            while (!own.isStopped()) {
                if (reactor.poll() + own.work() == 0 && !own.isStopped()) { // Its stop counts as no movement.
                    reactor.park(own.parkNanos());
                }
            }
        } catch (Throwable t) {
            onFailure.accept(t);
            conductor.completeExceptionally(t);
        }
    }

    /** How the array is. */
    ArrayState state() {
        return conductor.join().state();
    }

    /** Makes everything stable, marks the array clean, and waits until that is done. No channel may be open any more. */
    void stop() {
        conductor.join().stop();
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
