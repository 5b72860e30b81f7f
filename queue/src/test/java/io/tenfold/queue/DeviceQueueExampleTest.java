package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Clock;
import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.MemoryDevice;
import io.tenfold.block.Request;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The example of docs/queue.md, which is this method's text, does what the page says. */
class DeviceQueueExampleTest {
    @Test
    void exampleWorks() {
        BlockDevice device = NarrowDevice.of(new MemoryDevice(1 << 20), 128 << 10, 64, 1 << 20, 0);
        assertThat(run(device)).containsExactly(IoStatus.OK, IoStatus.OK);
    }

    private static List<IoStatus> run(BlockDevice device) {
        List<IoStatus> log = new ArrayList<>();
        // example: queue
        QueueOptions options = QueueOptions.DEFAULT.withDepth(32).withWriteCache(WriteCache.VOLATILE);
        DeviceQueue queue = new DeviceQueue(device, options, 4); // For the shards 0 to 3.

        Shard self = Shard.ofCaller(0, Clock.system()); // This thread's. Made once.
        Channel channel = queue.open(self);
        Request big = new Request(request -> log.add(request.status())); // Made once, used again and again.
        Request small = new Request(request -> log.add(request.status()));
        MemorySegment memory = MemorySegment.ofArray(new byte[512 << 10]);

        channel.submit(big.write(0, memory, 0, 512 << 10, true)); // Four pieces and a flush on this device.
        channel.submit(small.read(768 << 10, memory, 0, 4096));
        channel.commit();
        while (log.size() < 2) {
            if (channel.poll(32) == 0) {
                self.park(Long.MAX_VALUE);
            }
        }
        channel.close();
        queue.close();
        // end
        return log;
    }

    @Test
    void pageShowsThisMethod() throws Exception {
        String page = Files.readString(Path.of("../docs/queue.md"));
        List<String> lines = Files.readAllLines(Path.of("src/test/java/io/tenfold/queue/DeviceQueueExampleTest.java"));
        StringBuilder text = new StringBuilder();
        int at = lines.indexOf("        // example: queue") + 1;
        assertThat(at).isPositive();
        while (!lines.get(at).equals("        // end")) {
            text.append(lines.get(at++).replaceFirst("^ {8}", "")).append('\n');
        }
        assertThat(page).contains("```java\n" + text + "```");
    }
}
