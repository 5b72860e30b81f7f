package io.tenfold.cli;

import io.tenfold.raid.BadRange;
import io.tenfold.raid.BitmapReport;
import io.tenfold.raid.Geometry;
import io.tenfold.raid.Layout;
import io.tenfold.raid.MemberReport;
import io.tenfold.raid.Superblock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A member's report in the words that mdadm's users know, line by line. */
final class MemberText {
    private static final long SECTOR = 512;
    private static final int BAD_RANGES_SHOWN = 16;

    private final List<String> lines = new ArrayList<>();

    private MemberText() {}

    /** What one device is. */
    static List<String> of(MemberReport member) {
        MemberText text = new MemberText();
        text.lines.add(member.name() + ":");
        member.superblock().ifPresent(superblock -> text.superblock(superblock, member));
        text.rest(member);
        return text.lines;
    }

    private void add(String name, Object value) {
        lines.add("%17s : %s".formatted(name, value));
    }

    private void gap() {
        lines.add("");
    }

    private void superblock(Superblock superblock, MemberReport member) {
        add("Magic", "a92b4efc");
        add("Version", superblock.version() + (superblock.bigEndian() ? " (big-endian)" : ""));
        if (!superblock.version().startsWith("0")) {
            add("Feature Map", "0x" + Integer.toHexString(superblock.featureMap()));
        }
        add("Array UUID", superblock.arrayUuid());
        if (!superblock.name().isEmpty()) {
            add("Name", superblock.name());
        }
        add("Creation Time", Times.shown(superblock.createdMicros()));
        add("Raid Level", levelName(superblock.level()));
        add("Raid Devices", superblock.raidDisks());
        gap();
        sizes(superblock);
        add(
                "State",
                superblock.isClean()
                        ? "clean"
                        : "active, not known to be in step from sector " + superblock.resyncOffsetSectors() + " on");
        superblock.deviceUuid().ifPresent(uuid -> add("Device UUID", uuid));
        if (superblock.isReshaping()) {
            reshape(superblock);
        }
        gap();
        member.bitmap().ifPresent(bitmap -> bitmap(superblock, bitmap));
        add("Update Time", Times.shown(superblock.updatedMicros()));
        if (superblock.badBlockLogSectors() > 0) {
            badBlocks(superblock, member.badRanges());
        }
        add("Checksum", checksum(superblock));
        add("Events", superblock.events());
        gap();
        if (superblock.level() == 10) {
            add("Layout", layout(superblock.layout().map(Layout::toString), superblock.layoutWord()));
        }
        if (superblock.chunkSectors() > 0) {
            add("Chunk Size", Size.exact(superblock.chunkSectors() * SECTOR));
        }
        gap();
        add("Device Role", role(superblock, superblock.ownRole()) + flags(superblock));
        add("Array State", superblock.arrayState() + " ('A' == active, '.' == missing, 'R' == replacing)");
    }

    private void sizes(Superblock superblock) {
        add("Avail Dev Size", sectors(superblock.dataSizeSectors()));
        arrayBytes(superblock).ifPresent(bytes -> add("Array Size", kibibytes(bytes)));
        add("Used Dev Size", sectors(superblock.sizeSectors()));
        if (!superblock.version().startsWith("0")) {
            add("Data Offset", superblock.dataOffsetSectors() + " sectors");
            if (superblock.newOffsetSectors() != 0) {
                add("New Offset", superblock.dataOffsetSectors() + superblock.newOffsetSectors() + " sectors");
            }
        }
        add("Super Offset", superblock.superOffsetSectors() + " sectors");
        if (superblock.isRecovering()) {
            add("Recovery Offset", superblock.recoveryOffsetSectors() + " sectors");
        }
    }

    private void reshape(Superblock superblock) {
        gap();
        add(
                "Reshape pos'n",
                sectors(superblock.reshapePositionSectors()) + (superblock.reshapesBackwards() ? ", backwards" : ""));
        if (superblock.deltaDisks() != 0) {
            long before = superblock.raidDisks() - superblock.deltaDisks();
            add("Delta Devices", superblock.deltaDisks() + " (" + before + "->" + superblock.raidDisks() + ")");
        }
        if (superblock.newLayoutWord() != superblock.layoutWord()) {
            add("New Layout", layout(superblock.newLayout().map(Layout::toString), superblock.newLayoutWord()));
        }
        if (superblock.newChunkSectors() != superblock.chunkSectors()) {
            add("New Chunksize", Size.exact(superblock.newChunkSectors() * SECTOR));
        }
    }

