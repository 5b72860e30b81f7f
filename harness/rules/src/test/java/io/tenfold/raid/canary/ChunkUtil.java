package io.tenfold.raid.canary;

/** Named badly on purpose. */
public final class ChunkUtil {
    private ChunkUtil() {}
}
