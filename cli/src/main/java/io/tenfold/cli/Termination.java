package io.tenfold.cli;

import io.tenfold.base.Clock;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The wish that a server ends. The first one lets it finish its work; a second one comes from somebody who does not want
 * to wait for that.
 *
 * <p>Threads: any.
 */
final class Termination {
    private static final long ONE_WISH_NANOS = 250_000_000;

    private final AtomicInteger wishes = new AtomicInteger();
    private final Runnable atOnce;
    private volatile Runnable onWish = () -> {};

    /**
     * No wish yet.
     *
     * @param atOnce what a second wish does
     */
    Termination(Runnable atOnce) {
        this.atOnce = atOnce;
    }

    /** One that the process's signals wish. The second signal ends the process where it stands. */
    static Termination bySignals() {
        Clock clock = Clock.system();
        AtomicLong first = new AtomicLong(Long.MAX_VALUE);
        Termination termination = new Termination(() -> Runtime.getRuntime().halt(ExitCode.FAILED));
        Signals.onTermination(() -> {
            long now = clock.nanos();
            // One wish may come as two signals: to the process and to its group.
            if (first.compareAndSet(Long.MAX_VALUE, now) || now - first.get() > ONE_WISH_NANOS) {
                termination.wish();
            }
        });
        return termination;
    }

    /** Somebody wishes it. */
    void wish() {
        if (wishes.getAndIncrement() > 0) {
            atOnce.run();
        }
        onWish.run();
    }

    boolean isWished() {
        return wishes.get() > 0;
    }

    /** Has something run when it is wished, at once if it is already. */
    void onWish(Runnable action) {
        onWish = action;
        if (isWished()) {
            action.run();
        }
    }
}
