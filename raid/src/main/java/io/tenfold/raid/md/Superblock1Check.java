package io.tenfold.raid.md;

import static io.tenfold.raid.md.MdSuperblock.SECTOR;

import java.util.ArrayList;
import java.util.List;

/**
 * Every check that a version-1 superblock must pass before one of its numbers is used: the kernel's list and more, since
 * superblocks made up on purpose have crashed kernels. Numbers are taken as what the bytes say, however absurd; each
 * sum is formed of numbers whose range is known.
 */
final class Superblock1Check {
    /** More than any device has: 2<sup>63</sup> bytes. */
    private static final long SECTORS_MAX = Long.MAX_VALUE / SECTOR;

    private static final long AREA_SECTORS = Superblock1.AREA / SECTOR;
    private static final int LOGICAL_BLOCK_MAX = 65536;

    /** The kernel reads one page of log. */
    private static final int BAD_BLOCK_LOG_SECTORS_MAX = 8;

    /** An entry's address has 54 bits; shifted it must stay below 2^54 sectors, or it means nothing. */
    private static final int BAD_BLOCK_SHIFT_MAX = 16;

    private final long memberSectors;
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    Superblock1Check(long memberSectors) {
        this.memberSectors = memberSectors;
    }

    List<String> problems() {
        return problems;
    }

    List<String> warnings() {
        return warnings;
    }

    void run(Superblock1 superblock) {
        checkFrame(superblock);
        if (!problems.isEmpty()) {
            return; // What a broken frame holds is noise.
        }
        checkIdentity(superblock);
        checkData(superblock);
        checkShape(superblock);
        checkReshape(superblock);
        if (problems.isEmpty()) {
            checkAreas(superblock);
        }
    }

    private void checkFrame(Superblock1 superblock) {
        if (superblock.majorVersion() != 1) {
            problem("major version is not 1: majorVersion=" + superblock.majorVersion());
        } else if (superblock.maxDev() > Superblock1.SLOTS_MAX) {
            problem("table of roles is too large: maxDev=" + superblock.maxDev() + ", max=" + Superblock1.SLOTS_MAX);
        } else if (superblock.storedChecksum() != superblock.computedChecksum()) {
            problem("checksum is wrong: stored=0x" + Integer.toHexString(superblock.storedChecksum()) + ", computed=0x"
                    + Integer.toHexString(superblock.computedChecksum()));
        } else if (superblock.superOffset() != superblock.placeBytes() / SECTOR) {
            problem("it says that it lies elsewhere: superOffset=" + superblock.superOffset() + ", found at sector "
                    + superblock.placeBytes() / SECTOR);
        }
    }

    private void checkIdentity(Superblock1 superblock) {
        int unknown = superblock.featureMap() & ~Superblock1.FEATURES_KNOWN;
        if (unknown != 0) {
            problem("unknown feature bits: featureMap=0x" + Integer.toHexString(superblock.featureMap())
                    + ", unknown=0x" + Integer.toHexString(unknown));
        }
        if (superblock.pad0() != 0) {
            problem("padding is not zero, might be a new feature: offset=12, value=0x"
                    + Long.toHexString(superblock.pad0()));
        }
        if (superblock.nonZeroPadding() >= 0) {
            problem("padding is not zero, might be a new feature: offset=" + superblock.nonZeroPadding());
        }
        long logicalBlock = superblock.logicalBlockBytes();
        if (logicalBlock != 0
                && (logicalBlock < SECTOR || logicalBlock > LOGICAL_BLOCK_MAX || Long.bitCount(logicalBlock) != 1)) {
            problem("logical block must be a power of two, 512 to 65536: logicalBlockBytes=" + logicalBlock);
        }
        if (superblock.devNumber() >= superblock.maxDev()) {
            problem("member's number is not in the table of roles: devNumber=" + superblock.devNumber() + ", maxDev="
                    + superblock.maxDev());
        }
        if (superblock.events() < 0) {
            problem("event count is absurd: events=" + Long.toUnsignedString(superblock.events()));
        }
    }

    private void checkData(Superblock1 superblock) {
        long offset = superblock.dataOffset();
        long size = superblock.dataSize();
        if (outside("dataOffset", offset) || outside("dataSize", size) || outside("size", superblock.sizeSectors())) {
            return;
        }
        if (size < 10) {
            problem("no room for data: dataSize=" + size + ", min=10");
        }
        if (superblock.sizeSectors() > size) {
            problem("the array uses more of the member than there is: size=" + superblock.sizeSectors() + ", dataSize="
                    + size);
        }
        checkPlaceOfData(superblock, "dataOffset", offset, size);
        if (superblock.newOffset() != 0) {
            // During a reshape only the used part is known to fit at both places.
            checkPlaceOfData(
                    superblock, "dataOffset + newOffset", offset + superblock.newOffset(), superblock.sizeSectors());
        }
        if (superblock.recovering() && (superblock.recoveryOffset() < 0 || superblock.recoveryOffset() > size)) {
            problem("recovery has come farther than there is data: recoveryOffset="
                    + Long.toUnsignedString(superblock.recoveryOffset()) + ", dataSize=" + size);
        }
    }

    private boolean outside(String name, long sectors) {
        if (sectors < 0 || sectors > SECTORS_MAX) {
            problem(name + " is absurd: " + name + "=" + Long.toUnsignedString(sectors) + ", member has "
                    + memberSectors + " sectors");
            return true;
        }
        return false;
    }

