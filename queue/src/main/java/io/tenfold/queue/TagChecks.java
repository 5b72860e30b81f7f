package io.tenfold.queue;

/** What is wrong with a number that a user of {@link Tags} gave. */
final class TagChecks {
    private TagChecks() {}

    static void sizes(int depth, int shards) {
        depth(depth, Tags.DEPTH_MAX);
        if (shards < 1 || shards > Tags.DEPTH_MAX) {
            throw new IllegalArgumentException("shards must be 1.." + Tags.DEPTH_MAX + ": shards=" + shards);
        }
    }

    static void depth(int depth, int depthMax) {
        if (depth < 1 || depth > depthMax) {
            throw new IllegalArgumentException("depth must be 1.." + depthMax + ": depth=" + depth);
        }
    }

    static void tag(int tag, int depth) {
        if (tag < 0 || tag >= depth) {
            throw new IllegalArgumentException("tag must be 0..depth-1: tag=" + tag + ", depth=" + depth);
        }
    }

    static IllegalStateException notHeld(int tag, int depth) {
        return new IllegalStateException("released a tag that nobody holds: tag=" + tag + ", depth=" + depth);
    }
}
