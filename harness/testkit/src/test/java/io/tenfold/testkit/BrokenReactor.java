package io.tenfold.testkit;

import io.tenfold.base.ByteStream;
import io.tenfold.base.Clock;
import io.tenfold.base.Reactor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.util.function.Consumer;

/** A sound reactor with one fault added. */
final class BrokenReactor implements Reactor {
    enum Fault {
        NONE,
        LOSES_WAKES,
        NEVER_SLEEPS,
        RUNS_TASKS_AT_ONCE,
        SWAPS_PARTS,
        FORGETS_THE_LAST_PART,
        IGNORES_THE_OFFSET,
        CALLS_A_RESET_AN_END,
        CALLS_A_BROKEN_SEND_GOOD,
        TELLS_CLOSED_TWICE,
        TELLS_CLOSED_WITHIN_CLOSE,
        REPLACES_LIVE_SOCKETS,
        KEEPS_THE_SOCKET_FILE,
        KEEPS_CONNECTIONS_ON_CLOSE
    }

    private final Reactor sound;
    private final Fault fault;

    BrokenReactor(Reactor sound, Fault fault) {
        this.sound = sound;
        this.fault = fault;
    }

    @Override
    public int index() {
        return sound.index();
    }

    @Override
    public Clock clock() {
        return sound.clock();
    }

    @Override
    public void park(long nanosMax) {
        if (fault != Fault.NEVER_SLEEPS) {
            sound.park(nanosMax);
        }
    }

    @Override
    public void wake() {
        if (fault != Fault.LOSES_WAKES) {
            sound.wake();
        }
    }

    @Override
    public void execute(Runnable task) {
        if (fault == Fault.RUNS_TASKS_AT_ONCE) {
            task.run();
        } else {
            sound.execute(task);
        }
    }

    @Override
    public Listener listen(SocketAddress at, Consumer<Incoming> onConnect) throws IOException {
        if (fault == Fault.REPLACES_LIVE_SOCKETS && at instanceof UnixDomainSocketAddress unix) {
            Files.deleteIfExists(unix.getPath());
        }
        Listener listener = sound.listen(at, onConnect);
        return new Listener() {
            @Override
            public SocketAddress address() {
                return listener.address();
            }

            @Override
            public void close() {
                listener.close();
                if (fault == Fault.KEEPS_THE_SOCKET_FILE && at instanceof UnixDomainSocketAddress unix) {
                    try {
                        Files.createFile(unix.getPath());
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            }
        };
    }

    @Override
    public ByteStream adopt(Incoming connection, ByteStream.Handler handler) {
        BrokenHandler broken = new BrokenHandler(handler);
        return new BrokenStream(sound.adopt(connection, broken), broken);
    }

    @Override
    public int poll() {
        return sound.poll();
    }

    @Override
    public void close() {
        if (fault != Fault.KEEPS_CONNECTIONS_ON_CLOSE) {
            sound.close();
        }
    }

    private final class BrokenHandler implements ByteStream.Handler {
        final ByteStream.Handler handler;
        boolean toldEarly;

        BrokenHandler(ByteStream.Handler handler) {
            this.handler = handler;
        }

        @Override
        public void received(int bytes) {
            boolean hide = fault == Fault.CALLS_A_RESET_AN_END && bytes == ByteStream.BROKEN;
            handler.received(hide ? ByteStream.END : bytes);
        }

        @Override
        public void sent(boolean ok) {
            handler.sent(ok || fault == Fault.CALLS_A_BROKEN_SEND_GOOD);
        }

        @Override
        public void closed() {
            if (!toldEarly) {
                handler.closed();
            }
            if (fault == Fault.TELLS_CLOSED_TWICE) {
                handler.closed();
            }
        }
    }

    private final class BrokenStream implements ByteStream {
        final ByteStream stream;
        final BrokenHandler handler;

        BrokenStream(ByteStream stream, BrokenHandler handler) {
            this.stream = stream;
            this.handler = handler;
        }

        @Override
        public void receive(MemorySegment into, long offset, long length) {
            stream.receive(into, fault == Fault.IGNORES_THE_OFFSET ? 0 : offset, length);
        }

        @Override
        public void send(MemorySegment[] parts, long[] offsets, long[] lengths, int count) {
            if (fault == Fault.SWAPS_PARTS && count > 1) {
                swap(parts, offsets, lengths, count);
            }
            stream.send(parts, offsets, lengths, fault == Fault.FORGETS_THE_LAST_PART && count > 1 ? count - 1 : count);
        }

        private static void swap(MemorySegment[] parts, long[] offsets, long[] lengths, int count) {
            int last = count - 1;
            MemorySegment part = parts[0];
            parts[0] = parts[last];
            parts[last] = part;
            long offset = offsets[0];
            offsets[0] = offsets[last];
            offsets[last] = offset;
            long length = lengths[0];
            lengths[0] = lengths[last];
            lengths[last] = length;
        }

        @Override
        public void close() {
            if (fault == Fault.TELLS_CLOSED_WITHIN_CLOSE && !handler.toldEarly) {
                handler.toldEarly = true;
                handler.handler.closed();
            }
            stream.close();
        }

        @Override
        public String peer() {
            return stream.peer();
        }
    }
}
