package io.tenfold.queue;

/** The designs of {@link Tags}, as a configuration names them. */
public enum TagDesign {
    /** {@link BitmapTags}, the default. */
    BITMAP,
    /** {@link StealingTags}: caches by shard, from which others take directly (kernel, 2013, after). */
    STEALING,
    /** {@link PurgedTags}: caches by shard, whose owner must be asked (kernel, 2013, before). */
    PURGED,
    /** {@link LockedTags}: one list under one lock. */
    LOCKED,
    /** {@link SemaphoreTags}: what the JDK offers. */
    SEMAPHORE;

    /**
     * Tags of this design, all of them free.
     *
     * @param depth how many, 1 to {@link Tags#DEPTH_MAX}
     * @param shards how many shards will name themselves, above 0
     */
    public Tags create(int depth, int shards) {
        return switch (this) {
            case BITMAP -> new BitmapTags(depth, shards);
            case STEALING -> new StealingTags(depth, shards);
            case PURGED -> new PurgedTags(depth, shards);
            case LOCKED -> new LockedTags(depth, shards);
            case SEMAPHORE -> new SemaphoreTags(depth, shards);
        };
    }
}
