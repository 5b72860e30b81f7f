package io.tenfold.testkit;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;
import tools.jackson.databind.json.JsonMapper;

/**
 * The member images in {@code harness/corpus}, made by mdadm and a real Linux kernel, and what they must read as.
 *
 * <p>Unpacks without tar or xz on the machine, and keeps holes holes: a set takes a tenth of its size on disk.
 * Immutable; any thread may use one.
 */
public final class Corpus {
    /** Where the corpus lies, for builds that keep it elsewhere than in the repository. */
    public static final String DIRECTORY_PROPERTY = "tenfold.corpus";

    private static final int HOLE_BYTES = 4096;

    private final Path directory;
    private final List<ArraySet> sets;

    /** What the manifest holds, as far as it is read here. */
    private record Manifest(int format, List<ArraySet> sets) {}

    private Corpus(Path directory) {
        this.directory = directory;
        Path file = directory.resolve("manifest.json");
        Manifest manifest = JsonMapper.builder().build().readValue(file.toFile(), Manifest.class);
        if (manifest.format() != 1) {
            throw new IllegalStateException(
                    "unknown format of the corpus: file=" + file + ", format=" + manifest.format());
        }
        this.sets = List.copyOf(manifest.sets());
    }

    /** The corpus of this repository, found from the working directory upwards. */
    public static Corpus open() {
        String given = System.getProperty(DIRECTORY_PROPERTY);
        return new Corpus(given != null ? Path.of(given) : Repository.root().resolve("harness/corpus"));
    }

    /** All sets, in the manifest's order. */
    public List<ArraySet> sets() {
        return sets;
    }

    /** The set of that name. */
    public ArraySet set(String name) {
        return sets.stream()
                .filter(set -> set.name().equals(name))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("no such set in the corpus: name=" + name));
    }

    /** The words of mdadm or the kernel about a set; {@code kind} is detail, examine or kernel. */
    public String text(ArraySet set, String kind) throws IOException {
        return Files.readString(directory.resolve("text/" + set.name() + "." + kind + ".txt"));
    }

    /**
     * Unpacks the set below {@code into}, as {@code into/SET/mN.img}.
     *
     * @return the member files, in the manifest's order
     */
    public List<Path> unpack(ArraySet set, Path into) throws IOException {
        try (InputStream file = Files.newInputStream(directory.resolve(set.archive()));
                TarArchiveInputStream tar =
                        new TarArchiveInputStream(new BufferedInputStream(new XZInputStream(file)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                if (entry.isFile()) {
                    Path target = into.resolve(entry.getName()).normalize();
                    if (!target.startsWith(into)) {
                        throw new IOException("entry outside the target: name=" + entry.getName());
                    }
                    Files.createDirectories(target.getParent());
                    writeSparse(tar, target);
                }
            }
        }
        List<Path> members = new ArrayList<>();
        for (ArraySet.Member member : set.members()) {
            members.add(into.resolve(member.file()));
        }
        return members;
    }

    /** Unpacks the set of that name; see {@link #unpack(ArraySet, Path)}. */
    public List<Path> unpack(String name, Path into) throws IOException {
        return unpack(set(name), into);
    }

    private static void writeSparse(InputStream in, Path target) throws IOException {
        byte[] zeros = new byte[HOLE_BYTES];
        try (SeekableByteChannel out =
                Files.newByteChannel(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            long size = 0;
            for (byte[] block = in.readNBytes(HOLE_BYTES); block.length > 0; block = in.readNBytes(HOLE_BYTES)) {
                boolean last = block.length < HOLE_BYTES;
                if (last || !Arrays.equals(block, zeros)) {
                    out.position(size);
                    out.write(ByteBuffer.wrap(block));
                }
                size += block.length;
            }
            if (out.size() < size) {
                out.position(size - 1);
                out.write(ByteBuffer.wrap(new byte[1]));
            }
        }
    }
}
