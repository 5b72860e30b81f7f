package io.tenfold.cli;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Request;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Copies a device from its start to its end, reading ahead. What cannot be read is narrowed down to single blocks, counts
 * as zeroes, and is listed; everything else is copied.
 *
 * <p>Threads: one.
 */
final class ArrayCopy implements AutoCloseable {
    private static final int PIECE_BYTES_MAX = 1 << 20;
    private static final int PIECES_AHEAD = 8;

    /** No array has smaller chunks. */
    private static final int CHUNK_BYTES_MIN = 4096;

    /** What was done. */
    record Result(String sha256, long writtenBytes, List<ByteRange> unreadable) {}

    /** A piece of the device, on its way to the target. Pieces are used in a circle. */
    private static final class Piece {
        final MemorySegment memory;
        final Request request;
        long offset;
        int length;
        boolean done = true;

        Piece(MemorySegment memory) {
            this.memory = memory;
            request = new Request(_ -> done = true);
        }
    }

    private final BlockDevice device;
    private final Shard shard;
    private final CopyTarget target;
    private final Channel channel;
    private final Arena arena = Arena.ofShared();
    private final Piece[] pieces = new Piece[PIECES_AHEAD];
    private final int pieceBytes;
    private final MessageDigest digest = newSha256();
    private final List<ByteRange> unreadable = new ArrayList<>();
    private boolean retryDone;
    private final Request retry = new Request(_ -> retryDone = true);

    /**
     * Opens a channel to a device, which stays the caller's.
     *
     * @param shard the calling thread's
     */
    ArrayCopy(BlockDevice device, Shard shard, CopyTarget target) {
        this.device = device;
        this.shard = shard;
        this.target = target;
        int block = device.limits().blockBytes();
        pieceBytes = Math.min(PIECE_BYTES_MAX, device.limits().transferBytesMax()) / block * block;
        channel = device.open(shard);
        for (int i = 0; i < PIECES_AHEAD; i++) {
            pieces[i] = new Piece(arena.allocate(pieceBytes, Math.max(4096, block)));
        }
    }

    /**
     * Copies everything.
     *
     * @param progress told how many bytes are done
     * @throws IOException if the target fails
     */
    Result run(LongConsumer progress) throws IOException {
        long size = device.sizeBytes();
        long asked = 0;
        long copied = 0;
        int head = 0;
        int ahead = 0;
        while (copied < size) {
            while (ahead < PIECES_AHEAD && asked < size && start(pieces[(head + ahead) % PIECES_AHEAD], asked)) {
                asked += pieces[(head + ahead) % PIECES_AHEAD].length;
                ahead++;
            }
            channel.commit();
            if (ahead > 0 && pieces[head].done) {
                pass(pieces[head]);
                copied += pieces[head].length;
                progress.accept(copied);
                head = (head + 1) % PIECES_AHEAD;
                ahead--;
            } else {
                turn();
            }
        }
        target.finish(size);
        return new Result(HexFormat.of().formatHex(digest.digest()), target.writtenBytes(), List.copyOf(unreadable));
    }

    private boolean start(Piece piece, long offset) {
        piece.offset = offset;
        piece.length = (int) Math.min(pieceBytes, device.sizeBytes() - offset);
        piece.done = !channel.submit(piece.request.read(offset, piece.memory, 0, piece.length));
        return !piece.done;
    }

    private void pass(Piece piece) throws IOException {
        if (piece.request.status() != IoStatus.OK) {
            narrowDown(piece, 0, piece.length, piece.request.status());
        }
        MemorySegment data = piece.memory.asSlice(0, piece.length);
        digest.update(data.asByteBuffer());
        target.accept(data, piece.offset);
    }

    /** A part could not be read: reads its halves, and theirs, down to single blocks. */
    private void narrowDown(Piece piece, int from, int length, IoStatus status) {
        int block = device.limits().blockBytes();
        // Smaller parts of what is gone altogether are gone too, but a neighbouring chunk may lie on other members.
        if (length == block || (length <= CHUNK_BYTES_MIN && status == IoStatus.OFFLINE)) {
            piece.memory.asSlice(from, length).fill((byte) 0);
            addUnreadable(piece.offset + from, length);
            return;
        }
        int half = Math.max(block, length / 2 / block * block);
        readAgain(piece, from, half);
        readAgain(piece, from + half, length - half);
    }

    private void readAgain(Piece piece, int from, int length) {
        retryDone = false;
        retry.read(piece.offset + from, piece.memory, from, length);
        while (!channel.submit(retry)) {
            turn();
        }
        channel.commit();
        while (!retryDone) {
            turn();
        }
        if (retry.status() != IoStatus.OK) {
            narrowDown(piece, from, length, retry.status());
        }
    }

    private void turn() {
        if (channel.poll(Integer.MAX_VALUE) == 0) {
            shard.park(Long.MAX_VALUE);
        }
    }

    private void addUnreadable(long offset, long length) {
        if (!unreadable.isEmpty() && unreadable.getLast().end() == offset) {
            ByteRange last = unreadable.removeLast();
            unreadable.add(new ByteRange(last.offset(), last.length() + length));
        } else {
            unreadable.add(new ByteRange(offset, length));
        }
    }

    private static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has it", e);
        }
    }

    /** Waits for reads that are still under way, as after a failure of the target. */
    @Override
    public void close() {
        for (Piece piece : pieces) {
            while (!piece.done) {
                turn();
            }
        }
        channel.close();
        arena.close();
    }
}
