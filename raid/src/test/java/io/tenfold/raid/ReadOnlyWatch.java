package io.tenfold.raid;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.Request;
import java.util.ArrayList;
import java.util.List;

/** A device that writes down each request that would change it, and passes it on. */
final class ReadOnlyWatch implements BlockDevice {
    private final BlockDevice device;
    private final List<String> changes = new ArrayList<>();

    ReadOnlyWatch(BlockDevice device) {
        this.device = device;
    }

    /** What tried to change the device. */
    List<String> changes() {
        return changes;
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public long sizeBytes() {
        return device.sizeBytes();
    }

    @Override
    public DeviceLimits limits() {
        return device.limits();
    }

    @Override
    public Channel open(Shard shard) {
        Channel channel = device.open(shard);
        return new Channel() {
            @Override
            public boolean submit(Request request) {
                if (request.op().changes()) {
                    changes.add(request.toString());
                }
                return channel.submit(request);
            }

            @Override
            public void commit() {
                channel.commit();
            }

            @Override
            public int poll(int max) {
                return channel.poll(max);
            }

            @Override
            public void close() {
                channel.close();
            }
        };
    }

    @Override
    public void close() {
        device.close();
    }
}
