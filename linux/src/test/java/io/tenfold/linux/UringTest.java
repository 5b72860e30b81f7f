package io.tenfold.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class UringTest {
    @BeforeAll
    static void requireRings() {
        assumeTrue(RingReactor.isAvailable(), RingReactor::unavailableBecause);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2}) // Set up as on a new, an older and an old kernel.
    void everyNopIsAnsweredOnceThoughCountersWrapTheRing(int skip) throws IOException {
        try (Uring ring = Uring.openAsOlder(8, 16, skip)) {
            assertThat(ring.isDeferred()).isEqualTo(skip == 0);
            BitSet answered = new BitSet();
            int count = 1000;
            int filled = 0;
            while (answered.cardinality() < count) {
                while (filled < count && nop(ring, filled)) {
                    filled++;
                }
                ring.enter(1, Long.MAX_VALUE);
                collect(ring, answered);
            }
            assertThat(answered.length()).isEqualTo(count);
            assertThat(ring.pending()).isZero();
        }
    }

    @Test
    void fullQueueHasNoEntryUntilTheKernelTookSome() throws IOException {
        try (Uring ring = Uring.open(4, 8)) {
            for (int i = 0; i < 4; i++) {
                assertThat(nop(ring, i)).isTrue();
            }
            assertThat(ring.nextSqe()).isZero();
            assertThat(ring.pending()).isEqualTo(4);
            assertThat(ring.enter(0, 0)).isEqualTo(4);
            assertThat(ring.pending()).isZero();
            assertThat(ring.nextSqe()).isNotZero();
        }
    }

    @Test
    void answersBeyondTheQueueAreKeptAndComeLater() throws IOException {
        try (Uring ring = Uring.open(4, 8)) {
            int count = 100;
            for (int i = 0; i < count; i++) {
                while (!nop(ring, i)) {
                    ring.enter(0, 0); // And nobody looks at the answers.
                }
            }
            BitSet answered = new BitSet();
            while (answered.cardinality() < count) {
                ring.enter(1, Long.MAX_VALUE);
                assertThat(ring.ready()).isBetween(1, 8);
                collect(ring, answered);
            }
            assertThat(answered.length()).isEqualTo(count);
        }
    }

    @Test
    void waitEndsWhenItsTimeIsUp() throws IOException {
        try (Uring ring = Uring.open(4, 8)) {
            assertThat(ring.enter(1, 1_000_000)).isEqualTo(-Errno.ETIME);
        }
    }

    @Test
    void pipeLikeCounterIsReadAcrossThreads() throws Exception {
        try (Uring ring = Uring.open(4, 8);
                Arena arena = Arena.ofShared()) {
            MemorySegment capture = NativeCalls.newCapture(arena);
            int fd = RingCalls.eventfd(capture);
            MemorySegment value = arena.allocate(8, 8);
            SqeLayout.fill(ring.nextSqe(), SqeLayout.OP_READ, fd, 0, value.address(), 8, 0, 7);
            ring.enter(0, 0);
            Thread other = Thread.ofPlatform().start(() -> RingCalls.ring(fd));
            while (ring.ready() == 0) {
                ring.enter(1, Long.MAX_VALUE);
            }
            assertThat(ring.userDataAt(0)).isEqualTo(7);
            assertThat(ring.resultAt(0)).isEqualTo(8);
            assertThat(value.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1);
            other.join();
            FileCalls.close(capture, fd);
        }
    }

    @Test
    void failureOfAnOperationIsItsAnswer() throws IOException {
        try (Uring ring = Uring.open(4, 8)) {
            SqeLayout.fill(ring.nextSqe(), SqeLayout.OP_FSYNC, 1 << 20, 0, 0, 0, 0, 3);
            SqeLayout.fill(ring.nextSqe(), 255, -1, 0, 0, 0, 0, 4);
            nop(ring, 5);
            while (ring.ready() < 3) {
                ring.enter(1, Long.MAX_VALUE);
            }
            int[] results = new int[6];
            for (int i = 0; i < 3; i++) { // In any order.
                results[(int) ring.userDataAt(i)] = ring.resultAt(i);
            }
            assertThat(results).containsExactly(0, 0, 0, -Errno.EBADF, -Errno.EINVAL, 0);
        }
    }

    @Test
    void ringMadeElsewhereBelongsToTheThreadThatEntersIt() throws Exception {
        Uring[] made = new Uring[1];
        Thread maker = Thread.ofPlatform().start(() -> {
            try {
                made[0] = Uring.open(4, 8);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        maker.join();
        try (Uring ring = made[0]) {
            nop(ring, 1);
            assertThat(ring.enter(1, Long.MAX_VALUE)).isEqualTo(1);
            Throwable[] thrown = new Throwable[1];
            Thread thief = Thread.ofPlatform().start(() -> {
                try {
                    made[0].close();
                } catch (IllegalStateException e) {
                    thrown[0] = e;
                }
            });
            thief.join();
            assertThat(thrown[0]).hasMessageContaining("another thread");
        }
    }

    @Test
    void impossibleSizeIsRefusedWithTheSystemsWords() {
        assertThatThrownBy(() -> Uring.open(1 << 20, 1 << 21))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot make an io_uring")
                .hasMessageContaining("Invalid argument (errno 22)");
    }

    @Test
    void manyRingsOfOneThreadLeaveNothingBehind() throws IOException {
        for (int i = 0; i < 100; i++) { // A thread has 16 places for registered rings.
            try (Uring ring = Uring.open(4, 8)) {
                nop(ring, i);
                assertThat(ring.enter(1, Long.MAX_VALUE)).isEqualTo(1);
            }
        }
    }

    private static boolean nop(Uring ring, long userData) {
        long sqe = ring.nextSqe();
        if (sqe != 0) {
            SqeLayout.fill(sqe, SqeLayout.OP_NOP, -1, 0, 0, 0, 0, userData);
        }
        return sqe != 0;
    }

    private static void collect(Uring ring, BitSet answered) {
        int ready = ring.ready();
        for (int i = 0; i < ready; i++) {
            assertThat(ring.resultAt(i)).isZero();
            int id = (int) ring.userDataAt(i);
            assertThat(answered.get(id)).as("answered twice: %d", id).isFalse();
            answered.set(id);
        }
        ring.release(ready);
    }
}
