package io.tenfold.cli;

import io.tenfold.base.NioReactor;
import io.tenfold.base.Reactor;
import io.tenfold.block.BlockDevice;
import io.tenfold.nbd.Export;
import io.tenfold.nbd.NbdLimits;
import io.tenfold.nbd.NbdServer;
import io.tenfold.raid.ArrayPlan;
import io.tenfold.raid.ArrayState;
import io.tenfold.raid.ArrayState.Condition;
import io.tenfold.raid.RaidDevice;
import io.tenfold.raid.SyncProgress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Serves one array from start to stop: a thread for each shard, one for the conductor, and the caller's, which prints what
 * happens and waits for the end.
 */
final class ArrayServer {
    /** How long clients may take to receive what they asked for, once the server is to stop. */
    private static final long DRAIN_NANOS = 5_000_000_000L;

    /** How often it is looked whether a member has failed. */
    private static final long STATE_MILLIS = 1000;

    /** The same while a pass goes over the array, whose progress is shown. */
    private static final long SYNC_MILLIS = 200;

    private final Console console;
    private final ArrayPlan plan;
    private final boolean readOnly;
    private final SocketAddress address;
    private final boolean json;
    private final ServerLog log = new ServerLog();
    private final Set<String> failedBefore = new HashSet<>();

    /** The pass that is shown, and where it began; or null. */
    private SyncProgress sync;

    private Progress progress;
    private long saidReadErrors;
    private long saidWriteErrors;

    ArrayServer(Console console, ArrayPlan plan, boolean readOnly, SocketAddress address, boolean json) {
        this.console = console;
        this.plan = plan;
        this.readOnly = readOnly;
        this.address = address;
        this.json = json;
    }

    /**
     * Finds out whether an address can be had, before anything is written that would have to be undone.
     *
     * @throws CommandFailure if not
     */
    static void requireFree(SocketAddress address, Console console) throws CommandFailure {
        try (NioReactor probe = new NioReactor(0, console.clock())) {
            probe.listen(address, Reactor.Incoming::close).close();
        } catch (IOException e) {
            throw cannotListen(e);
        }
    }

    private static CommandFailure cannotListen(IOException e) {
        return CommandFailure.failed(e.getMessage(), e).hint("--listen takes another address; port 0 is any free one");
    }

    /** Serves until that is to end. */
    int run(Termination termination) throws CommandFailure {
        try {
            EventLoops loops = EventLoops.open(Runtime.getRuntime().availableProcessors() + 1, console.clock());
            RaidDevice device = new RaidDevice(plan, readOnly);
            sayHow(loops);
            ConductorThread conductor =
                    ConductorThread.start(device, loops.reactors().getLast(), log, this::haltDead);
            termination.onWish(log::wake);
            return serve(loops.reactors().subList(0, loops.reactors().size() - 1), device, conductor, termination);
        } catch (IOException e) {
            throw CommandFailure.failed(e.getMessage(), e);
        }
    }

    private int serve(List<Reactor> reactors, RaidDevice device, ConductorThread conductor, Termination termination)
            throws CommandFailure {
        NbdServer server = new NbdServer(NbdLimits.usual(), log);
        server.add(new Export("", plan.label(), device, readOnly));
        server.add(new Export(plan.label(), plan.label(), device, readOnly));
        ShardThreads threads = ShardThreads.start(reactors, server, this::haltDead);
        try {
            sayReady(threads.listen(address));
            while (!termination.isWished()) {
                String line = log.take(sync == null ? STATE_MILLIS : SYNC_MILLIS);
                if (line != null) {
                    say(line);
                }
                sayFailures(conductor.state());
                sayErrors(conductor.state());
                showSync(conductor.state());
            }
        } catch (IOException e) {
            throw cannotListen(e);
        } finally {
            threads.stop(DRAIN_NANOS);
            conductor.stop();
            log.rest().forEach(this::say);
        }
        sayFailures(conductor.state());
        sayErrors(conductor.state());
        return sayEnd(conductor.state());
    }

    /**
     * Ends the process when one of its threads cannot go on: the others would wait for it for ever. The array stays marked
     * as it is, so that the next start compares its copies if there were writes.
     */
    private void haltDead(Throwable failure) {
        console.say("internal error, ended at once: " + failure);
        console.err().flush();
        Runtime.getRuntime().halt(ExitCode.FAILED);
    }

