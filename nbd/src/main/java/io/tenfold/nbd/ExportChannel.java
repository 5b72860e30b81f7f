package io.tenfold.nbd;

import io.tenfold.base.BufferPool;
import io.tenfold.base.BufferPool.Buffer;
import io.tenfold.base.Shard;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.block.RequestList;
import io.tenfold.nbd.wire.Offer;
import io.tenfold.nbd.wire.Wire;
import java.util.ArrayDeque;

/**
 * Carries out commands on an export's device, for one shard: cuts each into pieces that the device's limits allow, writes
 * zeroes by hand where the device cannot, and keeps what the channel has no room for.
 *
 * <p>Pieces of one command may complete in any order; the command's error is that of the first that failed, and no more
 * are cut after that.
 */
final class ExportChannel implements AutoCloseable {
    /** Pieces of one command in flight; a command has at most 32 MiB of data. */
    private static final int PIECES_MAX = 32;

    /** The longest piece without data, and how many may be in flight, so that other commands get in between. */
    private static final long SPAN_BYTES_MAX = 64L << 20;

    private static final int SPANS_MAX = 2;

    /** How many completions are taken in one turn. */
    private static final int POLL_MAX = 1024;

    /** How often the buffer of zeroes may come in one piece: with its 256 KiB that makes 1 MiB. */
    private static final int ZERO_SEGMENTS_MAX = 4;

    final Offer offer;

    private final BufferPool pool;
    private final DeviceLimits limits;
    private final Channel channel;
    private final int transferBytesMax;
    private final int alignment;

    /** Free pieces. */
    private final ArrayDeque<Request> free = new ArrayDeque<>();

    /** What the channel had no room for: the first is held apart, so that a failed try keeps its place. */
    private Request held;

    private final RequestList waiting = new RequestList();

    private Buffer zeroes;
    private boolean zeroesNatively;
    private boolean uncommitted;
    private int inFlight;

    ExportChannel(Export export, Offer offer, Shard shard, BufferPool pool) {
        this.offer = offer;
        this.pool = pool;
        limits = export.device().limits();
        alignment = Math.max(limits.memoryAlignment(), 1);
        // Each piece but the last ends where the next may start in memory.
        int unit = Math.max(limits.blockBytes(), alignment);
        transferBytesMax = limits.transferBytesMax() / unit * unit;
        zeroesNatively = limits.zeroBytesMax() > 0;
        channel = export.device().open(shard);
    }

    /** What the buffers for that much data count in the shard's budget. */
    long memoryFor(long bytes) {
        return BufferPool.sizeFor(Math.max(bytes, alignment));
    }

    /** Gives a command the buffers for its data. */
    void acquireBuffers(Command command) {
        long left = command.length;
        while (left > 0) {
            int bytes = (int) Math.min(left, BufferPool.BYTES_MAX);
            command.add(pool.acquire(Math.max(bytes, alignment)));
            left -= bytes;
        }
    }

    /** Whether zeroing is surely faster than writing zeroes would be. */
    boolean zeroesFast(boolean noHole) {
        return zeroesNatively && !noHole;
    }

    /** Starts a command that {@link io.tenfold.nbd.wire.RequestRules} allows. Its connection is told when it has ended. */
    void start(Command command) {
        command.inDevice = true;
        command.status = IoStatus.OK;
        command.anyPieceDone = false;
        // A device may zero by punching a hole; with NO_HOLE the space must be there afterwards.
        command.byHand = command.type == Wire.CMD_WRITE_ZEROES && !zeroesFast(command.noHole);
        restart(command);
        inFlight++;
    }

    private void restart(Command command) {
        command.cutBytes = 0;
        command.pieces = 0;
        advance(command);
    }

    private void advance(Command command) {
        boolean span = !command.byHand && command.bufferCount == 0;
        int most = span ? SPANS_MAX : PIECES_MAX;
        while (command.pieces < most && command.cutBytes < endOf(command)) {
            command.pieces++;
            submit(cut(command));
        }
    }

    /** A flush has no length, and is cut once. */
    private static long endOf(Command command) {
        return command.type == Wire.CMD_FLUSH ? 1 : command.length;
    }

    private Request cut(Command command) {
        Request piece = free.isEmpty() ? new Request(this::completed) : free.pop();
        piece.context(command);
        long offset = command.offset + command.cutBytes;
        long left = command.length - command.cutBytes;
        switch (command.type) {
            case Wire.CMD_READ -> data(piece, Op.READ, command, offset, left);
            case Wire.CMD_WRITE -> data(piece, Op.WRITE, command, offset, left);
            case Wire.CMD_WRITE_ZEROES -> {
                if (command.byHand) {
                    zeroesByHand(piece, command, offset, left);
                } else {
                    span(piece, Op.WRITE_ZEROES, command, offset, Math.min(left, limits.zeroBytesMax()));
                }
            }
            case Wire.CMD_TRIM -> span(piece, Op.DISCARD, command, offset, Math.min(left, limits.discardBytesMax()));
            case Wire.CMD_FLUSH -> {
                piece.flush();
                command.cutBytes = 1;
            }
            default -> throw new AssertionError("not a command that is carried out: " + command);
        }
        return piece;
    }

