package io.tenfold.raid;

import static io.tenfold.raid.md.MdSuperblock.SECTOR;

import io.tenfold.base.Shard;
import io.tenfold.raid.md.MdSuperblock;
import io.tenfold.raid.md.Superblock1;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Puts the members of one array together, by the kernel's and mdadm's rules and stricter ones where those may choose
 * wrongly. Never writes.
 *
 * <p>The order: duplicates out; who is freshest (or nobody); which members fit him; which role each has by <i>his</i>
 * table; whether that is enough.
 */
final class Assembly {
    /** Level 1 has no chunks: its addresses are the members' own, and any chunk gives that. */
    private static final long MIRROR_CHUNK_BYTES = 1 << 20;

    private final List<MemberReport> given;
    private final List<MemberReport> strangers;
    private final Shard shard;
    private final MdUuid uuid;
    private final String name;

    private final List<LeftOut> leftOut = new ArrayList<>();
    private final List<MemberReport> spares = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    /** By role: the member, and after it the one that is to replace it. */
    private final TreeMap<Integer, List<ArrayPlan.Member>> placed = new TreeMap<>();

    private MemberReport freshest;

    private Assembly(List<MemberReport> given, List<MemberReport> strangers, Shard shard) {
        this.given = given;
        this.strangers = strangers;
        this.shard = shard;
        Superblock first = given.stream()
                .max(Comparator.comparing(MemberReport::isMember)
                        .thenComparingLong(m -> superblock(m).events()))
                .map(Assembly::superblock)
                .orElseThrow();
        uuid = first.arrayUuid();
        name = first.name();
    }

    /**
     * Says what members come to.
     *
     * @param given all with the same array's identity, those with problems too; not empty
     * @param strangers devices named along with them that are no members of any array
     */
    static ArrayReport of(List<MemberReport> given, List<MemberReport> strangers, Shard shard) {
        Assembly assembly = new Assembly(given, strangers, shard);
        Optional<ArrayPlan> plan = Optional.empty();
        Optional<Refusal> refusal = Optional.empty();
        try {
            plan = Optional.of(assembly.plan());
        } catch (RefusedException e) {
            refusal = Optional.of(e.refusal());
        }
        return new ArrayReport(
                assembly.uuid,
                assembly.name,
                Optional.ofNullable(assembly.freshest).map(Assembly::superblock),
                given,
                plan,
                refusal,
                assembly.leftOut);
    }

    private static Superblock superblock(MemberReport member) {
        return member.superblock().orElseThrow();
    }

    private static MdSuperblock raw(MemberReport member) {
        return superblock(member).raw();
    }

    private ArrayPlan plan() throws RefusedException {
        List<MemberReport> usable = usable();
        freshest = choose(usable);
        for (MemberReport member : usable) {
            place(member);
        }
        MdSuperblock source = raw(freshest);
        refuseOtherLevels(source);
        refuseTwoInOneRole();
        return finish(source);
    }

    /** The members with whole superblocks; the others are left out. */
    private List<MemberReport> usable() throws RefusedException {
        List<MemberReport> usable = new ArrayList<>();
        for (MemberReport member : given) {
            if (member.isMember()) {
                usable.add(member);
            } else {
                leaveOut(member, LeftOut.Reason.BROKEN, String.join("; ", member.problems()));
            }
        }
        if (usable.isEmpty()) {
            throw refused("none of its members has a superblock that can be used", "", hints());
        }
        return usable;
    }

    private MemberReport choose(List<MemberReport> usable) throws RefusedException {
        Duplicates duplicates = Duplicates.of(label(), usable, shard);
        leftOut.addAll(duplicates.leftOut());
        if (duplicates.ambiguity() != null) {
            throw new RefusedException(duplicates.ambiguity());
        }
        usable.retainAll(duplicates.unique());
        Freshness freshness = Freshness.of(label(), usable);
        if (freshness.contradiction() != null) {
            throw new RefusedException(freshness.contradiction());
        }
        return freshness.freshest();
    }

