package io.tenfold.raid;

import static io.tenfold.raid.md.MdSuperblock.SECTOR;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.BlockingIo;
import io.tenfold.raid.md.MdSuperblock;
import io.tenfold.raid.md.MemberPlaces;
import io.tenfold.raid.md.Superblock1;
import io.tenfold.raid.md.SuperblockBlueprint;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A new array, checked down to the last number before its first byte is written: {@link #prepare}, look at it,
 * {@link #write}.
 *
 * <p>Threads: the one that made it.
 */
public final class ArrayCreation {
    private static final int MEMBERS_MIN = 2;

    /** Members that differ in size by more than a hundredth are worth a word. */
    private static final long UNEVEN_SHARE = 100;

    private final ArraySpec spec;
    private final Geometry geometry;
    private final List<Part> parts;
    private final List<String> notes;

    private ArrayCreation(ArraySpec spec, Geometry geometry, List<Part> parts, List<String> notes) {
        this.spec = spec;
        this.geometry = geometry;
        this.parts = parts;
        this.notes = List.copyOf(notes);
    }

    /** A member to be: where what lies, and the old superblocks that must go. */
    private record Part(BlockDevice device, int role, MemberPlaces places, List<Long> oldSuperblocks) {}

    /** Where copies will lie, and how large the array will be. */
    public Geometry geometry() {
        return geometry;
    }

    /** Where data will start on each member, in bytes. */
    public long dataOffsetBytes() {
        return parts.getFirst().places().dataOffset() * SECTOR;
    }

    /** What a user should know: a member that is larger than it needs to be, something that will be overwritten. */
    public List<String> notes() {
        return notes;
    }

    /**
     * Checks all that can be checked. Reads, never writes.
     *
     * @param members in the order of their roles; empty: missing
     * @throws RefusedException if no such array can be, or a device is not free to be a member
     */
    public static ArrayCreation prepare(ArraySpec spec, List<Optional<BlockDevice>> members, Shard shard)
            throws RefusedException {
        int minor = checkSpec(spec, members);
        List<BlockDevice> present = members.stream().flatMap(Optional::stream).toList();
        checkDevices(present);
        List<String> notes = new ArrayList<>();
        long smallest =
                present.stream().mapToLong(d -> d.sizeBytes() / SECTOR).min().orElseThrow();
        List<Part> parts = new ArrayList<>();
        for (int role = 0; role < members.size(); role++) {
            if (members.get(role).isPresent()) {
                BlockDevice device = members.get(role).get();
                MemberPlaces places = MemberPlaces.choose(
                        minor,
                        device.sizeBytes() / SECTOR,
                        smallest,
                        spec.chunkBytes() / SECTOR,
                        spec.dataOffsetBytes() < 0 ? -1 : spec.dataOffsetBytes() / SECTOR);
                parts.add(new Part(device, role, places, occupants(spec, device, places, shard, notes)));
            }
        }
        Geometry geometry = geometry(spec, members.size(), usedBytes(spec, parts, notes));
        checkGeometry(spec, geometry, members);
        return new ArrayCreation(spec, geometry, parts, notes);
    }

    private static int checkSpec(ArraySpec spec, List<Optional<BlockDevice>> members) throws RefusedException {
        int minor = switch (spec.version()) {
            case "1.0" -> 0;
            case "1.1" -> 1;
            case "1.2" -> 2;
            default -> throw refused("metadata must be 1.0, 1.1 or 1.2: metadata=" + spec.version());
        };
        if (members.size() < MEMBERS_MIN || members.size() > Geometry.MEMBERS_MAX) {
            throw refused("an array has " + MEMBERS_MIN + " to " + Geometry.MEMBERS_MAX + " members: raidDevices="
                    + members.size());
        }
        if (members.stream().noneMatch(Optional::isPresent)) {
            throw refused("all members are missing: raidDevices=" + members.size());
        }
        byte[] name = spec.name().getBytes(StandardCharsets.UTF_8);
        if (name.length > SuperblockBlueprint.NAME_BYTES_MAX) {
            throw refused("name is too long: bytes=" + name.length + ", max=" + SuperblockBlueprint.NAME_BYTES_MAX);
        }
        if (spec.name().codePoints().anyMatch(Character::isISOControl)) {
            throw refused("name must not have control characters");
        }
        if (spec.memberBytes() < 0) {
            throw refused("size must not be negative: size=" + spec.memberBytes());
        }
        long dataOffset = spec.dataOffsetBytes();
        if (dataOffset != ArraySpec.CHOOSE && (dataOffset < 0 || dataOffset % Superblock1.AREA != 0)) {
            throw refused("data offset must be a multiple of 4096: dataOffset=" + dataOffset);
        }
        if (spec.layout().copies() < 2) {
            throw refused("md takes no array without a second copy: layout=" + spec.layout());
        }
        geometry(spec, members.size(), 0); // Layout, copies and chunk, before a device is looked at.
        return minor;
    }

    private static Geometry geometry(ArraySpec spec, int members, long memberBytes) throws RefusedException {
        try {
            return new Geometry(spec.layout(), members, spec.chunkBytes(), memberBytes);
        } catch (IllegalArgumentException e) {
            throw refused(e.getMessage());
        }
    }

    private static void checkDevices(List<BlockDevice> devices) throws RefusedException {
        for (int i = 0; i < devices.size(); i++) {
            BlockDevice device = devices.get(i);
            for (BlockDevice earlier : devices.subList(0, i)) {
                if (earlier.equals(device) || earlier.name().equals(device.name())) {
                    throw refused("one device cannot be two members: " + device.name());
                }
            }
            int block = device.limits().blockBytes();
            if (device.limits().readOnly()) {
                throw refused(device.name() + " takes no writes");
            }
            if (block > Superblock1.AREA) {
                throw refused(device.name() + " has blocks too large for a superblock: blockBytes=" + block);
            }
        }
    }

    /** What a device holds already: refused, or noted; and where its old superblocks are. */
    private static List<Long> occupants(
            ArraySpec spec, BlockDevice device, MemberPlaces places, Shard shard, List<String> notes)
            throws RefusedException {
        List<Long> old = new ArrayList<>();
        for (MemberReport report : MemberProbe.probe(device, shard)) {
            List<Superblock> superblocks = new ArrayList<>(report.otherSuperblocks());
            report.superblock().ifPresent(superblocks::add);
            List<String> holds = new ArrayList<>();
            for (Superblock superblock : superblocks) {
                holds.add("a superblock of array \"" + Wording.label(superblock.name(), superblock.arrayUuid()) + "\" ("
                        + superblock.version() + ", " + Wording.freshness(superblock) + ")");
                if (report.partition() == 0) {
                    old.add(superblock.raw().placeBytes());
                }
            }
            if (superblocks.isEmpty()) {
                holds.addAll(report.occupants());
            }
            if (!holds.isEmpty() && !spec.overwrite()) {
                throw new RefusedException(new Refusal(
                        "cannot create: " + report.name() + " is not free: " + holds.getFirst(),
                        String.join("; ", holds),
                        List.of("to overwrite what it holds, say so (--force)")));
            }
            holds.forEach(h -> notes.add(report.name() + " is overwritten, which holds " + h));
        }
        old.remove(Long.valueOf(places.superOffset() * SECTOR));
        return old;
    }

    private static long usedBytes(ArraySpec spec, List<Part> parts, List<String> notes) throws RefusedException {
        long smallest = Long.MAX_VALUE;
        long largest = 0;
        for (Part part : parts) {
            long superblockEnd = part.places().superOffset() * SECTOR + Superblock1.AREA;
            if (!spec.version().equals("1.0") && part.places().dataOffset() * SECTOR < superblockEnd) {
                throw refused("data would start within the superblock: dataOffset="
                        + part.places().dataOffset() * SECTOR + ", min=" + superblockEnd);
            }
            long room = part.places().dataSize() * SECTOR / spec.chunkBytes() * spec.chunkBytes();
            if (room < spec.chunkBytes() * spec.layout().far() || part.places().superOffset() < 0) {
                throw refused(part.device().name() + " is too small: sizeBytes="
                        + part.device().sizeBytes() + ", data would start at "
                        + part.places().dataOffset() * SECTOR + ", chunkBytes=" + spec.chunkBytes());
            }
            if (spec.memberBytes() > room) {
                throw refused(part.device().name() + " has no room for that size: room=" + room + ", size="
                        + spec.memberBytes());
            }
            smallest = Math.min(smallest, room);
            largest = Math.max(largest, room);
        }
        if (spec.memberBytes() == 0 && largest - smallest > smallest / UNEVEN_SHARE) {
            notes.add("members differ in size: " + smallest + " bytes are used of each, the largest has " + largest);
        }
        return spec.memberBytes() == 0 ? smallest : spec.memberBytes() / spec.chunkBytes() * spec.chunkBytes();
    }

    private static void checkGeometry(ArraySpec spec, Geometry geometry, List<Optional<BlockDevice>> members)
            throws RefusedException {
        if (geometry.arrayBytes() == 0) {
            throw refused("the array would have no room for a single chunk: " + geometry);
        }
        if (!geometry.isOneToOne()) {
            throw refused("layout " + spec.layout() + " on " + members.size()
                    + " members would put two chunks in one place: it loses data");
        }
        if (!geometry.isEnough(role -> members.get(role).isPresent())) {
            throw refused("too many members are missing: some chunks would have no place");
        }
        for (Optional<BlockDevice> member : members) {
            if (member.isPresent() && spec.chunkBytes() % member.get().limits().blockBytes() != 0) {
                throw refused("chunk must be a multiple of the device's block: "
                        + member.get().name()
                        + ", blockBytes=" + member.get().limits().blockBytes() + ", chunkBytes="
                        + spec.chunkBytes());
            }
        }
    }

    /**
     * Makes the members: wipes old superblocks, writes the new ones, flushes, and reads them back.
     *
     * @param deviceUuids gives a new random identity for each member
     * @throws IOException if a device fails or does not hold what was written; some members may be written then
     */
    public void write(Supplier<MdUuid> deviceUuids, Shard shard) throws IOException {
        long now = shard.clock().epochMicros();
        for (Part part : parts) {
            Superblock1 superblock = superblock(part, deviceUuids.get(), now);
            try (BlockingIo io = new BlockingIo(part.device(), shard);
                    Arena arena = Arena.ofConfined()) {
                int alignment = Math.max(8, part.device().limits().memoryAlignment());
                MemorySegment area = arena.allocate(Superblock1.AREA, alignment);
                for (long place : part.oldSuperblocks()) {
                    io.write(place, area, true);
                }
                area.copyFrom(MemorySegment.ofArray(superblock.bytes()));
                io.write(superblock.placeBytes(), area, true);
                io.flush();
                MemorySegment back = arena.allocate(Superblock1.AREA, alignment);
                io.read(superblock.placeBytes(), back);
                if (back.mismatch(area) != -1) {
                    throw new IOException("what was written does not read back: device="
                            + part.device().name() + ", offset=" + superblock.placeBytes());
                }
            }
        }
    }

    private Superblock1 superblock(Part part, MdUuid deviceUuid, long now) {
        int minor = spec.version().charAt(2) - '0';
        List<Integer> roles = new ArrayList<>(Collections.nCopies(geometry.members(), MdSuperblock.ROLE_SPARE));
        parts.forEach(p -> roles.set(p.role(), p.role()));
        return new SuperblockBlueprint(
                        minor,
                        spec.uuid().uuid(),
                        deviceUuid.uuid(),
                        spec.name(),
                        now / 1_000_000 * 1_000_000,
                        spec.layout().word(),
                        geometry.memberBytes() / SECTOR,
                        (int) (spec.chunkBytes() / SECTOR),
                        part.places(),
                        part.role(),
                        roles,
                        spec.assumeClean())
                .superblock();
    }

    private static RefusedException refused(String what) {
        return new RefusedException(new Refusal("cannot create: " + what, "", List.of()));
    }
}
