package io.tenfold.testkit;

import io.tenfold.block.BlockDevice;
import io.tenfold.block.MemoryDevice;

class MemoryDeviceTest extends DeviceContract {
    @Override
    protected BlockDevice makeDevice() {
        return new MemoryDevice(2 << 20);
    }
}
