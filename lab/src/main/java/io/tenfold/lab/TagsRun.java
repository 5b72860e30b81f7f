package io.tenfold.lab;

import io.tenfold.base.Clock;
import io.tenfold.block.NullDevice;
import io.tenfold.queue.DeviceQueue;
import io.tenfold.queue.QueueOptions;
import io.tenfold.queue.TagDesign;

/** One run of one design of tags: the child process's part of experiment D. */
final class TagsRun {
    private TagsRun() {}

    /** Arguments: design, depth, threads, window, milliseconds to warm up, milliseconds to measure; prints the outcome. */
    public static void main(String[] arguments) throws InterruptedException {
        TagsLoad.Outcome outcome = run(
                Clock.system(),
                TagDesign.valueOf(arguments[0]),
                Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3]),
                ChildJvm.nanos(arguments[4]),
                ChildJvm.nanos(arguments[5]));
        System.out.println(outcome.line());
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
