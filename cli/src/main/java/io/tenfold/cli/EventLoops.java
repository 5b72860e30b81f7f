package io.tenfold.cli;

import io.tenfold.base.Clock;
import io.tenfold.base.NioReactor;
import io.tenfold.base.Reactor;
import io.tenfold.linux.RingReactor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The reactors of a server, all of one kind, and what kind that is: io_uring where this machine lets it be used, or else
 * the portable one.
 *
 * @param reactors one for each shard; each thread closes its own
 * @param kind in words, with the reason where it is not the fast one
 */
record EventLoops(List<Reactor> reactors, String kind) {
    EventLoops {
        reactors = List.copyOf(reactors);
    }

    /** Makes reactors for shards 0 to {@code count - 1}. */
    static EventLoops open(int count, Clock clock) throws IOException {
        if (!RingReactor.isAvailable()) {
            return portable(count, clock, RingReactor.unavailableBecause());
        }
        List<Reactor> rings = new ArrayList<>();
        try {
            for (int index = 0; index < count; index++) {
                rings.add(new RingReactor(index, clock));
            }
            return new EventLoops(rings, "io_uring");
        } catch (IOException e) { // Another limit than the one that the probe met, such as locked memory.
            rings.forEach(Reactor::close);
            return portable(count, clock, e.getMessage());
        }
    }

    private static EventLoops portable(int count, Clock clock, String reason) throws IOException {
        List<Reactor> reactors = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            reactors.add(new NioReactor(index, clock));
        }
        return new EventLoops(reactors, "java.nio, as io_uring cannot be used: " + reason);
    }
}
