package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing is allocated by taking, waiting for, or giving back a tag. */
class TagAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 20_000;

    private final TagClaim waiter = TagClaim.polled(1, WaiterStub.SILENT, 4, (_, _, _) -> {});
    private final int[] three = new int[3];

    /** The semaphore's queue allocates nodes, which is what it is there to show. */
    @ParameterizedTest
    @EnumSource(value = TagDesign.class, names = "SEMAPHORE", mode = EnumSource.Mode.EXCLUDE)
    void nothingIsAllocated(TagDesign design) {
        for (WakePolicy policy : TagSetTest.policies()) {
            TagSet set = new TagSet(design, 4, 1, 2, policy);
            run(set);
            long before = THREADS.getCurrentThreadAllocatedBytes();
            run(set);
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            // The measurement itself, and what the JIT compiler does on this thread, is no more than this.
            assertThat(allocated).as("%s, %s", design, policy).isLessThan(ROUNDS);
        }
    }

    /** The canary: the measurement sees the semaphore's nodes. */
    @ParameterizedTest
    @EnumSource(value = TagDesign.class, names = "SEMAPHORE")
    void nodesAreSeen(TagDesign design) {
        TagSet set = new TagSet(design, 4, 1, 2, WakePolicy.DEFAULT);
        run(set);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        run(set);
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isGreaterThan(10L * ROUNDS);
    }

    private void run(TagSet set) {
        for (int i = 0; i < ROUNDS; i++) {
            while (!set.tryAcquireExactly(0, 3, three, 0)) {
                set.poll(1); // Answers, where the tags are in its cache.
            }
            int one;
            while ((one = set.tryAcquire(0)) == TagSet.NONE) {
                set.poll(1);
            }
            set.acquire(waiter, 2);
            set.release(0, one);
            set.release(0, three, 0, 3);
            set.poll(0);
            set.poll(1);
            set.release(1, waiter.tag(0));
            set.release(1, waiter.tag(1));
        }
    }
}
