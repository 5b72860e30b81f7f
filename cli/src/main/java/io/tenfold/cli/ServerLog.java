package io.tenfold.cli;

import io.tenfold.nbd.NbdEvents;
import io.tenfold.raid.SyncListener;
import io.tenfold.raid.SyncProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Lines from the threads that serve to the one that prints. Those never wait for the terminal: what does not fit is lost,
 * and counted.
 *
 * <p>Threads: any; one takes.
 */
final class ServerLog implements NbdEvents, SyncListener {
    private static final String NOTHING = "";

    private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(256);

    @Override
    public void attached(long connection, String peer, String export) {
        lines.offer("client " + connection + " attached: peer=" + peer);
    }

    @Override
    public void closed(long connection, String peer, String reason, long requests) {
        lines.offer("client " + connection + " gone: peer=" + peer + ", requests=" + requests + ", reason=" + reason);
    }

    @Override
    public void refused(String peer, String reason) {
        lines.offer("client refused: peer=" + peer + ", reason=" + reason);
    }

    @Override
    public void started(SyncProgress progress) {
        lines.offer(SyncText.started(progress));
    }

    @Override
    public void ended(SyncProgress progress, Outcome outcome, List<String> causes) {
        SyncText.ended(progress, outcome, causes).forEach(lines::offer);
    }

    /** The lines that are left. */
    List<String> rest() {
        List<String> rest = new ArrayList<>();
        lines.drainTo(rest);
        rest.removeIf(NOTHING::equals);
        return rest;
    }

    /** Makes {@link #take} return. */
    void wake() {
        lines.offer(NOTHING);
    }

    /** The next line, or null if none comes in time or somebody woke the caller. */
    String take(long millisMax) {
        try {
            String line = lines.poll(millisMax, TimeUnit.MILLISECONDS);
            return NOTHING.equals(line) ? null : line;
        } catch (InterruptedException _) {
            return null;
        }
    }
}