    /** Gives a member the role that the freshest superblock says, if it is in a state to fill it. */
    private void place(MemberReport member) throws RefusedException {
        Superblock own = superblock(member);
        Superblock newest = superblock(freshest);
        String difference = difference(own, newest);
        boolean inStep = Freshness.isInStep(member, freshest);
        int role = newest.raw().role(own.devNumber());
        if (difference != null) {
            if (own.events() == newest.events()) {
                throw refused(
                        "the superblocks of " + member.name() + " and " + freshest.name() + " disagree",
                        difference + ", " + Wording.freshness(own),
                        List.of("leave one of the two out: name the members that you trust"));
            }
            leaveOut(
                    member,
                    LeftOut.Reason.STALE,
                    "stale, and describes another shape (" + difference + "): " + behind(own, newest));
        } else if (role == Superblock.ROLE_JOURNAL || own.ownRole() == Superblock.ROLE_JOURNAL) {
            leaveOut(member, LeftOut.Reason.JOURNAL, "a journal, which this level does not have");
        } else if (!newest.isActive(role)) {
            if (own.isActive(own.ownRole())) {
                leaveOut(
                        member,
                        LeftOut.Reason.STALE,
                        "stale: it claims slot " + own.ownRole()
                                + ", but newer superblocks "
                                + (role == Superblock.ROLE_FAULTY ? "call it failed: " : "no longer count it: ")
                                + behind(own, newest) + affected(own));
            } else {
                spares.add(member);
            }
        } else if (!inStep) {
            leaveOut(member, LeftOut.Reason.STALE, "stale: " + behind(own, newest) + affected(own));
        } else if (own.isActive(own.ownRole()) && own.ownRole() != role) {
            leaveOut(
                    member,
                    LeftOut.Reason.CONFLICT,
                    "it claims slot " + own.ownRole() + ", but the freshest superblock says slot " + role + ": "
                            + behind(own, newest));
        } else if (!own.isActive(own.ownRole())) {
            // It was about to be rebuilt and does not know it yet: it holds nothing.
            spares.add(member);
        } else {
            fill(member, role);
        }
    }

    private void fill(MemberReport member, int role) {
        MdSuperblock own = raw(member);
        long offset = own.dataOffset() * SECTOR;
        long newOffset = (own.dataOffset() + own.newOffset()) * SECTOR;
        int block = member.device().limits().blockBytes();
        if (offset % block != 0 || newOffset % block != 0 || own.chunkSectors() * SECTOR % block != 0) {
            leaveOut(
                    member,
                    LeftOut.Reason.BROKEN,
                    "its data does not lie at blocks of its device: dataOffsetBytes=" + offset + ", chunkBytes="
                            + own.chunkSectors() * SECTOR + ", blockBytes=" + block);
            return;
        }
        boolean replacement = own.replacement();
        long recovered = own.recovering() ? own.recoveryOffset() * SECTOR : ArrayPlan.IN_SYNC;
        ArrayPlan.Member filled =
                new ArrayPlan.Member(role, member, offset, newOffset, own.dataSize() * SECTOR, recovered, replacement);
        List<ArrayPlan.Member> holders = placed.computeIfAbsent(role, _ -> new ArrayList<>());
        long before = replacement
                ? holders.size()
                : holders.stream().filter(h -> !h.replacement()).count();
        holders.add((int) before, filled);
    }

    private void leaveOut(MemberReport member, LeftOut.Reason reason, String text) {
        Superblock own = superblock(member);
        leftOut.add(new LeftOut(member, reason, own.isActive(own.ownRole()) ? own.ownRole() : -1, text));
    }

    /** The first field in which two superblocks of one array must agree and do not, or null. */
    private static String difference(Superblock own, Superblock newest) {
        Object[][] fields = {
            {"version", own.version(), newest.version()},
            {"created", own.createdMicros(), newest.createdMicros()},
            {"level", own.level(), newest.level()},
            {"layout", own.layoutWord(), newest.layoutWord()},
            {"size", own.sizeSectors(), newest.sizeSectors()},
            {"chunkSectors", own.chunkSectors(), newest.chunkSectors()},
            {"raidDisks", own.raidDisks(), newest.raidDisks()},
            {"reshaping", own.isReshaping(), newest.isReshaping()},
        };
        for (Object[] field : fields) {
            if (!field[1].equals(field[2])) {
                return field[0] + "=" + field[1] + " and " + field[2];
            }
        }
        return null;
    }

    private static String behind(Superblock own, Superblock newest) {
        return Wording.freshness(own) + "; the newest has " + Wording.freshness(newest);
    }

    /** How much of a stale member may differ, as far as the freshest bitmap tells. */
    private String affected(Superblock own) {
        Optional<BitmapReport> bitmap = freshest.bitmap();
        if (bitmap.isEmpty()) {
            return "; without a bitmap, only a comparison tells what differs";
        }
        BitmapReport bits = bitmap.get();
        if (!bits.isFresh(superblock(freshest).events()) || own.events() < bits.eventsCleared() || bits.dirty() < 0) {
            return "; the bitmap does not reach back to it, only a comparison tells what differs";
        }
        return "; by the bitmap, at most " + bits.dirty() + " of " + bits.bits() + " chunks of "
                + Wording.bytes(bits.chunkBytes()) + " differ";
    }

