package io.tenfold.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
    private final BufferPool pool = new BufferPool();

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void pieceIsTheSmallestThatFitsAndAlignedToItsSize() {
        for (int bytes = 1; bytes <= BufferPool.BYTES_MAX; bytes += 977) {
            BufferPool.Buffer buffer = pool.acquire(bytes);
            assertThat(buffer.bytes()).as("bytes=" + bytes).isGreaterThanOrEqualTo(bytes);
            assertThat(buffer.bytes() == BufferPool.BYTES_MIN || buffer.bytes() / 4 < bytes)
                    .as("bytes=" + bytes + ", " + buffer)
                    .isTrue();
            long address = buffer.memory().address() + buffer.offset();
            assertThat(address % Math.min(buffer.bytes(), 65536)).isZero();
            assertThat(BufferPool.sizeFor(bytes)).isEqualTo(buffer.bytes());
            pool.release(buffer);
        }
        assertThat(pool.outBytes()).isZero();
    }

    @Test
    void longDataTakesWholePiecesAndTheRest() {
        assertThat(BufferPool.sizeFor(0)).isZero();
        assertThat(BufferPool.sizeFor(1)).isEqualTo(4096);
        assertThat(BufferPool.sizeFor(32 << 20)).isEqualTo(32 << 20);
        assertThat(BufferPool.sizeFor((1 << 20) + 5000)).isEqualTo((1 << 20) + 16384);
    }

    @Test
    void piecesThatAreOutDoNotOverlap() {
        Prng prng = new Prng(3);
        List<BufferPool.Buffer> out = new ArrayList<>();
        for (int round = 0; round < 3000; round++) {
            if (out.isEmpty() || (prng.below(3) > 0 && out.size() < 100)) {
                BufferPool.Buffer buffer = pool.acquire(1 + prng.below(1 << prng.below(21)));
                buffer.memory().asSlice(buffer.offset(), buffer.bytes()).fill((byte) 0);
                buffer.memory().set(ValueLayout.JAVA_INT_UNALIGNED, buffer.offset(), round);
                buffer.memory().set(ValueLayout.JAVA_INT_UNALIGNED, buffer.offset() + buffer.bytes() - 4, round);
                out.add(buffer);
            } else {
                BufferPool.Buffer buffer = out.remove(prng.below(out.size()));
                int first = buffer.memory().get(ValueLayout.JAVA_INT_UNALIGNED, buffer.offset());
                int last = buffer.memory().get(ValueLayout.JAVA_INT_UNALIGNED, buffer.offset() + buffer.bytes() - 4);
                assertThat(first).as("round=" + round).isEqualTo(last);
                pool.release(buffer);
            }
        }
    }

    @Test
    void releasedMemoryIsHandedOutAgain() {
        for (int i = 0; i < 1000; i++) {
            BufferPool.Buffer large = pool.acquire(BufferPool.BYTES_MAX);
            BufferPool.Buffer small = pool.acquire(1);
            assertThat(pool.outBytes()).isEqualTo(BufferPool.BYTES_MAX + BufferPool.BYTES_MIN);
            pool.release(large);
            pool.release(small);
        }
        assertThat(pool.heldBytes()).isEqualTo(2 * BufferPool.BYTES_MAX);
    }

    @Test
    void secondReleaseIsRejected() {
        BufferPool.Buffer buffer = pool.acquire(1);
        pool.release(buffer);
        assertThatThrownBy(() -> pool.release(buffer)).isInstanceOf(AssertionError.class);
    }

    @Test
    void lengthOutOfRangeIsRejected() {
        assertThatThrownBy(() -> pool.acquire(0)).hasMessageContaining("bytes=0");
        assertThatThrownBy(() -> pool.acquire(BufferPool.BYTES_MAX + 1)).hasMessageContaining("bytes=1048577");
    }
}
