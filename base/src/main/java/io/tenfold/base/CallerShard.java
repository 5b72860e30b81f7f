package io.tenfold.base;

/** A thread that is its own event loop. */
record CallerShard(int index, Clock clock, Waiter waiter) implements Shard {
    CallerShard {
        if (index < 0) {
            throw new IllegalArgumentException("a shard's index counts from 0: index=" + index);
        }
    }

    @Override
    public void park(long nanosMax) {
        waiter.park(nanosMax);
    }

    @Override
    public void wake() {
        waiter.wake();
    }
}
