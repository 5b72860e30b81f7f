package io.tenfold.cli;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.raid.ArrayCreation;
import io.tenfold.raid.ArraySpec;
import io.tenfold.raid.Layout;
import io.tenfold.raid.MdUuid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a new array. */
@Command(
        name = "create",
        header = "Make a new array that Linux md takes, too.",
        description = {
            "Writes superblocks to the members, in the order in which they are named; 'missing' stands for one that is not"
                    + " there. A member that does not exist is made, as a file of zeroes that takes no room yet.",
            "Sizes are powers of 1024, as mdadm's: 512K, 1G, 1T; a number alone is bytes."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tenfold create --raid-devices 4 --size 10G m0.img m1.img m2.img m3.img",
            "  tenfold create --raid-devices 3 --layout f2 --chunk 64K /dev/sdb1 missing /dev/sdd1"
        })
final class CreateCommand implements Callable<Integer> {
    /** Stands for a member that is not there, as with mdadm. */
    static final String MISSING = "missing";

    private final Console console;

    @Mixin
    HelpOption help;

    @Option(names = "--raid-devices", required = true, paramLabel = "N", description = "How many members it has.")
    private int raidDevices;

    @Option(
            names = "--layout",
            paramLabel = "LAYOUT",
            converter = LayoutName.class,
            defaultValue = "n2",
            description = "n2: two copies near each other; f2: far apart; o2: offset; n3 and so on. Default: n2.")
    private Layout layout;

    @Option(
            names = "--chunk",
            paramLabel = "SIZE",
            converter = Size.class,
            defaultValue = "512K",
            description = "A power of two, 4K to 1G. Default: 512K.")
    private long chunkBytes;

