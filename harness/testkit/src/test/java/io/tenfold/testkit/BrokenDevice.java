package io.tenfold.testkit;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.MemoryDevice;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import java.util.function.UnaryOperator;

/** A memory device whose channels are spoilt on purpose. */
final class BrokenDevice implements BlockDevice {
    private final MemoryDevice memory = new MemoryDevice(2 << 20);
    private final UnaryOperator<Channel> spoil;

    BrokenDevice(UnaryOperator<Channel> spoil) {
        this.spoil = spoil;
    }

    /** A channel that passes everything on. */
    static class Passing implements Channel {
        final Channel below;

        Passing(Channel below) {
            this.below = below;
        }

        @Override
        public boolean submit(Request request) {
            return below.submit(request);
        }

        @Override
        public void commit() {
            below.commit();
        }

        @Override
        public int poll(int max) {
            return below.poll(max);
        }

        @Override
        public void close() {
            below.close();
        }
    }

    /** Says that it did what it was asked for, and did not. */
    static Channel forgets(Channel below, Op forgotten) {
        return new Passing(below) {
            private Request held;

            @Override
            public boolean submit(Request request) {
                if (request.op() != forgotten) {
                    return super.submit(request);
                }
                if (held != null) {
                    return false;
                }
                request.started();
                held = request;
                return true;
            }

            @Override
            public int poll(int max) {
                if (held == null) {
                    return super.poll(max);
                }
                Request done = held;
                held = null;
                done.complete(io.tenfold.block.IoStatus.OK);
                return 1;
            }
        };
    }

    /** Delivers completions from within commit. */
    static Channel completesInCommit(Channel below) {
        return new Passing(below) {
            @Override
            public void commit() {
                super.commit();
                super.poll(Integer.MAX_VALUE);
            }
        };
    }

    /** Uses the first piece of memory only. */
    static Channel takesOneSegment(Channel below) {
        return new Passing(below) {
            @Override
            public boolean submit(Request request) {
                if (request.segments() > 1) {
                    Request whole = request;
                    long offset = whole.offset();
                    long length = whole.length();
                    Op op = whole.op();
                    var memory = whole.memory(0);
                    whole.start(op, offset, length, false).add(memory, 0, length);
                }
                return super.submit(request);
            }
        };
    }

    @Override
    public String name() {
        return "broken";
    }

    @Override
    public long sizeBytes() {
        return memory.sizeBytes();
    }

    @Override
    public DeviceLimits limits() {
        return memory.limits();
    }

    @Override
    public Channel open(Shard shard) {
        return spoil.apply(memory.open(shard));
    }

    @Override
    public void close() {
        memory.close();
    }
}
