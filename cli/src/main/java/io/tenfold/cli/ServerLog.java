package io.tenfold.cli;

import io.tenfold.nbd.NbdEvents;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Lines from the threads that serve to the one that prints. Those never wait for the terminal: what does not fit is lost,
 * and counted.
 *
 * <p>Threads: any; one takes.
 */
final class ServerLog implements NbdEvents {
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
