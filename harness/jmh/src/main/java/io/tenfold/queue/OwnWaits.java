package io.tenfold.queue;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** What one would write without this library, each with the way of waiting that comes with it. */
final class OwnWaits {
    private OwnWaits() {}

    /** A semaphore counts the tags, a concurrent queue holds them. */
    static final class Permits implements TagGate {
        private final Semaphore permits;
        private final ConcurrentLinkedQueue<Integer> free = new ConcurrentLinkedQueue<>();

        Permits(int depth, boolean fair) {
            permits = new Semaphore(depth, fair);
            for (int tag = 0; tag < depth; tag++) {
                free.add(tag);
            }
        }

        @Override
        public void acquire(Caller self) throws InterruptedException {
            int count = self.tags.length;
            if (!permits.tryAcquire(
                    count, 0, TimeUnit.SECONDS)) { // Unlike tryAcquire(count), this is as fair as acquire.
                long since = self.clock.nanos();
                permits.acquire(count);
                self.waits.record(self.clock.nanos() - since);
            }
            for (int i = 0; i < count; i++) {
                self.tags[i] = free.remove();
            }
        }

        @Override
        public void release(int shard, int[] tags) {
            for (int tag : tags) {
                free.add(tag);
            }
            permits.release(tags.length);
        }
    }

    /** A list under its monitor. */
    static final class Monitor implements TagGate {
        private final int[] stack;
        private int free;

        Monitor(int depth) {
            stack = new int[depth];
            for (int tag = depth - 1; tag >= 0; tag--) {
                stack[free++] = tag;
            }
        }

        @Override
        public void acquire(Caller self) throws InterruptedException {
            long since = self.clock.nanos();
            if (take(self.tags)) {
                self.waits.record(self.clock.nanos() - since);
            }
        }

        /** Whether it had to wait. */
        private synchronized boolean take(int[] into) throws InterruptedException {
            boolean waited = free < into.length;
            while (free < into.length) {
                wait();
            }
            free -= into.length;
            System.arraycopy(stack, free, into, 0, into.length);
            return waited;
        }

        @Override
        public synchronized void release(int shard, int[] tags) {
            System.arraycopy(tags, 0, stack, free, tags.length);
            free += tags.length;
            notifyAll();
        }
    }
}
