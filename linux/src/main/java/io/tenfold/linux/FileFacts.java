package io.tenfold.linux;

import io.tenfold.block.DeviceLimits;

/**
 * What was found out about a file when it was opened.
 *
 * @param sizeBytes a multiple of the limits' block
 * @param isDirect opened with O_DIRECT
 * @param isInMemory its file system is memory: no transfer ever waits
 * @param zeroWay the best way to write zeroes, as far as known
 */
record FileFacts(
        long sizeBytes, boolean isDirect, boolean isInMemory, LinuxFile.ZeroWay zeroWay, DeviceLimits limits) {}