    private void checkPlaceOfData(Superblock1 superblock, String name, long offset, long size) {
        boolean superblockFirst = superblock.minor() != 0;
        long tableEnd = superblock.placeBytes() / SECTOR
                + (Superblock1.HEADER + 2L * superblock.maxDev() + SECTOR - 1) / SECTOR;
        if (offset < 0) {
            problem("data would start before the member: " + name + "=" + offset);
        } else if (superblockFirst && offset < tableEnd) {
            problem("data would start within the superblock: " + name + "=" + offset + ", superblock ends at "
                    + tableEnd);
        }
        long end = superblockFirst ? memberSectors : superblock.placeBytes() / SECTOR;
        if (offset > end || size > end - offset) {
            problem("member is truncated, or its superblock is wrong: data ends at sector " + (offset + size)
                    + ", member " + (superblockFirst ? "has " + end + " sectors" : "has its superblock at " + end));
        }
    }

    private void checkShape(Superblock1 superblock) {
        checkGeometry("", superblock.level(), superblock.layout(), superblock.chunkSectors(), superblock.raidDisks());
        int others = superblock.featureMap() & Superblock1.FEATURES_OF_OTHER_LEVELS;
        if (others != 0 && (superblock.level() == 10 || superblock.level() == 1)) {
            problem("feature of another level: featureMap=0x" + Integer.toHexString(superblock.featureMap())
                    + ", level=" + superblock.level());
        }
        if (superblock.replacement() && !superblock.recovering()) {
            problem("a replacement without recovery offset: featureMap=0x"
                    + Integer.toHexString(superblock.featureMap()));
        }
    }

    private void checkGeometry(String prefix, int level, int layout, long chunkSectors, long raidDisks) {
        if (raidDisks < 1 || raidDisks > Superblock1.SLOTS_MAX) {
            problem(prefix + "raidDisks is out of range: raidDisks=" + raidDisks + ", max=" + Superblock1.SLOTS_MAX);
            return;
        }
        if (level == 10) {
            MdGeometry.check(prefix, layout, chunkSectors, raidDisks, problems);
        }
    }

    private void checkReshape(Superblock1 superblock) {
        if (!superblock.reshaping()) {
            return;
        }
        long old = superblock.raidDisks() - superblock.deltaDisks();
        if (superblock.level() == 10) {
            if (superblock.newLevel() != 10) {
                problem("reshape to another level: newLevel=" + superblock.newLevel() + ", level=10");
            }
            checkGeometry("before the reshape, ", 10, superblock.layout(), superblock.chunkSectors(), old);
            checkGeometry(
                    "after the reshape, ",
                    10,
                    superblock.newLayout(),
                    superblock.newChunkSectors(),
                    superblock.raidDisks());
        }
        if (superblock.reshapePosition() < 0 || superblock.reshapePosition() > SECTORS_MAX) {
            problem("reshape position is absurd: reshapePosition="
                    + Long.toUnsignedString(superblock.reshapePosition()));
        }
    }

    /** Bitmap, log, data and superblock must not lie over one another. A user's log and bitmap did. */
    private void checkAreas(Superblock1 superblock) {
        long place = superblock.placeBytes() / SECTOR;
        Extent data = new Extent("data", superblock.dataOffset(), superblock.dataSize());
        Extent self = new Extent("superblock", place, AREA_SECTORS);
        Extent log = null;
        if (superblock.badBlockLogInUse()) {
            if (superblock.badBlockLogOffset() == 0
                    || superblock.badBlockLogSize() < 1
                    || superblock.badBlockLogSize() > BAD_BLOCK_LOG_SECTORS_MAX
                    || superblock.badBlockShift() > BAD_BLOCK_SHIFT_MAX) {
                problem("bad-block log is in use but cannot be read: offset=" + superblock.badBlockLogOffset()
                        + ", sectors=" + superblock.badBlockLogSize() + ", max=" + BAD_BLOCK_LOG_SECTORS_MAX
                        + ", shift=" + superblock.badBlockShift());
                return;
            }
        }
        if (superblock.badBlockLogOffset() != 0 && superblock.badBlockLogSize() > 0) {
            log = new Extent("bad-block log", place + superblock.badBlockLogOffset(), superblock.badBlockLogSize());
            apart(log, self);
            apart(log, data);
        }
        if (superblock.bitmapOffset() != 0) {
            // Only its header's length is known here; its own reader looks at the rest.
            Extent bitmap = new Extent("bitmap", place + superblock.bitmapOffset(), 1);
            apart(bitmap, self);
            apart(bitmap, data);
            if (log != null) {
                apart(bitmap, log);
            }
        } else if ((superblock.featureMap() & Superblock1.FEATURE_BITMAP) != 0) {
            warnings.add("bitmap lies on the superblock: bitmapOffset=0");
        }
    }

    private void apart(Extent one, Extent other) {
        if (one.start < 0 || one.start + one.length > memberSectors) {
            warnings.add(one.name + " is not within the member: start=" + one.start + ", sectors=" + one.length
                    + ", member has " + memberSectors + " sectors");
        } else if (one.start < other.start + other.length && other.start < one.start + one.length) {
            warnings.add(one.name + " and " + other.name + " overlap: " + one + ", " + other);
        }
    }

    private void problem(String text) {
        problems.add(text);
    }

    /** Sectors of the member with a purpose. All starts and lengths here are below 2^55. */
    private record Extent(String name, long start, long length) {
        @Override
        public String toString() {
            return name + "=" + start + "+" + length;
        }
    }
}
