package io.tenfold.cli;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;

/**
 * Where an array is copied to. Pieces come in order and without gaps.
 *
 * <p>Threads: one.
 */
abstract sealed class CopyTarget {
    private long writtenBytes;

    /** Takes the next piece. */
    abstract void accept(MemorySegment piece, long offset) throws IOException;

    /** Makes all of it stable, as far as the target knows what that is. */
    abstract void finish(long sizeBytes) throws IOException;

    /** What was written, which is less than what was accepted where zeroes became holes. */
    final long writtenBytes() {
        return writtenBytes;
    }

    final void written(long bytes) {
        writtenBytes += bytes;
    }

    /** A regular file, empty so far: runs of zeroes become holes. */
    static final class SparseFile extends CopyTarget {
        /** The block of most file systems: a shorter run of zeroes would not become a hole. */
        private static final int BLOCK_BYTES = 4096;

        private static final MemorySegment ZEROES = MemorySegment.ofArray(new byte[BLOCK_BYTES]);

        private final FileChannel file;

        SparseFile(FileChannel file) {
            this.file = file;
        }

        @Override
        void accept(MemorySegment piece, long offset) throws IOException {
            long size = piece.byteSize();
            long at = 0;
            while (at < size) {
                boolean zero = isZero(piece, at);
                long end = at + BLOCK_BYTES;
                while (end < size && isZero(piece, end) == zero) {
                    end += BLOCK_BYTES;
                }
                end = Math.min(end, size);
                if (!zero) {
                    write(piece.asSlice(at, end - at).asByteBuffer(), offset + at);
                }
                at = end;
            }
        }

        private static boolean isZero(MemorySegment piece, long at) {
            long length = Math.min(BLOCK_BYTES, piece.byteSize() - at);
            return MemorySegment.mismatch(piece, at, at + length, ZEROES, 0, length) < 0;
        }

        private void write(ByteBuffer bytes, long offset) throws IOException {
            long at = offset;
            while (bytes.hasRemaining()) {
                at += file.write(bytes, at);
            }
            written(at - offset);
        }

        @Override
        void finish(long sizeBytes) throws IOException {
            if (file.size() < sizeBytes) { // It ends with a hole, which a file can only have before its last byte.
                file.write(ByteBuffer.allocate(1), sizeBytes - 1);
            }
            file.force(true);
        }
    }

    /** Anything that takes bytes one after another: a pipe, a block device from its start. */
    static final class Stream extends CopyTarget {
        private final WritableByteChannel channel;
        private final boolean isStorage;

        /**
         * A stream that goes to a channel.
         *
         * @param isStorage what is written can and must be made stable, unlike what goes into a pipe
         */
        Stream(WritableByteChannel channel, boolean isStorage) {
            this.channel = channel;
            this.isStorage = isStorage;
        }

        @Override
        void accept(MemorySegment piece, long offset) throws IOException {
            ByteBuffer bytes = piece.asByteBuffer();
            while (bytes.hasRemaining()) {
                written(channel.write(bytes));
            }
        }

        @Override
        void finish(long sizeBytes) throws IOException {
            if (isStorage && channel instanceof FileChannel device) {
                device.force(true);
            }
        }
    }
}
