package io.tenfold.raid;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.MemoryDevice;
import io.tenfold.block.SliceDevice;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Member images in memory, under the names of their files. */
final class Images implements AutoCloseable {
    static final Shard SHARD = Shard.ofCaller(0, Clock.system());

    private final List<MemoryDevice> memories = new ArrayList<>();
    private final List<BlockDevice> devices = new ArrayList<>();

    /** Reads files. */
    static Images of(List<Path> files) throws IOException {
        Images images = new Images();
        for (Path file : files) {
            MemorySegment memory = images.add(file.getFileName().toString(), Files.size(file));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                for (long at = 0; at < memory.byteSize(); ) {
                    at += channel.read(memory.asSlice(at).asByteBuffer(), at);
                }
            }
        }
        return images;
    }

    /** Adds a device of zeroes and gives its memory. */
    MemorySegment add(String name, long sizeBytes) {
        MemoryDevice memory = new MemoryDevice(sizeBytes);
        memories.add(memory);
        devices.add(new SliceDevice(memory, name, 0, sizeBytes));
        return memory.memory();
    }

    List<BlockDevice> devices() {
        return List.copyOf(devices);
    }

    List<BlockDevice> devices(String... names) {
        return Arrays.stream(names).map(this::device).toList();
    }

    BlockDevice device(String name) {
        return devices.stream().filter(d -> d.name().equals(name)).findFirst().orElseThrow();
    }

    MemorySegment memory(String name) {
        return memories.get(devices.indexOf(device(name))).memory();
    }

    Examination examine() {
        return Examination.of(devices(), SHARD);
    }

    Examination examine(String... names) {
        return Examination.of(devices(names), SHARD);
    }

    @Override
    public void close() {
        memories.forEach(MemoryDevice::close);
    }
}
