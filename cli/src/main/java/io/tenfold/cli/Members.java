package io.tenfold.cli;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.FileDevice;
import io.tenfold.block.SliceDevice;
import io.tenfold.linux.LinuxFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The members that a command was given: files and block devices, each opened once however many names it was given by, and
 * locked where the command needs that nobody changes them.
 */
final class Members implements AutoCloseable {
    /** What a command does with its members. */
    enum Use {
        /** Looks at them as they are, whoever else uses them. Those that cannot be opened are left out and said. */
        LOOK,
        /** Reads an array from them: nobody may write to them meanwhile. */
        READ,
        /** Writes to them: nobody else may use them meanwhile. */
        WRITE
    }

    private final List<BlockDevice> devices = new ArrayList<>();
    private final List<MemberLock> locks = new ArrayList<>();
    private final Map<Object, Path> byIdentity = new HashMap<>();
    private int unopened;

    private Members() {}

    /**
     * Opens members.
     *
     * @throws CommandFailure if one of them cannot be used so, unless they are only looked at; none is open then
     */
    static Members open(List<Path> paths, Use use, Console console) throws CommandFailure {
        Members members = new Members();
        try {
            for (Path path : paths) {
                try {
                    members.add(path, use, console);
                } catch (CommandFailure failure) {
                    if (use != Use.LOOK) {
                        throw failure;
                    }
                    failure.lines().forEach(console.err()::println);
                    members.unopened++;
                }
            }
            return members;
        } catch (CommandFailure | RuntimeException e) {
            members.close();
            throw e;
        }
    }

    private void add(Path path, Use use, Console console) throws CommandFailure {
        Object identity = identity(path);
        Path first = byIdentity.putIfAbsent(identity, path);
        if (first != null) {
            console.say("two names of one member, which is used once: first=" + first + ", second=" + path);
            return;
        }
        if (use != Use.LOOK) {
            locks.add(MemberLock.acquire(path, use == Use.WRITE));
        }
        try {
            boolean readOnly = use != Use.WRITE;
            devices.add(LinuxFile.isAvailable() ? LinuxFile.open(path, readOnly) : FileDevice.open(path, readOnly));
        } catch (IOException e) {
            throw CommandFailure.failed("cannot open member: " + Failures.words(e), e);
        }
    }

    /**
     * What tells a file or device from all others.
     *
     * @throws CommandFailure if it is none that could be a member
     */
    static Object identity(Path path) throws CommandFailure {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            if (attributes.isDirectory()) {
                throw CommandFailure.failed("member is a directory: path=" + path)
                        .hint("name the files or devices in it");
            }
            if (attributes.isRegularFile()) {
                return attributes.fileKey() != null ? attributes.fileKey() : path.toRealPath();
            }
            if (BlockDevices.isBlockDevice(path)) {
                return "device " + BlockDevices.number(path);
            }
            throw CommandFailure.failed("member is neither a file nor a block device: path=" + path);
        } catch (IOException e) {
            throw CommandFailure.failed("cannot open member: " + Failures.words(e), e);
        }
    }

    /** The opened ones, in the order in which they were named. */
    List<BlockDevice> devices() {
        return devices;
    }

    /** Whether a file or device is one of these, under any name. */
    boolean contains(Path path) throws CommandFailure {
        return byIdentity.containsKey(identity(path));
    }

    /** Whether a block device is the same disk as a member, a partition of it, or the disk around it. */
    boolean overlaps(Path device) throws IOException {
        for (Path member : byIdentity.values()) {
            if (BlockDevices.isBlockDevice(member) && BlockDevices.overlap(member, device)) {
                return true;
            }
        }
        return false;
    }

    /** How channels to a member do their work, in words. */
    static String kind(BlockDevice member, Shard shard) {
        return switch (member) {
            case LinuxFile file -> file.kind(shard);
            case SliceDevice slice -> kind(slice.device(), shard);
            default -> "blocking calls, page cache: " + LinuxFile.unavailableBecause();
        };
    }

    /** How many could not be opened. */
    int unopened() {
        return unopened;
    }

    @Override
    public void close() {
        devices.forEach(BlockDevice::close);
        locks.forEach(MemberLock::close);
    }
}
