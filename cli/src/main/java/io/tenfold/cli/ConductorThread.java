package io.tenfold.cli;

import io.tenfold.base.Reactor;
import io.tenfold.raid.ArrayState;
import io.tenfold.raid.Conductor;
import io.tenfold.raid.CopyPass;
import io.tenfold.raid.RaidDevice;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The thread of an array's conductor, which first makes the copies agree where the array was not stopped cleanly.
 *
 * <p>Threads: any may call its methods.
 */
final class ConductorThread {
    /** How long it sleeps at most while it shows progress. */
    private static final long PROGRESS_NANOS = 200_000_000;

    private final Console console;
    private final RaidDevice device;
    private final boolean json;
    private final CompletableFuture<Boolean> agreed = new CompletableFuture<>();
    private final Consumer<Throwable> onFailure;
    private final Thread thread;
    private volatile Conductor conductor;
    private volatile boolean brokenOff;

    private ConductorThread(
            Console console, RaidDevice device, Reactor reactor, boolean json, Consumer<Throwable> onFailure) {
        this.console = console;
        this.device = device;
        this.json = json;
        this.onFailure = onFailure;
        thread = Thread.ofPlatform().name("conductor").daemon().unstarted(() -> run(reactor));
    }

    /**
     * Starts the thread, which closes the reactor when it ends.
     *
     * @param json shows progress as JSON
     * @param onFailure called on the thread if it cannot go on
     */
    static ConductorThread start(
            Console console, RaidDevice device, Reactor reactor, boolean json, Consumer<Throwable> onFailure) {
        ConductorThread started = new ConductorThread(console, device, reactor, json, onFailure);
        started.thread.start();
        return started;
    }

    private void run(Reactor reactor) {
        try (reactor;
                Conductor own = new Conductor(device, reactor)) {
            conductor = own;
            boolean toCompare = !device.limits().readOnly() && !device.plan().isClean();
            agreed.complete(!toCompare || compare(own, reactor));
            while (!own.isStopped()) {
                if (reactor.poll() + own.work() == 0 && !own.isStopped()) { // Its stop counts as no movement.
                    reactor.park(own.parkNanos());
                }
            }
        } catch (Throwable t) {
            onFailure.accept(t);
            agreed.completeExceptionally(t);
        }
    }

    private boolean compare(Conductor own, Reactor reactor) {
        console.say("array was not stopped cleanly: comparing its copies first");
        try (CopyPass pass = new CopyPass(device, own)) {
            runToItsEnd(pass, own, reactor);
            if (pass.hasSucceeded()) {
                console.say("copies agree: " + Size.rounded(pass.totalBytes()) + " compared, "
                        + Size.rounded(pass.rewrittenBytes()) + " rewritten"
                        + (pass.unreadableBytes() == 0
                                ? ""
                                : ", " + Size.rounded(pass.unreadableBytes()) + " unreadable on all copies"));
            }
            pass.unwritten().forEach(text -> console.say("copy could not be written: " + text));
            return pass.hasSucceeded();
        }
    }

    private void runToItsEnd(CopyPass pass, Conductor own, Reactor reactor) {
        try (Progress progress = new Progress(console, "compare", pass.totalBytes(), json)) {
            while (!pass.isDone()) {
                if (brokenOff) {
                    console.say("stopped before all copies were compared: the next start begins again");
                    console.err().flush();
                    Runtime.getRuntime()
                            .halt(ExitCode.FAILED); // The members stay marked dirty: the next pass starts over.
                }
                if (reactor.poll() + own.work() + pass.work() == 0) {
                    reactor.park(PROGRESS_NANOS);
                }
                progress.at(pass.doneBytes());
            }
        }
    }

    /** Waits until the copies agree. */
    void awaitAgreement() throws CommandFailure {
        if (!agreed.join()) {
            CommandFailure failure = CommandFailure.refused(
                    "copies cannot be made to agree: array=\"" + device.plan().label() + "\"");
            state().failed().forEach(member -> failure.detail(member.cause()));
            throw failure.hint("--read-only serves it as it is, from the first copy of everything");
        }
    }

    /** Gives up comparing copies and ends the process, if that is what is being done. */
    void breakOff() {
        brokenOff = true;
    }

    /** How the array is. */
    ArrayState state() {
        return conductor.state();
    }

    /** Makes everything stable, marks the array clean, and waits until that is done. No channel may be open any more. */
    void stop() {
        conductor.stop();
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