    private void bitmap(Superblock superblock, BitmapReport bitmap) {
        String dirty = bitmap.dirty() < 0 ? "" : ", " + bitmap.dirty() + " of " + bitmap.bits() + " chunks dirty";
        add(
                "Internal Bitmap",
                superblock.bitmapOffsetSectors() + " sectors from superblock, chunks of "
                        + Size.exact(bitmap.chunkBytes()) + ", events " + bitmap.events() + dirty);
    }

    private void badBlocks(Superblock superblock, List<BadRange> ranges) {
        long entries = superblock.badBlockLogSectors() * SECTOR / Long.BYTES;
        add(
                "Bad Block Log",
                entries + " entries available at offset " + superblock.badBlockLogOffsetSectors() + " sectors"
                        + (ranges.isEmpty() ? "" : " - bad blocks present"));
        for (BadRange range : ranges.subList(0, Math.min(BAD_RANGES_SHOWN, ranges.size()))) {
            add("Bad Blocks", range.lengthBytes() / SECTOR + " sectors at sector " + range.startBytes() / SECTOR);
        }
        if (ranges.size() > BAD_RANGES_SHOWN) {
            add("Bad Blocks", "and " + (ranges.size() - BAD_RANGES_SHOWN) + " ranges more");
        }
    }

    private void rest(MemberReport member) {
        if (member.superblock().isPresent()
                && !(member.findings().isEmpty()
                        && member.warnings().isEmpty()
                        && member.problems().isEmpty())) {
            gap();
        }
        member.problems().forEach(problem -> add("Problem", problem));
        member.warnings().forEach(warning -> add("Warning", warning));
        member.findings().forEach(finding -> add("Found", finding));
    }

    private static String checksum(Superblock superblock) {
        String stored = Integer.toHexString(superblock.storedChecksum());
        return superblock.storedChecksum() == superblock.computedChecksum()
                ? stored + " - correct"
                : stored + " - expected " + Integer.toHexString(superblock.computedChecksum());
    }

    private static String layout(Optional<String> words, int word) {
        return words.orElse("0x" + Integer.toHexString(word) + " (not valid)");
    }

    private static String flags(Superblock superblock) {
        return (superblock.isReplacement() ? ", replacement" : "")
                + (superblock.isWriteMostly() ? ", write-mostly" : "")
                + (superblock.isFailFast() ? ", failfast" : "");
    }

    /** A member's place in the array. */
    static String role(Superblock superblock, int role) {
        return switch (role) {
            case Superblock.ROLE_SPARE -> "spare";
            case Superblock.ROLE_FAULTY -> "faulty";
            case Superblock.ROLE_JOURNAL -> "Journal";
            default -> superblock.isActive(role) ? "Active device " + role : "spare";
        };
    }

    /** The array's size by this superblock, if there can be such an array. */
    private static OptionalLong arrayBytes(Superblock superblock) {
        if (superblock.level() == 1) {
            return OptionalLong.of(superblock.sizeSectors() * SECTOR);
        }
        try {
            Geometry geometry = new Geometry(
                    superblock.layout().orElseThrow(),
                    Math.toIntExact(superblock.raidDisks()),
                    superblock.chunkSectors() * SECTOR,
                    superblock.sizeSectors() * SECTOR);
            return OptionalLong.of(geometry.arrayBytes());
        } catch (RuntimeException _) { // Another level, or numbers that make no sense: the problems say so.
            return OptionalLong.empty();
        }
    }

    /** A level's name. */
    static String levelName(int level) {
        return switch (level) {
            case -1 -> "linear";
            case -4 -> "multipath";
            case -5 -> "faulty";
            case -100 -> "container";
            default -> "raid" + level;
        };
    }

    private static String sectors(long sectors) {
        return sectors + " sectors (" + Size.binaryAndDecimal(sectors * SECTOR) + ")";
    }

    /** {@code 22528 KiB (22.00 MiB 23.07 MB)}. */
    static String kibibytes(long bytes) {
        return bytes / 1024 + " KiB (" + Size.binaryAndDecimal(bytes) + ")";
    }
}