    @Option(
            names = "--metadata",
            paramLabel = "VERSION",
            defaultValue = "1.2",
            description = "Of the superblocks: 1.0 (at the end), 1.1 (at the start) or 1.2. Default: 1.2.")
    private String version;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = Size.class,
            description = "Size of the array, rounded up to whole stripes. Default: what the members have room for.")
    private Long sizeBytes;

    @Option(
            names = "--member-size",
            paramLabel = "SIZE",
            converter = Size.class,
            description = "Size of member files that do not exist yet. Default: what --size needs.")
    private Long memberFileBytes;

    @Option(
            names = "--data-offset",
            paramLabel = "SIZE",
            converter = Size.class,
            description = "Where data starts on each member. Default: as mdadm chooses.")
    private Long dataOffsetBytes;

    @Option(names = "--name", paramLabel = "NAME", defaultValue = "", description = "The array's name.")
    private String name;

    @Option(
            names = "--assume-clean",
            description =
                    "Do not compare the copies at the first start: existing members hold the same already, or what is"
                            + " not written yet may read as anything.")
    private boolean assumeClean;

    @Option(names = "--force", description = "Overwrite members that hold something already.")
    private boolean force;

    @Option(names = "--json", description = "Print the result as one JSON object.")
    private boolean json;

    @Parameters(arity = "1..*", paramLabel = "MEMBER", description = "Files or block devices, in order; or 'missing'.")
    private List<String> names;

    CreateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws CommandFailure {
        if (names.size() != raidDevices) {
            throw CommandFailure.usage("members named must be as many as --raid-devices: raidDevices=" + raidDevices
                    + ", named=" + names.size());
        }
        List<Path> toMake = filesToMake();
        Shard shard = Shard.ofCaller(0, console.clock());
        long used = sizeBytes == null ? 0 : MemberFiles.usedBytes(layout, raidDevices, chunkBytes, sizeBytes);
        ArraySpec spec = spec(used, toMake);
        if (!toMake.isEmpty()) {
            requireSizes();
            long bytes = memberFileBytes != null ? memberFileBytes : MemberFiles.fileBytes(spec, raidDevices, shard);
            List<Path> made = new ArrayList<>();
            try {
                for (Path path : toMake) {
                    MemberFiles.create(path, bytes);
                    made.add(path);
                }
                return write(spec, shard);
            } catch (CommandFailure | RuntimeException e) {
                MemberFiles.deleteAll(made);
                throw e;
            }
        }
        return write(spec, shard);
    }

    private void requireSizes() throws CommandFailure {
        if (sizeBytes == null && memberFileBytes == null) {
            throw CommandFailure.usage("size of the member files to make is not known: give --size or --member-size");
        }
        if (memberFileBytes != null && memberFileBytes < 1) {
            throw CommandFailure.usage("member files must not be empty: --member-size=" + memberFileBytes);
        }
    }

    private List<Path> filesToMake() {
        return names.stream()
                .filter(member -> !member.equals(MISSING))
                .map(Path::of)
                .filter(path -> !Files.exists(path))
                .distinct()
                .toList();
    }

    private ArraySpec spec(long used, List<Path> toMake) throws CommandFailure {
        if (sizeBytes != null && sizeBytes < 1) {
            throw CommandFailure.usage("size must be above 0: --size=" + sizeBytes);
        }
        long present = names.stream().filter(member -> !member.equals(MISSING)).count();
        boolean allNew = toMake.size() == present; // Zeroes everywhere: the copies agree.
        return new ArraySpec(
                MdUuid.of(UUID.randomUUID()),
                name,
                layout,
                chunkBytes,
                version,
                used,
                dataOffsetBytes == null ? ArraySpec.CHOOSE : dataOffsetBytes,
                assumeClean || allNew,
                force);
    }

    private int write(ArraySpec spec, Shard shard) throws CommandFailure {
        List<Path> paths = names.stream()
                .filter(member -> !member.equals(MISSING))
                .map(Path::of)
                .toList();
        requireDistinct(paths);
        try (Members members = Members.open(paths, Members.Use.WRITE, console)) {
            List<Optional<BlockDevice>> slots = new ArrayList<>();
            int next = 0;
            for (String member : names) {
                slots.add(
                        member.equals(MISSING)
                                ? Optional.empty()
                                : Optional.of(members.devices().get(next++)));
            }
            ArrayCreation creation = Failures.orRefuse(() -> ArrayCreation.prepare(spec, slots, shard));
            creation.notes().forEach(note -> console.say("note: " + note));
            creation.write(() -> MdUuid.of(UUID.randomUUID()), shard);
            print(spec, creation);
            return ExitCode.OK;
        } catch (IOException e) {
            throw CommandFailure.failed(Failures.words(e), e);
        }
    }

    private static void requireDistinct(List<Path> paths) throws CommandFailure {
        Map<Object, Path> seen = new HashMap<>();
        for (Path path : paths) {
            Path first = seen.putIfAbsent(Members.identity(path), path);
            if (first != null) {
                throw CommandFailure.usage("one member cannot fill two slots: first=" + first + ", second=" + path);
            }
        }
    }

    private void print(ArraySpec spec, ArrayCreation creation) {
        long size = creation.geometry().arrayBytes();
        if (json) {
            Json.print(
                    console.out(),
                    Json.object(
                            "uuid", spec.uuid().toString(),
                            "name", spec.name(),
                            "size", size,
                            "layout", spec.layout().toString(),
                            "chunk", spec.chunkBytes(),
                            "raidDevices", raidDevices,
                            "dataOffset", creation.dataOffsetBytes(),
                            "clean", spec.assumeClean()));
            return;
        }
        console.out()
                .println("created " + (spec.name().isEmpty() ? spec.uuid() : spec.name()) + ": raid10 "
                        + spec.layout() + " on " + raidDevices + " members, chunk " + Size.exact(spec.chunkBytes())
                        + ", "
                        + Size.rounded(size) + " (" + size + " bytes)");
        if (!spec.assumeClean()) {
            console.out().println("its copies are compared when it is served first");
        }
    }
}
