package io.tenfold.cli;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.raid.ArrayCreation;
import io.tenfold.raid.ArrayPlan;
import io.tenfold.raid.ArraySpec;
import io.tenfold.raid.Geometry;
import io.tenfold.raid.Layout;
import io.tenfold.raid.MdUuid;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes an array the first time, and serves it. */
@Command(
        name = "up",
        header = "Make a mirrored array the first time, and serve it.",
        description = {
            "The first time, makes member files and a RAID10 array in DIR; later assembles what lies there (each *.img file),"
                    + " without a missing member if need be. Serves it over NBD until SIGTERM or Ctrl-C: then it finishes"
                    + " what was asked, marks the array clean and exits with 0. A second signal ends it at once.",
            "Sizes are powers of 1024, as mdadm's: 512K, 1G, 1T; a number alone is bytes. Member files take room only as they"
                    + " are written to."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tenfold up",
            "  tenfold up /srv/volume --size 20G --layout f2 --listen unix:/run/volume.sock",
            "  nbdcopy image.raw nbd://127.0.0.1:10809/"
        })
final class UpCommand implements Callable<Integer> {
    private static final long SIZE_BYTES = 1L << 30;
    private static final int MEMBERS = 4;
    private static final long CHUNK_BYTES = 512 << 10;

    private final Console console;

    @Mixin
    HelpOption help;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = Size.class,
            description = "Size of the array, rounded up to whole stripes. Default: 1G.")
    private Long sizeBytes;

    @Option(names = "--members", paramLabel = "N", description = "How many member files. Default: 4.")
    private Integer memberCount;

    @Option(
            names = "--layout",
            paramLabel = "LAYOUT",
            converter = LayoutName.class,
            description = "n2: two copies near each other; f2: far apart; o2: offset; n3 and so on. Default: n2.")
    private Layout layout;

    @Option(
            names = "--chunk",
            paramLabel = "SIZE",
            converter = Size.class,
            description = "A power of two, 4K to 1G. Default: 512K.")
    private Long chunkBytes;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            converter = ListenAddress.class,
            defaultValue = ListenAddress.DEFAULT,
            description =
                    "HOST:PORT (port 0: any free one), [IPv6]:PORT, unix:PATH, or a path with a slash in it. Default:"
                            + " ${DEFAULT-VALUE}.")
    private SocketAddress address;

    @Option(names = "--json", description = "Print the line that says where it serves as one JSON object.")
    private boolean json;

    @Parameters(
            arity = "0..1",
            paramLabel = "DIR",
            defaultValue = "tenfold-data",
            description = "Default: ./tenfold-data.")
    private Path directory;

    UpCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws CommandFailure {
        Termination termination = console.termination().get();
        ArrayServer.requireFree(address, console);
        DataDirectory data = DataDirectory.at(directory);
        if (data.members().isEmpty()) {
            create(data);
        }
        try (Members members = Members.open(data.members(), Members.Use.WRITE, console)) {
            ArrayPlan plan = Assembled.forWriting(members.devices(), true, console);
            requireSame(plan);
            return new ArrayServer(console, plan, false, address, json).run(termination);
        }
    }

    private void create(DataDirectory data) throws CommandFailure {
        long size = sizeBytes == null ? SIZE_BYTES : sizeBytes;
        int count = memberCount == null ? MEMBERS : memberCount;
        Layout shape = layout == null ? Layout.near(2) : layout;
        long chunk = chunkBytes == null ? CHUNK_BYTES : chunkBytes;
        if (size < 1) {
            throw CommandFailure.usage("size must be above 0: --size=" + size);
        }
        Shard shard = Shard.ofCaller(0, console.clock());
        ArraySpec spec = new ArraySpec(
                MdUuid.of(UUID.randomUUID()),
                name(),
                shape,
                chunk,
                "1.2",
                MemberFiles.usedBytes(shape, count, chunk, size),
                ArraySpec.CHOOSE,
                true, // Zeroes everywhere: the copies agree.
                false);
        long fileBytes = MemberFiles.fileBytes(spec, count, shard);
        if (!data.create(() -> makeMembers(data, spec, count, fileBytes, shard))) {
            return; // Somebody else has made one meanwhile: whether it is the one asked for is found out next.
        }
        console.say("made " + count + " members of " + Size.exact(fileBytes) + " in " + data);
        if (fileBytes * count > data.freeBytes()) {
            console.say("note: they may grow to " + Size.rounded(fileBytes * count) + ", but only "
                    + Size.rounded(data.freeBytes()) + " are free there");
        }
    }

    /** The directory's own name, which is what the array is called. */
    private String name() {
        Path last = directory.toAbsolutePath().normalize().getFileName();
        String name = last == null ? "tenfold" : last.toString();
        return name.length() > 32 || !name.chars().allMatch(c -> c > ' ' && c < 127 && c != ':') ? "tenfold" : name;
    }

    private void makeMembers(DataDirectory data, ArraySpec spec, int count, long fileBytes, Shard shard)
            throws CommandFailure {
        List<Path> paths = new ArrayList<>();
        for (int slot = 0; slot < count; slot++) {
            paths.add(data.member(slot));
            MemberFiles.create(data.member(slot), fileBytes);
        }
        try (Members members = Members.open(paths, Members.Use.WRITE, console)) {
            List<Optional<BlockDevice>> slots =
                    members.devices().stream().map(Optional::of).toList();
            Failures.orRefuse(() -> ArrayCreation.prepare(spec, slots, shard))
                    .write(() -> MdUuid.of(UUID.randomUUID()), shard);
        } catch (IOException e) {
            throw CommandFailure.failed("cannot make array: " + Failures.words(e), e);
        }
    }

    /** Options that describe another array than the one that is there must not be passed over. */
    private void requireSame(ArrayPlan plan) throws CommandFailure {
        Geometry geometry = plan.geometry();
        requireSame("--members", memberCount, geometry.members());
        requireSame("--layout", layout, geometry.layout());
        requireSame("--chunk", chunkBytes, geometry.chunkBytes());
        if (sizeBytes != null) {
            long used = MemberFiles.usedBytes(geometry.layout(), geometry.members(), geometry.chunkBytes(), sizeBytes);
            long rounded =
                    new Geometry(geometry.layout(), geometry.members(), geometry.chunkBytes(), used).arrayBytes();
            requireSame("--size", Size.exact(rounded), Size.exact(plan.sizeBytes()));
        }
    }

    private void requireSame(String option, Object asked, Object there) throws CommandFailure {
        if (asked != null && !asked.equals(there)) {
            throw CommandFailure.refused(
                            "array in " + directory + " is another one: " + option + "=" + asked + ", there=" + there)
                    .hint("leave the option out, or name another directory");
        }
    }
}
