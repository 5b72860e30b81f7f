package io.tenfold.raid.md;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Looks for superblocks at every place where one may lie. */
public final class SuperblockProbe {
    private SuperblockProbe() {}

    /**
     * What was found.
     *
     * @param superblocks all that begin with the magic; those without problems first, and of those the one whose array
     *     was made last
     * @param unreadable a line for each place at which the device failed
     */
    public record Found(List<MdSuperblock> superblocks, List<String> unreadable) {}

    /** Looks at all four places. A device that fails at one is asked for the others. */
    public static Found probe(DeviceReader device) {
        List<MdSuperblock> found = new ArrayList<>();
        List<String> unreadable = new ArrayList<>();
        for (int minor = 0; minor <= 2; minor++) {
            long place = Superblock1.placeOf(minor, device.sizeBytes());
            byte[] area = area(device, place, "1." + minor, unreadable);
            if (area != null && Superblock1.hasMagic(area) && LittleEndian.u32(area, Superblock1.AT_MAJOR) != 0) {
                found.add(Superblock1.read(area, minor, place, device.sizeBytes()));
            }
        }
        long place = Superblock090.placeOf(device.sizeBytes());
        byte[] area = area(device, place, "0.90", unreadable);
        if (area != null && Superblock090.orderOf(area) != null && LittleEndian.i32(area, 4) == 0) {
            found.add(Superblock090.read(area, place));
        }
        found.sort(
                Comparator.<MdSuperblock, Boolean>comparing(s -> !s.problems().isEmpty())
                        .thenComparing(Comparator.comparingLong(MdSuperblock::createdMicros)
                                .reversed()));
        return new Found(List.copyOf(found), List.copyOf(unreadable));
    }

    private static byte[] area(DeviceReader device, long place, String version, List<String> unreadable) {
        if (place < 0 || !device.holds(place, Superblock1.AREA)) {
            return null;
        }
        try {
            return device.read(place, Superblock1.AREA);
        } catch (IOException e) {
            unreadable.add("place of a " + version + " superblock cannot be read: " + e.getMessage());
            return null;
        }
    }
}