    private void refuseOtherLevels(MdSuperblock source) throws RefusedException {
        if (source.level() == 10 || source.level() == 1) {
            return;
        }
        String instead = switch (source.level()) {
            case 0, -1, -4 -> "use mdadm on Linux; there is no second copy of anything in such an array";
            case 4, 5, 6 -> "use mdadm on Linux";
            default -> "use mdadm on Linux, which assembles what such a superblock stands for";
        };
        throw refused(
                "it is " + Wording.level(source.level()) + ", which is not served here: levels 10 and 1 are",
                "level=" + source.level() + ", members given=" + given.size() + " of " + source.raidDisks(),
                List.of(instead));
    }

    private void refuseTwoInOneRole() throws RefusedException {
        for (List<ArrayPlan.Member> holders : placed.values()) {
            ArrayPlan.Member first = holders.getFirst();
            if (holders.size() == 1) {
                if (first.replacement()) { // The one that it was to replace is gone, so it stands in its place.
                    holders.set(
                            0,
                            new ArrayPlan.Member(
                                    first.role(),
                                    first.report(),
                                    first.dataOffsetBytes(),
                                    first.newDataOffsetBytes(),
                                    first.dataBytes(),
                                    first.recoveredBytes(),
                                    false));
                }
                continue;
            }
            if (holders.size() > 2 || first.replacement() || !holders.get(1).replacement()) {
                throw refused(
                        holders.size() + " members hold slot " + first.role(),
                        Wording.list(
                                holders.stream().map(h -> h.report().name()).toList()),
                        List.of("name only the member that you want in that slot"));
            }
        }
    }

    private ArrayPlan finish(MdSuperblock source) throws RefusedException {
        Geometry geometry = geometry(source, false);
        Optional<ArrayPlan.Reshape> reshape = source.reshaping() && source.level() == 10
                ? Optional.of(new ArrayPlan.Reshape(
                        geometry(source, true), source.reshapePosition() * SECTOR, source.reshapesBackwards()))
                : Optional.empty();
        int roles = (int) source.raidDisks();
        BitSet full = new BitSet();
        placed.forEach((role, holders) -> {
            if (holders.stream().anyMatch(ArrayPlan.Member::isInSync)) {
                full.set(role);
            }
        });
        List<Integer> missing = new ArrayList<>();
        for (int role = 0; role < roles; role++) {
            if (!full.get(role)) {
                missing.add(role);
            }
        }
        requireEnough(geometry, full, missing);
        if (reshape.isPresent()) {
            requireEnough(reshape.get().geometry(), full, missing);
        }
        if (!missing.isEmpty()) {
            notes.addAll(describeStrangers());
        }
        long size = source.level() == 1 ? source.sizeSectors() * SECTOR : geometry.arrayBytes();
        if (size == 0) {
            throw refused("it has no room for a single chunk", geometry.toString(), List.of());
        }
        return new ArrayPlan(
                uuid,
                name,
                source.version(),
                source.level(),
                geometry,
                size,
                reshape,
                placed.values().stream().flatMap(List::stream).toList(),
                missing,
                spares,
                leftOut,
                source.events(),
                checkpoint(source, size),
                freshest.bitmap(),
                needsRun(source),
                whyReadOnly(source, geometry, reshape),
                notes);
    }

    private Geometry geometry(MdSuperblock source, boolean reshaped) throws RefusedException {
        try {
            if (source.level() == 1) {
                int mirrors = (int) source.raidDisks();
                long bytes = source.sizeSectors() * SECTOR;
                long whole = (bytes + MIRROR_CHUNK_BYTES - 1) / MIRROR_CHUNK_BYTES * MIRROR_CHUNK_BYTES;
                return new Geometry(Layout.near(mirrors), mirrors, MIRROR_CHUNK_BYTES, whole);
            }
            long members = reshaped ? source.raidDisks() : source.oldRaidDisks();
            return new Geometry(
                    Layout.ofWord(reshaped ? source.newLayout() : source.layout()),
                    (int) members,
                    (reshaped ? source.newChunkSectors() : source.chunkSectors()) * SECTOR,
                    source.sizeSectors() * SECTOR);
        } catch (IllegalArgumentException e) {
            throw refused("its shape cannot be", e.getMessage(), List.of());
        }
    }

    private void requireEnough(Geometry geometry, BitSet full, List<Integer> missing) throws RefusedException {
        if (geometry.isEnough(full::get)) {
            return;
        }
        throw refused(
                missing.size() + " of " + geometry.members() + " members are missing and some chunks have no copy left",
                "missing slots=" + Wording.slots(missing) + ", layout " + geometry.layout()
                        + ", no copy left if all of " + Wording.list(lostSlots(geometry, full)) + " are missing",
                hints());
    }

