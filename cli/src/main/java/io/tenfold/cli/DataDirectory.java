package io.tenfold.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The directory in which {@code up} keeps an array: each {@code *.img} file in it is a member.
 *
 * <p>While an array is being made there, a file {@value #MARKER} says so. It is made before the first member and removed
 * when all members are stable, before anybody is served; so members that lie beside it hold nothing yet, and whoever finds
 * it unlocked takes them away and begins anew.
 */
final class DataDirectory {
    private static final String MARKER = ".creating";

    private final Path path;

    private DataDirectory(Path path) {
        this.path = path;
    }

    /**
     * A directory that is there, or may be made when there is something to put into it.
     *
     * @throws CommandFailure if it is something else
     */
    static DataDirectory at(Path path) throws CommandFailure {
        if (Files.exists(path) && !Files.isDirectory(path)) {
            throw CommandFailure.failed("not a directory: path=" + path);
        }
        return new DataDirectory(path);
    }

    /** The members in it, without those of an array that was never finished. */
    List<Path> members() throws CommandFailure {
        return isUnfinished() ? List.of() : images();
    }

    /** Where the member of a slot is to be. */
    Path member(int slot) {
        return path.resolve("member-" + slot + ".img");
    }

    private Path marker() {
        return path.resolve(MARKER);
    }

    /** What those who make an array here lock. */
    private Path lock() {
        return path.resolve(".lock");
    }

    private boolean isUnfinished() {
        return Files.exists(marker());
    }

    private List<Path> images() throws CommandFailure {
        return list().stream()
                .filter(file -> file.getFileName().toString().endsWith(".img") && !isHidden(file))
                .filter(Files::isRegularFile)
                .sorted()
                .toList();
    }

    private List<Path> list() throws CommandFailure {
        if (Files.notExists(path)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.toList();
        } catch (IOException e) {
            throw CommandFailure.failed("cannot list directory: " + Failures.words(e), e);
        }
    }

    private static boolean isHidden(Path file) {
        return file.getFileName().toString().startsWith(".");
    }

    /** Something that makes the members of a new array and leaves them stable. */
    @FunctionalInterface
    interface Making {
        void run() throws CommandFailure;
    }

    /**
     * Has an array made here, all of it or nothing: directories that were made for it go with it.
     *
     * @return false: there is one already, which somebody else has made meanwhile
     * @throws CommandFailure if that fails, or somebody else does it at this moment, or the directory holds other things
     */
    boolean create(Making making) throws CommandFailure {
        List<Path> missing = missingDirectories();
        boolean succeeded = false;
        try {
            Files.createDirectories(path);
            boolean made = createMembers(making);
            succeeded = true;
            return made;
        } catch (IOException e) {
            throw CommandFailure.failed("cannot use directory: " + Failures.words(e), e);
        } finally {
            if (!succeeded && !missing.isEmpty()) {
                MemberFiles.deleteAll(List.of(lock()));
                MemberFiles.deleteAll(missing);
            }
        }
    }

    /** This directory and those above it, as far as they are not there: the innermost first. */
    private List<Path> missingDirectories() {
        return Stream.iterate(
                        path.toAbsolutePath().normalize(),
                        above -> above != null && Files.notExists(above),
                        Path::getParent)
                .toList();
    }

    private boolean createMembers(Making making) throws CommandFailure, IOException {
        if (members().isEmpty() && !isUnfinished()) {
            requireEmpty(); // Before anything is put there.
        }
        try {
            Files.createFile(lock());
        } catch (FileAlreadyExistsException _) {
            // Of somebody who is at it, or was: it stays until an array is there, so that all lock the same file.
        }
        try (MemberLock _ = MemberLock.acquire(lock(), true)) {
            if (isUnfinished()) {
                takeAwayUnfinished(); // Its maker did not come to its end, or it would hold the lock.
            } else if (!images().isEmpty()) {
                return false;
            }
            requireEmpty();
            Files.createFile(marker());
            sync();
            try {
                making.run();
            } catch (CommandFailure | RuntimeException e) {
                takeAwayUnfinished();
                throw e;
            }
            sync();
            Files.delete(marker());
            sync();
            Files.delete(lock()); // Whoever has it open finds an array that is finished.
            return true;
        }
    }

    private void takeAwayUnfinished() throws CommandFailure {
        MemberFiles.deleteAll(images().stream()
                .filter(file -> file.getFileName().toString().matches("member-\\d+\\.img"))
                .toList());
        MemberFiles.deleteAll(List.of(marker()));
    }

    private void requireEmpty() throws CommandFailure {
        List<Path> others = list().stream()
                .filter(file ->
                        !isHidden(file) && !file.getFileName().toString().equals("lost+found"))
                .sorted()
                .toList();
        if (!others.isEmpty()) {
            throw CommandFailure.refused("directory holds no array, but other files: path=" + path + ", first="
                            + others.getFirst().getFileName() + ", count=" + others.size())
                    .hint("name an empty directory, or one that is not there yet");
        }
    }

    /** Makes names stable, on systems where that can be asked for. */
    private void sync() {
        try (FileChannel directory = FileChannel.open(path, StandardOpenOption.READ)) {
            directory.force(true);
        } catch (IOException _) {
            // Elsewhere a directory cannot be opened, and renaming is stable by itself or not at all.
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }

    /** Bytes that may still be written to its file system; {@link Long#MAX_VALUE} if that is not known. */
    long freeBytes() {
        try {
            return Files.getFileStore(path).getUsableSpace();
        } catch (IOException _) {
            return Long.MAX_VALUE;
        }
    }
}