    private void data(Request piece, Op op, Command command, long offset, long left) {
        int buffer = (int) (command.cutBytes / BufferPool.BYTES_MAX);
        long within = command.cutBytes % BufferPool.BYTES_MAX;
        long bySegments = (long) limits.segmentsMax() * BufferPool.BYTES_MAX - within;
        long length = Math.min(Math.min(left, transferBytesMax), bySegments);
        piece.start(op, offset, length, command.fua && op == Op.WRITE);
        for (long at = 0; at < length; buffer++) {
            long here = Math.min(length - at, BufferPool.BYTES_MAX - within);
            Buffer memory = command.buffers[buffer];
            piece.add(memory.memory(), memory.offset() + within, here);
            at += here;
            within = 0;
        }
        command.cutBytes += length;
    }

    private void zeroesByHand(Request piece, Command command, long offset, long left) {
        if (zeroes == null) {
            zeroes = pool.acquire(Math.max(BufferPool.BYTES_MAX / ZERO_SEGMENTS_MAX, alignment));
            zeroes.memory().asSlice(zeroes.offset(), zeroes.bytes()).fill((byte) 0);
        }
        int segments = Math.min(limits.segmentsMax(), ZERO_SEGMENTS_MAX);
        long length = Math.min(Math.min(left, transferBytesMax), (long) segments * zeroes.bytes());
        piece.start(Op.WRITE, offset, length, command.fua);
        for (long at = 0; at < length; at += zeroes.bytes()) {
            piece.add(zeroes.memory(), zeroes.offset(), Math.min(length - at, zeroes.bytes()));
        }
        command.cutBytes += length;
    }

    private static void span(Request piece, Op op, Command command, long offset, long most) {
        long length = Math.min(most, SPAN_BYTES_MAX);
        piece.start(op, offset, length, command.fua);
        command.cutBytes += length;
    }

    private void submit(Request piece) {
        if (held == null) {
            if (channel.submit(piece)) {
                uncommitted = true;
            } else {
                held = piece;
            }
        } else {
            waiting.add(piece);
        }
    }

    private void completed(Request piece) {
        Command command = (Command) piece.context();
        free.push(piece);
        command.pieces--;
        if (piece.status() == IoStatus.OK) {
            command.anyPieceDone = true;
        } else if (command.status == IoStatus.OK) {
            command.status = piece.status();
        }
        if (command.status == IoStatus.OK) {
            advance(command);
        }
        if (command.pieces == 0) {
            ended(command);
        }
    }

    private void ended(Command command) {
        boolean cannotZero =
                command.type == Wire.CMD_WRITE_ZEROES && !command.byHand && command.status == IoStatus.NOT_SUPPORTED;
        if (cannotZero) {
            zeroesNatively = false;
            if (!command.fastZero || command.anyPieceDone) {
                command.byHand = true;
                command.status = IoStatus.OK;
                restart(command);
                return;
            }
        }
        command.error = cannotZero ? Wire.ENOTSUP : errorOf(command.status);
        command.inDevice = false;
        inFlight--;
        command.connection.completed(command);
    }

    private static int errorOf(IoStatus status) {
        return switch (status) {
            case OK -> Wire.OK;
            case IO_ERROR, MEDIUM_ERROR, OFFLINE -> Wire.EIO;
            case NO_SPACE -> Wire.ENOSPC;
            case READ_ONLY -> Wire.EPERM;
            case NOT_SUPPORTED, INVALID -> Wire.EINVAL;
        };
    }

    /**
     * Hands what was submitted to the device and takes what it has completed.
     *
     * @return how much happened; 0 for nothing
     */
    int turn() {
        commit();
        int moved = channel.poll(POLL_MAX);
        while (held != null && channel.submit(held)) {
            uncommitted = true;
            held = waiting.poll();
            moved++;
        }
        commit();
        return moved;
    }

    /** Hands what was submitted to the device. */
    void commit() {
        if (uncommitted) {
            uncommitted = false;
            channel.commit();
        }
    }

    /** How many commands the device has not ended. */
    int inFlight() {
        return inFlight;
    }

    @Override
    public void close() {
        channel.close();
        if (zeroes != null) {
            pool.release(zeroes);
            zeroes = null;
        }
    }
}
