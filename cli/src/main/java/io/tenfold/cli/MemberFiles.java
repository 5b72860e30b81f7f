package io.tenfold.cli;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.NullDevice;
import io.tenfold.block.SliceDevice;
import io.tenfold.raid.ArrayCreation;
import io.tenfold.raid.ArraySpec;
import io.tenfold.raid.Geometry;
import io.tenfold.raid.Layout;
import io.tenfold.raid.RefusedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** New member files: how large they must be, and how they come to be and go again. */
final class MemberFiles {
    private static final long MIB = 1 << 20;

    /** The most that is tried for what lies before and behind the data. */
    private static final long METADATA_BYTES_MAX = 1L << 30;

    private MemberFiles() {}

    /**
     * How much of each member an array of a size uses: whole chunks, and for a far layout the same number in each section.
     *
     * @throws CommandFailure if there can be no such array
     */
    static long usedBytes(Layout layout, int members, long chunkBytes, long arrayBytes) throws CommandFailure {
        try {
            Geometry shape = new Geometry(layout, members, chunkBytes, 0); // Checks layout, members and chunk.
            long chunks = Math.ceilDiv(arrayBytes, chunkBytes);
            long step = layout.far();
            long used = Math.ceilDiv(Math.ceilDiv(Math.multiplyExact(chunks, layout.copies()), members), step) * step;
            while (new Geometry(layout, members, chunkBytes, used * chunkBytes).arrayBytes() < arrayBytes) {
                used += step;
            }
            return Math.multiplyExact(used, shape.chunkBytes());
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw CommandFailure.refused("no such array can be: " + e.getMessage());
        }
    }

    /**
     * The size of a file that has room for its part of an array, and for what md keeps beside it.
     *
     * @throws CommandFailure if no such array can be
     */
    static long fileBytes(ArraySpec spec, int members, Shard shard) throws CommandFailure {
        for (long room = MIB; ; room *= 2) {
            long bytes = Math.ceilDiv(spec.memberBytes(), MIB) * MIB + room;
            List<Optional<BlockDevice>> trial = new ArrayList<>();
            for (int slot = 0; slot < members; slot++) {
                trial.add(Optional.of(new SliceDevice(new NullDevice(bytes), "member " + slot, 0, bytes)));
            }
            try {
                ArrayCreation.prepare(spec, trial, shard);
                return bytes;
            } catch (RefusedException e) {
                if (room >= METADATA_BYTES_MAX) {
                    throw Failures.refusal(e.refusal());
                }
            }
        }
    }

    /**
     * Makes a file of zeroes that takes no room yet.
     *
     * @throws CommandFailure if it cannot be made, or is there already
     */
    static void create(Path path, long bytes) throws CommandFailure {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), bytes - 1);
            file.force(true);
        } catch (FileAlreadyExistsException e) {
            throw CommandFailure.refused("file exists already: path=" + path);
        } catch (IOException e) {
            deleteAll(List.of(path));
            throw CommandFailure.failed("cannot make member file: " + Failures.words(e) + ", size=" + bytes, e);
        }
    }

    /** Takes back files that were made here. */
    static void deleteAll(List<Path> paths) {
        for (Path path : paths) {
            try {
                Files.deleteIfExists(path);
            } catch (IOException _) {
                // Whoever made it says that something went wrong already.
            }
        }
    }
}
