package io.tenfold.lab;

import io.tenfold.base.Clock;
import io.tenfold.block.NullDevice;
import io.tenfold.queue.DeviceQueue;
import io.tenfold.queue.QueueOptions;
import io.tenfold.queue.TagDesign;

/** One run of one design of tags, or of the atomic additions beside which they are seen: the child process's part. */
final class TagsRun {
    /** In place of a design: atomic additions, by as many threads as the next argument says. */
    static final String ADDS = "ADDS";

    private static final long MILLI = 1_000_000;

    private TagsRun() {}

    /** Arguments: design, depth, threads, window, milliseconds to warm up, milliseconds to measure; prints the outcome. */
    public static void main(String[] arguments) throws InterruptedException {
        int[] numbers = new int[arguments.length];
        for (int i = 1; i < arguments.length; i++) {
            numbers[i] = Integer.parseInt(arguments[i]);
        }
        if (arguments[0].equals(ADDS)) {
            System.out.println(
                    AtomicAdds.perSecond(Clock.system(), numbers[1], numbers[2] * MILLI, numbers[3] * MILLI));
        } else {
            TagDesign design = TagDesign.valueOf(arguments[0]);
            System.out.println(run(
                            Clock.system(),
                            design,
                            numbers[1],
                            numbers[2],
                            numbers[3],
                            numbers[4] * MILLI,
                            numbers[5] * MILLI)
                    .line());
        }
    }

    static TagsLoad.Outcome run(
            Clock clock, TagDesign design, int depth, int threads, int window, long warmUpNanos, long measureNanos)
            throws InterruptedException {
        QueueOptions options =
                QueueOptions.DEFAULT.withTagDesign(design).withDepth(depth).withHardwareQueues(threads);
        try (DeviceQueue queue = new DeviceQueue(new NullDevice(1 << 30), options, threads)) {
            return new TagsLoad(clock, queue, threads, window).run(warmUpNanos, measureNanos);
        }
    }
}
