package io.tenfold.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.block.MemoryDevice;
import io.tenfold.testkit.NbdClient;
import io.tenfold.testkit.ThreadCost;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The data path makes no garbage once it is warm. */
@Timeout(120)
class AllocationTest {
    private static final int DEPTH = 32;
    private static final int ROUNDS = 300;
    private static final int WARM_UP = 600;

    @Test
    void smallRequestsAllocateNothing() throws IOException {
        for (int command : new int[] {0, 1, 3, 4, 6}) {
            assertThat(bytesPerRequest(command, 4096)).as("command=" + command).isLessThan(1);
        }
    }

    @Test
    void largeRequestsAllocateWhatTheJdkDoesForAGatheringWrite() throws IOException {
        assertThat(bytesPerRequest(0, 256 << 10)).as("reads").isLessThan(400);
        assertThat(bytesPerRequest(1, 256 << 10)).as("writes").isLessThan(200);
    }

    private static double bytesPerRequest(int command, int length) throws IOException {
        try (MemoryDevice device = new MemoryDevice(64 << 20);
                RunningServer server = new RunningServer(new Export("disk", "", device, false));
                NbdClient client = NbdClient.connect(server.unix("disk"))) {
            int depth = length > 65536 ? 4 : DEPTH;
            ByteBuffer batch = ByteBuffer.allocate(depth * (28 + (command == 1 ? length : 0)));
            for (int i = 0; i < depth; i++) {
                batch.put(NbdClient.request(
                        0, command, i, command == 3 ? 0 : i * (long) length, command == 3 ? 0 : length));
                batch.position(batch.position() + (command == 1 ? length : 0));
            }
            int replyBytes = depth * (16 + (command == 0 ? length : 0));
            repeat(client, batch, replyBytes, WARM_UP);
            long before = server.onShard(_ -> ThreadCost.allocatedBytes());
            repeat(client, batch, replyBytes, ROUNDS);
            long after = server.onShard(_ -> ThreadCost.allocatedBytes());
            return (after - before) / ((double) ROUNDS * depth);
        }
    }

    private static void repeat(NbdClient client, ByteBuffer batch, int replyBytes, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            client.send(batch.rewind().limit(batch.capacity()));
            client.receive(replyBytes);
        }
    }
}
