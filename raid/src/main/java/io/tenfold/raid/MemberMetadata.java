package io.tenfold.raid;

import static io.tenfold.raid.md.MdSuperblock.SECTOR;

import io.tenfold.raid.md.BadBlockLog;
import io.tenfold.raid.md.BitmapSuperblock;
import io.tenfold.raid.md.DeviceReader;
import io.tenfold.raid.md.MdSuperblock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads what a member keeps beside its superblock: bad-block log and write-intent bitmap. */
final class MemberMetadata {
    /** A log of the largest size that is read. */
    private static final int LOG_BYTES_MAX = BadBlockLog.SECTORS_MAX * SECTOR;

    private MemberMetadata() {}

    /**
     * The ranges that the log names.
     *
     * @param superblock without problems
     * @param warnings gets a line for what cannot be used
     */
    static List<BadRange> badRanges(DeviceReader device, MdSuperblock superblock, List<String> warnings) {
        if (!superblock.badBlockLogInUse()) {
            return List.of();
        }
        long at = superblock.placeBytes() + superblock.badBlockLogOffset() * SECTOR;
        int length = superblock.badBlockLogSize() * SECTOR;
        if (length > LOG_BYTES_MAX || !device.holds(at, length)) {
            return List.of(); // The superblock's own checks have said so.
        }
        List<BadRange> ranges = new ArrayList<>();
        try {
            byte[] log = device.read(at, length);
            for (BadBlockLog.Range range :
                    BadBlockLog.parse(log, superblock.badBlockShift(), device.sizeBytes() / SECTOR, warnings)) {
                ranges.add(new BadRange(range.start() * SECTOR, range.length() * SECTOR));
            }
        } catch (IOException e) {
            warnings.add("bad-block log cannot be read: " + e.getMessage());
        }
        return ranges;
    }

    /** The bitmap, if the superblock, which has no problems, names one. */
    static Optional<BitmapReport> bitmap(DeviceReader device, MdSuperblock superblock) {
        long at = superblock.placeBytes() + superblock.bitmapOffset() * SECTOR;
        if (superblock.bitmapOffset() == 0) {
            return Optional.empty();
        }
        List<String> problems = new ArrayList<>();
        if (!device.holds(at, BitmapSuperblock.HEADER)) {
            return Optional.of(unknown(
                    List.of("bitmap is not within the member: offset=" + at + ", memberBytes=" + device.sizeBytes())));
        }
        try {
            BitmapSuperblock header =
                    new BitmapSuperblock(device.read(at, BitmapSuperblock.HEADER), superblock.setUuid());
            problems.addAll(header.problems());
            long dirty = -1;
            if (problems.isEmpty()) {
                checkPlace(device, superblock, at, header.lengthBytes(), problems);
            }
            if (header.problems().isEmpty() && header.isStale()) {
                problems.add("bitmap says that it is out of date: state=0x" + Integer.toHexString(header.state()));
            }
            if (problems.isEmpty() && header.isPlain()) {
                dirty = countBits(device, at + BitmapSuperblock.HEADER, header.bits());
            } else if (problems.isEmpty() && header.isLockless()) {
                dirty = countChunks(device, at + BitmapSuperblock.LOCKLESS_HEADER, header.bits());
            }
            return Optional.of(report(header, dirty, problems));
        } catch (IOException e) {
            return Optional.of(unknown(List.of("bitmap cannot be read: " + e.getMessage())));
        }
    }

    private static void checkPlace(
            DeviceReader device, MdSuperblock superblock, long at, long length, List<String> problems) {
        if (!device.holds(at, length)) {
            problems.add("bitmap is not within the member: offset=" + at + ", length=" + length + ", memberBytes="
                    + device.sizeBytes());
            return;
        }
        overlap(at, length, "data", superblock.dataOffset() * SECTOR, superblock.dataSize() * SECTOR, problems);
        overlap(at, length, "superblock", superblock.placeBytes(), 4096, problems);
        if (superblock.badBlockLogOffset() != 0) {
            long log = superblock.placeBytes() + superblock.badBlockLogOffset() * SECTOR;
            overlap(at, length, "bad-block log", log, (long) superblock.badBlockLogSize() * SECTOR, problems);
        }
    }

    private static void overlap(
            long at, long length, String other, long otherAt, long otherLength, List<String> problems) {
        if (at < otherAt + otherLength && otherAt < at + length) {
            problems.add("bitmap and " + other + " overlap: bitmap=" + at + "+" + length + ", " + other + "=" + otherAt
                    + "+" + otherLength);
        }
    }

    private static long countBits(DeviceReader device, long at, long bits) throws IOException {
        long count = 0;
        for (long done = 0; done < bits; ) {
            long here = Math.min(bits - done, 8L * DeviceReader.LENGTH_MAX);
            byte[] piece = device.read(at + done / 8, (int) ((here + 7) / 8));
            for (byte b : piece) {
                count += Integer.bitCount(b & 0xff);
            }
            int unused = (int) (8L * piece.length - here); // The bits behind the last mean nothing.
            count -= Integer.bitCount((piece[piece.length - 1] & 0xff) >>> (8 - unused));
            done += here;
        }
        return count;
    }

    /** Lockless: a byte a chunk; 2 dirty, 3 needs sync, 4 syncing. */
    private static long countChunks(DeviceReader device, long at, long chunks) throws IOException {
        long count = 0;
        for (long done = 0; done < chunks; ) {
            int here = (int) Math.min(chunks - done, DeviceReader.LENGTH_MAX);
            for (byte state : device.read(at + done, here)) {
                if (state >= 2) {
                    count++;
                }
            }
            done += here;
        }
        return count;
    }

    private static BitmapReport report(BitmapSuperblock header, long dirty, List<String> problems) {
        return new BitmapReport(
                header.version(),
                MdUuid.of(header.uuid()),
                header.events(),
                header.eventsCleared(),
                header.state(),
                header.chunkBytes(),
                header.daemonSleepSeconds(),
                header.writeBehind(),
                header.syncSectors(),
                header.problems().isEmpty() ? header.bits() : 0,
                dirty,
                problems);
    }

    private static BitmapReport unknown(List<String> problems) {
        return new BitmapReport(0, new MdUuid(0, 0), 0, 0, 0, 0, 0, 0, 0, 0, -1, problems);
    }
}
