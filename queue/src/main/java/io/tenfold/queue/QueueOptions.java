package io.tenfold.queue;

/**
 * How a {@link DeviceQueue} works. {@link #DEFAULT}, and changes of it by the {@code with} methods.
 *
 * @param tagDesign how tags are kept
 * @param depth how many pieces may be in the queue at a time, scheduled or in flight, over all shards (the kernel's
 *     nr_requests); 1 to {@link Tags#DEPTH_MAX}. {@link DeviceQueue#resize} goes up to this
 * @param deviceDepth most pieces in flight at the device for each hardware queue, above 0; what is more waits in the
 *     scheduler
 * @param wakePolicy who gets tags when there are too few
 * @param wholeRequests a request that must be cut asks for the tags of all its pieces at once, and they go to the device
 *     next to one another; else it asks for one, sends that piece, and asks for the next when its channel is polled again
 * @param schedule in which order pieces go to the device
 * @param hardwareQueues how many channels to the device are used, 1 to the number of shards
 * @param writeCache what the device does with writes
 * @param boundaryBytes no piece of a read or write crosses a multiple of this; a multiple of the device's block; 0: there
 *     is no boundary
 * @param timeoutNanos how long the device may take before a piece counts as late, in nanoseconds; 0: for ever
 * @param retries how often a piece is sent again that the device failed with {@link io.tenfold.block.IoStatus#IO_ERROR},
 *     or that failed after it was late; 0 or more
 */
public record QueueOptions(
        TagDesign tagDesign,
        int depth,
        int deviceDepth,
        WakePolicy wakePolicy,
        boolean wholeRequests,
        Schedule schedule,
        int hardwareQueues,
        WriteCache writeCache,
        long boundaryBytes,
        long timeoutNanos,
        int retries) {
    /** 128 pieces in one hardware queue, in the order in which they come, over a device that knows FUA. No time-out. */
    public static final QueueOptions DEFAULT = new QueueOptions(
            TagDesign.BITMAP,
            128,
            Tags.DEPTH_MAX,
            WakePolicy.DEFAULT,
            true,
            Schedule.NONE,
            1,
            WriteCache.VOLATILE_WITH_FUA,
            0,
            0,
            0);

    public QueueOptions {
        TagChecks.depth(depth, Tags.DEPTH_MAX);
        require(deviceDepth > 0, "deviceDepth must be above 0", "deviceDepth", deviceDepth);
        require(hardwareQueues > 0, "hardwareQueues must be above 0", "hardwareQueues", hardwareQueues);
        require(boundaryBytes >= 0, "boundaryBytes must not be negative", "boundaryBytes", boundaryBytes);
        require(timeoutNanos >= 0, "timeoutNanos must not be negative", "timeoutNanos", timeoutNanos);
        require(retries >= 0, "retries must not be negative", "retries", retries);
    }

    private static void require(boolean holds, String what, String name, long value) {
        if (!holds) {
            throw new IllegalArgumentException(what + ": " + name + "=" + value);
        }
    }

    /** These with another {@link #tagDesign}. */
    public QueueOptions withTagDesign(TagDesign value) {
        return new QueueOptions(
                value,
                depth,
                deviceDepth,
                wakePolicy,
                wholeRequests,
                schedule,
                hardwareQueues,
                writeCache,
                boundaryBytes,
                timeoutNanos,
                retries);
    }

    /** These with another {@link #depth}. */
    public QueueOptions withDepth(int value) {
        return new QueueOptions(
                tagDesign,
                value,
                deviceDepth,
                wakePolicy,
                wholeRequests,
                schedule,
                hardwareQueues,
                writeCache,
                boundaryBytes,
                timeoutNanos,
                retries);
    }

    /** These with another {@link #deviceDepth}. */
    public QueueOptions withDeviceDepth(int value) {
        return new QueueOptions(
                tagDesign,
                depth,
                value,
                wakePolicy,
                wholeRequests,
                schedule,
                hardwareQueues,
                writeCache,
                boundaryBytes,
                timeoutNanos,
                retries);
    }

    /** These with another {@link #wakePolicy}. */
    public QueueOptions withWakePolicy(WakePolicy value) {
        return new QueueOptions(
                tagDesign,
                depth,
                deviceDepth,
                value,
                wholeRequests,
                schedule,
                hardwareQueues,
                writeCache,
                boundaryBytes,
                timeoutNanos,
                retries);
    }

    /** These with another {@link #wholeRequests}. */
    public QueueOptions withWholeRequests(boolean value) {
        return new QueueOptions(
                tagDesign,
                depth,
                deviceDepth,
                wakePolicy,
                value,
                schedule,
                hardwareQueues,
                writeCache,
                boundaryBytes,
                timeoutNanos,
                retries);
    }

    /** These with another {@link #schedule}. */
    public QueueOptions withSchedule(Schedule value) {
        return new QueueOptions(
                tagDesign,
                depth,
                deviceDepth,
                wakePolicy,
                wholeRequests,
                value,
                hardwareQueues,
                writeCache,
                boundaryBytes,
                timeoutNanos,
                retries);
    }

    /** These with another {@link #hardwareQueues}. */
    public QueueOptions withHardwareQueues(int value) {
        return new QueueOptions(
                tagDesign,
                depth,
                deviceDepth,
                wakePolicy,
                wholeRequests,
                schedule,
                value,
                writeCache,
                boundaryBytes,
                timeoutNanos,
                retries);
    }

    /** These with another {@link #writeCache}. */
    public QueueOptions withWriteCache(WriteCache value) {
        return new QueueOptions(
                tagDesign,
                depth,
                deviceDepth,
                wakePolicy,
                wholeRequests,
                schedule,
                hardwareQueues,
                value,
                boundaryBytes,
                timeoutNanos,
                retries);
    }

    /** These with another {@link #boundaryBytes}. */
    public QueueOptions withBoundaryBytes(long value) {
        return new QueueOptions(
                tagDesign,
                depth,
                deviceDepth,
                wakePolicy,
                wholeRequests,
                schedule,
                hardwareQueues,
                writeCache,
                value,
                timeoutNanos,
                retries);
    }

    /** These with another {@link #timeoutNanos}. */
    public QueueOptions withTimeoutNanos(long value) {
        return new QueueOptions(
                tagDesign,
                depth,
                deviceDepth,
                wakePolicy,
                wholeRequests,
                schedule,
                hardwareQueues,
                writeCache,
                boundaryBytes,
                value,
                retries);
    }

    /** These with another {@link #retries}. */
    public QueueOptions withRetries(int value) {
        return new QueueOptions(
                tagDesign,
                depth,
                deviceDepth,
                wakePolicy,
                wholeRequests,
                schedule,
                hardwareQueues,
                writeCache,
                boundaryBytes,
                timeoutNanos,
                value);
    }
}
