package io.tenfold.block;

import io.tenfold.base.Shard;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A device that passes everything on to another, but for the requests that a {@link Fault} strikes: those fail without
 * reaching it. Every failure made here is counted, so that a checker can tell an injected fault from a real one.
 *
 * <p>Threads: faults may be changed from any thread while channels are in use; each request sees the old or the new.
 */
public final class FaultDevice implements BlockDevice {
    /** Something that goes wrong. */
    @FunctionalInterface
    public interface Fault {
        /** Nothing goes wrong. */
        Fault NONE = _ -> null;

        /**
         * How this request is to fail, or null if this fault does not touch it. Asked once for each request, on the thread
         * that submits it; on several threads at a time.
         */
        IoStatus strike(Request request);

        /**
         * Fails every request of a kind that touches a range.
         *
         * @param op the kind; a flush touches every range
         * @param from first byte
         * @param to the byte behind the last; {@link Long#MAX_VALUE} is the end of the device
         */
        static Fault in(Op op, long from, long to, IoStatus how) {
            return request -> request.op() == op && (op == Op.FLUSH || (request.offset() < to && request.end() > from))
                    ? how
                    : null;
        }

        /** Fails every request of any kind. */
        static Fault all(IoStatus how) {
            return _ -> how;
        }

        /** This fault, once it would have struck {@code count} times. */
        default Fault after(long count) {
            AtomicLong spared = new AtomicLong();
            return request -> {
                IoStatus how = strike(request);
                return how == null || spared.getAndIncrement() < count ? null : how;
            };
        }

        /** This fault, for the first {@code count} requests that it strikes. */
        default Fault times(long count) {
            AtomicLong struck = new AtomicLong();
            return request -> {
                IoStatus how = strike(request);
                return how == null || struck.getAndIncrement() >= count ? null : how;
            };
        }

        /** This fault, or where it does not strike, another. */
        default Fault or(Fault other) {
            return request -> {
                IoStatus how = strike(request);
                return how == null ? other.strike(request) : how;
            };
        }
    }

    private final BlockDevice device;
    private final AtomicLong injected = new AtomicLong();
    private volatile Fault fault = Fault.NONE;

    /**
     * A device without faults yet.
     *
     * @param device what everything is passed on to; closed with this
     */
    public FaultDevice(BlockDevice device) {
        this.device = device;
    }

    /** Makes this the only fault from now on; {@link Fault#NONE} heals. */
    public void inject(Fault next) {
        fault = next;
    }

    /** How many requests were failed here. */
    public long injected() {
        return injected.get();
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
        return new FaultChannel(device.open(shard));
    }

    @Override
    public void close() {
        device.close();
    }

    private final class FaultChannel implements Channel {
        private final Channel under;
        private final RequestList struck = new RequestList();

        FaultChannel(Channel under) {
            this.under = under;
        }

        @Override
        public boolean submit(Request request) {
            IoStatus how = fault.strike(request);
            if (how == null) {
                return under.submit(request);
            }
            injected.getAndIncrement();
            request.started();
            request.outcome(how);
            struck.add(request);
            return true;
        }

        @Override
        public void commit() {
            under.commit();
        }

        @Override
        public int poll(int max) {
            int count = Math.min(max, struck.size());
            for (int i = 0; i < count; i++) {
                struck.poll().complete();
            }
            return count < max ? count + under.poll(max - count) : count;
        }

        @Override
        public void close() {
            assert struck.isEmpty() : "closed with undelivered completions: " + struck.size();
            under.close();
        }
    }
}
