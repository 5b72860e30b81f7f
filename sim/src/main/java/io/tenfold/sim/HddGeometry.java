package io.tenfold.sim;

/**
 * Where the bytes of a spinning disk are: zones of cylinders with equally long tracks, the outermost first; surface by
 * surface within a cylinder. Each track begins a little later in the turn than the one before, by as much as it takes to get
 * there, so that a long transfer does not lose a turn at every track's end.
 *
 * <p>An angle is a time here: the nanoseconds of a turn that pass until this place is under the head, counted from a moment at
 * which the turn's mark was. In whole numbers, so that what follows directly costs exactly nothing.
 */
final class HddGeometry {
    private static final int ZONES = 16;
    private static final long SKEW_MARGIN_NANOS = 20_000;

    final long turnNanos;
    private final int heads;
    private final long headSkew;
    private final long cylinderSkew;
    private final long zoneCylinders;
    private final long[] trackBytes = new long[ZONES];
    private final long[] zoneStart = new long[ZONES + 1];

    HddGeometry(SimHddModel model) {
        turnNanos = model.turnNanos();
        heads = model.heads();
        headSkew = model.headSwitchNanos() + model.writeSettleNanos() + SKEW_MARGIN_NANOS;
        cylinderSkew =
                Math.max(model.headSwitchNanos(), model.seekNanosMin()) + model.writeSettleNanos() + SKEW_MARGIN_NANOS;
        long perTurn = 0;
        for (int zone = 0; zone < ZONES; zone++) {
            double share = zone / (ZONES - 1.0);
            double rate = model.outerBytesPerSecond() * (1 - share) + model.innerBytesPerSecond() * share;
            trackBytes[zone] = (long) (rate * turnNanos / 1e9) / 4096 * 4096;
            perTurn += trackBytes[zone];
        }
        long bytesOfOneCylinderEach = perTurn * heads;
        zoneCylinders = (model.sizeBytes() + bytesOfOneCylinderEach - 1) / bytesOfOneCylinderEach;
        for (int zone = 0; zone < ZONES; zone++) {
            zoneStart[zone + 1] = zoneStart[zone] + zoneCylinders * heads * trackBytes[zone];
        }
    }

    long cylinders() {
        return zoneCylinders * ZONES;
    }

    private int zoneOf(long offset) {
        int zone = 0;
        while (zone < ZONES - 1 && offset >= zoneStart[zone + 1]) {
            zone++;
        }
        return zone;
    }

    /** The track of a byte, counted through all of the disk. */
    long trackOf(long offset) {
        int zone = zoneOf(offset);
        return zone * zoneCylinders * heads + (offset - zoneStart[zone]) / trackBytes[zone];
    }

    long cylinderOf(long track) {
        return track / heads;
    }

    /** How many bytes there are from a byte to its track's end. */
    long leftInTrack(long offset) {
        int zone = zoneOf(offset);
        return trackBytes[zone] - (offset - zoneStart[zone]) % trackBytes[zone];
    }

    /** When in the turn a byte passes the head. */
    long angleOf(long offset) {
        int zone = zoneOf(offset);
        long within = offset - zoneStart[zone];
        long track = zone * zoneCylinders * heads + within / trackBytes[zone];
        return (startAngle(track) + nanosInto(within % trackBytes[zone], zone)) % turnNanos;
    }

    /** How long a range within one track takes to pass. */
    long passNanos(long offset, long length) {
        int zone = zoneOf(offset);
        long from = (offset - zoneStart[zone]) % trackBytes[zone];
        return nanosInto(from + length, zone) - nanosInto(from, zone);
    }

    private long nanosInto(long bytes, int zone) {
        return bytes * turnNanos / trackBytes[zone];
    }

    private long startAngle(long track) {
        long cylinder = track / heads;
        return (cylinder * (cylinderSkew + (heads - 1) * headSkew) + track % heads * headSkew) % turnNanos;
    }
}
