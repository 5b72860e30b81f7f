package io.tenfold.queue;

/** The ways to wait for tags that are compared: {@link TagSet}'s with each design, and those that come with the JDK. */
public enum TagWait {
    BITMAP,
    STEALING,
    PURGED,
    LOCKED,
    SEMAPHORE,
    /** {@code Semaphore.acquire} as it comes, and a concurrent queue of tags. */
    OWN_SEMAPHORE,
    /** The same with a fair semaphore. */
    OWN_SEMAPHORE_FAIR,
    /** A list under a monitor, with wait and notifyAll. */
    OWN_MONITOR;

    TagGate create(int depth, int shards) {
        return switch (this) {
            case BITMAP, STEALING, PURGED, LOCKED, SEMAPHORE ->
                new TagGate.OfSet(TagDesign.valueOf(name()), depth, shards);
            case OWN_SEMAPHORE -> new OwnWaits.Permits(depth, false);
            case OWN_SEMAPHORE_FAIR -> new OwnWaits.Permits(depth, true);
            case OWN_MONITOR -> new OwnWaits.Monitor(depth);
        };
    }
}