    private void sayHow(EventLoops loops) {
        int shards = loops.reactors().size() - 1;
        BlockDevice member = plan.members().getFirst().report().device();
        console.say(shards + (shards == 1 ? " event loop" : " event loops") + " by " + loops.kind() + "; members by "
                + Members.kind(member, loops.reactors().getFirst()));
    }

    private void sayReady(SocketAddress at) {
        String uri = ListenAddress.uri(at, "");
        if (!ListenAddress.isLocal(at)) {
            console.say("warning: whoever can reach this address can read and write the array: address="
                    + Reactor.nameOf(at));
        }
        if (json) {
            Json.print(
                    console.out(),
                    Json.object(
                            "serving", plan.label(),
                            "uuid", plan.uuid().toString(),
                            "uri", uri,
                            "size", plan.sizeBytes(),
                            "layout", plan.geometry().layout().toString(),
                            "degraded", plan.degraded(),
                            "missingSlots", plan.missing(),
                            "readOnly", readOnly,
                            "process", ProcessHandle.current().pid()));
        } else {
            String missing = plan.missing().isEmpty() ? "" : ", missing slots=" + ArrayText.list(plan.missing());
            String state = (plan.degraded() > 0 ? "degraded" : "whole") + missing + (readOnly ? ", read-only" : "");
            console.out()
                    .println("serving " + plan.label() + " (" + Size.rounded(plan.sizeBytes()) + ", "
                            + ArrayText.shape(plan) + ", " + state + ") at " + uri);
            howToAttach(at, uri).forEach(console.out()::println);
        }
        console.out().flush();
    }

    private static List<String> howToAttach(SocketAddress at, String uri) {
        String client = switch (at) {
            case UnixDomainSocketAddress unix -> "-unix " + unix.getPath().toAbsolutePath();
            case InetSocketAddress inet -> inet.getAddress().getHostAddress() + " " + inet.getPort();
            default -> at.toString();
        };
        return List.of(
                "  look:    nbdinfo '" + uri + "'",
                "  copy:    nbdcopy '" + uri + "' image.raw",
                "  as disk: sudo nbd-client " + client + " /dev/nbd0",
                "  in QEMU: -drive file='" + uri + "',format=raw,if=virtio",
                "  stop:    Ctrl-C");
    }

    /** A line of its own, even where progress is shown in one that changes. */
    private void say(String line) {
        if (progress != null) {
            progress.close();
        }
        console.say(line);
    }

    private void showSync(ArrayState state) {
        SyncProgress now = state.sync().orElse(null);
        if (now == null || sync == null || now.kind() != sync.kind() || now.role() != sync.role()) {
            if (progress != null) {
                progress.close();
            }
            progress = now == null
                    ? null
                    : new Progress(console, SyncText.activity(now.kind()), now.totalBytes() - now.fromBytes(), json);
        }
        sync = now;
        if (now != null) {
            progress.at(now.doneBytes() - now.fromBytes());
        }
    }

    private void sayFailures(ArrayState state) {
        for (ArrayState.FailedMember failed : state.failed()) {
            if (failedBefore.add(failed.name())) {
                say("member failed: " + failed.cause());
                say("array is degraded: slots without a member=" + state.degraded() + " of " + state.roles());
            }
        }
    }

    /** Errors that members gave since the last time, and what came of them. */
    private void sayErrors(ArrayState state) {
        if (state.readErrors() > saidReadErrors) {
            say("members failed to read: errors=" + state.readErrors() + ", answeredByAnotherCopy="
                    + state.readsRescued() + ", lost=" + state.readsLost());
            saidReadErrors = state.readErrors();
        }
        if (state.writeErrors() > saidWriteErrors) {
            say("members failed to write: errors=" + state.writeErrors()
                    + (state.condition() == Condition.UNSYNCED
                            ? "; copies may differ there, so the array stays marked dirty"
                            : ""));
            saidWriteErrors = state.writeErrors();
        }
    }

    private int sayEnd(ArrayState state) {
        if (EnumSet.of(Condition.STOPPED, Condition.READ_ONLY, Condition.CLEAN).contains(state.condition())) {
            console.say("stopped" + (readOnly || !state.copiesAgree() ? "" : ", array is marked clean"));
            return ExitCode.OK;
        }
        console.say("stopped, array could not be marked clean: condition=" + state.condition()
                + (state.condition() == Condition.UNSYNCED ? "; the next start compares its copies" : ""));
        return ExitCode.FAILED;
    }
}