    /** The slots that hold the first chunk of which no copy is there. */
    private static List<Integer> lostSlots(Geometry geometry, BitSet full) {
        for (long chunk = 0; chunk < geometry.periodChunks(); chunk++) {
            List<Integer> slots = new ArrayList<>();
            for (int copy = 0; copy < geometry.copies(); copy++) {
                slots.add(Geometry.role(geometry.locate(chunk, copy)));
            }
            if (slots.stream().noneMatch(full::get)) {
                return slots.stream().sorted().distinct().toList();
            }
        }
        return List.of();
    }

    /** What might help an array that is short of members. */
    private List<String> hints() {
        List<String> hints = new ArrayList<>();
        for (LeftOut out : leftOut) {
            hints.add(out.member().name() + " is not used: " + out.text());
        }
        placed.values().stream()
                .flatMap(List::stream)
                .filter(m -> !m.isInSync())
                .forEach(m -> hints.add(m.report().name() + " of slot " + m.role() + " was rebuilt up to "
                        + Wording.bytes(m.recoveredBytes()) + " only"));
        hints.addAll(describeStrangers());
        hints.add("find the missing members and name them too; their names and order do not matter");
        return hints;
    }

    /** Devices given along that are no members: one of them may have been. */
    private List<String> describeStrangers() {
        List<String> lines = new ArrayList<>();
        for (MemberReport stranger : strangers) {
            List<String> facts = new ArrayList<>(stranger.problems());
            facts.addAll(stranger.findings());
            lines.add(stranger.name() + " is not a member by what it holds: " + String.join("; ", facts));
        }
        return lines;
    }

    private static long checkpoint(MdSuperblock source, long size) {
        long sectors = source.resyncOffset();
        if (sectors == MdSuperblock.CLEAN) {
            return size;
        }
        // A checkpoint past the end says nothing that can be relied on.
        return sectors < 0 || sectors >= size / SECTOR ? 0 : sectors * SECTOR;
    }

    /** mdadm's rule: as many members with a role must be there as the freshest table counts. */
    private boolean needsRun(MdSuperblock source) {
        int counted = 0;
        for (int number = 0; number < source.roleSlots(); number++) {
            if (source.isActive(source.role(number))) {
                counted++;
            }
        }
        return placed.values().stream().mapToInt(List::size).sum() < counted;
    }

    private List<String> whyReadOnly(MdSuperblock source, Geometry geometry, Optional<ArrayPlan.Reshape> reshape) {
        List<String> reasons = new ArrayList<>();
        if (source.level() != 10) {
            reasons.add(Wording.level(source.level()) + " is read, not written");
        }
        if (!(source instanceof Superblock1)) {
            reasons.add("superblocks of version " + source.version() + " are read, not written");
        }
        if (reshape.isPresent()) {
            reasons.add("a reshape is under way, at " + reshape.get().positionBytes() + " of "
                    + reshape.get().geometry().arrayBytes() + " bytes: the kernel must finish it");
        }
        if (!geometry.isOneToOne()
                || reshape.map(r -> !r.geometry().isOneToOne()).orElse(false)) {
            reasons.add("layout 0x" + Integer.toHexString(source.layout()) + " on " + geometry.members()
                    + " members puts two chunks in one place: some of its data may be lost");
        }
        if ((source.featureMap() & Superblock1.FEATURE_CLUSTERED) != 0) {
            reasons.add("several machines may share the array (clustered)");
        }
        if (source.bitmapOffset() != 0) {
            reasons.add("it has a write-intent bitmap, which is read, not kept");
        }
        for (ArrayPlan.Member member :
                placed.values().stream().flatMap(List::stream).toList()) {
            if (raw(member.report()).badBlockLogInUse()
                    && !Member.canKeepLog(
                            raw(member.report()), member.device().limits().blockBytes())) {
                reasons.add("the bad-block log of " + member.report().name()
                        + " has entries and does not lie at blocks of its device: it is read, not kept");
            }
            if (!member.report().warnings().isEmpty()) {
                reasons.add(member.report().name() + ": "
                        + member.report().warnings().getFirst());
            }
        }
        return reasons;
    }

    private String label() {
        return Wording.label(name, uuid);
    }

    private RefusedException refused(String what, String detail, List<String> hints) {
        return new RefusedException(new Refusal("cannot assemble \"" + label() + "\": " + what, detail, hints));
    }
}
