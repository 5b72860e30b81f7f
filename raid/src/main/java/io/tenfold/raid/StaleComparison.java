package io.tenfold.raid;

import static io.tenfold.raid.md.MdSuperblock.SECTOR;

import io.tenfold.base.Shard;
import io.tenfold.raid.md.DeviceReader;
import io.tenfold.raid.md.MdSuperblock;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How far a member that was left out has fallen behind: its data against the array's, chunk by chunk. Reads all of the
 * member, writes nothing.
 *
 * @param chunks chunks of the array of which the member holds a copy
 * @param different how many of those differ from the copy that counts
 * @param unreadable how many could not be compared, as one of the two copies cannot be read
 * @param chunkBytes size of a chunk
 */
public record StaleComparison(long chunks, long different, long unreadable, long chunkBytes) {
    /**
     * Compares a member with the array that it was left out of.
     *
     * @param stale one of {@link ArrayPlan#leftOut}
     * @param shard the calling thread's; the call blocks on the devices
     * @throws RefusedException if the member's data cannot be put beside the array's
     */
    public static StaleComparison of(ArrayPlan plan, LeftOut stale, Shard shard) throws RefusedException {
        if (plan.reshape().isPresent()) {
            throw refused(stale, "a reshape is under way");
        }
        if (stale.role() < 0
                || stale.role() >= plan.geometry().members()
                || !stale.member().isMember()) {
            throw refused(stale, stale.text());
        }
        MdSuperblock own = stale.member().superblock().orElseThrow().raw();
        if (own.sizeSectors() * SECTOR < Math.min(plan.geometry().memberBytes(), plan.sizeBytes()) || own.reshaping()) {
            throw refused(stale, "it is of another shape than the array: size=" + own.sizeSectors());
        }
        try (Walk walk = new Walk(plan, stale, shard)) {
            return walk.compare();
        }
    }

    private static RefusedException refused(LeftOut stale, String why) {
        return new RefusedException(
                new Refusal("cannot compare " + stale.member().name() + ": " + why, "", List.of()));
    }

    /** One pass over the member. */
    private static final class Walk implements AutoCloseable {
        private final ArrayPlan plan;
        private final int role;
        private final long staleBase;
        private final DeviceReader stale;
        private final Map<ArrayPlan.Member, DeviceReader> readers = new HashMap<>();

        Walk(ArrayPlan plan, LeftOut left, Shard shard) {
            this.plan = plan;
            role = left.role();
            staleBase = left.member().superblock().orElseThrow().dataOffsetSectors() * SECTOR;
            stale = new DeviceReader(left.member().device(), shard);
            for (ArrayPlan.Member member : plan.members()) {
                if (member.isInSync()) {
                    readers.put(member, new DeviceReader(member.device(), shard));
                }
            }
        }

        StaleComparison compare() {
            Geometry geometry = plan.geometry();
            long chunks = 0;
            long different = 0;
            long unreadable = 0;
            long memberChunks = geometry.memberBytes() / geometry.chunkBytes();
            for (long memberChunk = 0; memberChunk < memberChunks; memberChunk++) {
                long chunk = geometry.arrayChunk(role, memberChunk);
                if (chunk == Geometry.UNUSED || geometry.startOf(chunk) >= plan.sizeBytes()) {
                    continue;
                }
                chunks++;
                try {
                    if (!isSame(chunk, geometry.startOf(memberChunk))) {
                        different++;
                    }
                } catch (IOException _) {
                    unreadable++;
                }
            }
            return new StaleComparison(chunks, different, unreadable, geometry.chunkBytes());
        }

        private boolean isSame(long chunk, long staleAddress) throws IOException {
            Geometry geometry = plan.geometry();
            long length = Math.min(geometry.chunkBytes(), plan.sizeBytes() - geometry.startOf(chunk));
            for (int copy = 0; copy < geometry.copies(); copy++) {
                long place = geometry.locate(chunk, copy);
                for (Map.Entry<ArrayPlan.Member, DeviceReader> entry : readers.entrySet()) {
                    long at = entry.getKey().dataOffsetBytes() + geometry.startOf(Geometry.memberChunk(place));
                    if (entry.getKey().role() == Geometry.role(place) && isGood(entry.getKey(), at, length)) {
                        return isSame(entry.getValue(), at, staleBase + staleAddress, length);
                    }
                }
            }
            throw new IOException("no copy to compare with: chunk=" + chunk);
        }

        private static boolean isGood(ArrayPlan.Member member, long at, long length) {
            return member.badRanges().stream()
                    .noneMatch(r -> at < r.startBytes() + r.lengthBytes() && r.startBytes() < at + length);
        }

        private boolean isSame(DeviceReader current, long at, long staleAt, long length) throws IOException {
            for (long done = 0; done < length; done += DeviceReader.LENGTH_MAX) {
                int piece = (int) Math.min(DeviceReader.LENGTH_MAX, length - done);
                if (!Arrays.equals(current.read(at + done, piece), stale.read(staleAt + done, piece))) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public void close() {
            stale.close();
            readers.values().forEach(DeviceReader::close);
        }
    }
}
