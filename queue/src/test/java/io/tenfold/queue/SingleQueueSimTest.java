package io.tenfold.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tenfold.base.Shard;
import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.DeviceLimits;
import io.tenfold.block.IoStatus;
import io.tenfold.block.Op;
import io.tenfold.block.Request;
import io.tenfold.block.RequestList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many lives of a {@link SingleQueue} by seed, see {@link QueueRun}; and lives of broken ones, which it must notice. */
class SingleQueueSimTest {
    private static final int RUNS = 1_000;

    private static QueueRun run(long seed, UnaryOperator<BlockDevice> above, UnaryOperator<BlockDevice> below) {
        return new QueueRun(seed, (device, setting, _) -> {
            BlockDevice queue = above.apply(new SingleQueue(
                    below.apply(device), setting.depth(), setting.deviceDepth(), setting.boundaryBytes()));
            return () -> queue;
        });
    }

    private static QueueRun sound(long seed) {
        return run(seed, UnaryOperator.identity(), UnaryOperator.identity());
    }

    @Test
    void everyRequestEndsAsItShouldInManyRuns() {
        for (long seed = 0; seed < RUNS; seed++) {
            sound(seed).run();
        }
    }

    @Test
    void sameSeedGivesTheSameHistory() {
        for (long seed = 0; seed < 50; seed++) {
            assertThat(sound(seed).run())
                    .as("seed=%d", seed)
                    .isEqualTo(sound(seed).run());
        }
        assertThat(sound(1).run()).isNotEqualTo(sound(2).run());
    }

    @ParameterizedTest
    @EnumSource
    void everyBrokenQueueIsNoticed(Broken broken) {
        assertThatThrownBy(() -> {
                    for (long seed = 0; seed < 500; seed++) {
                        run(seed, broken.above, broken.below).run();
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(broken.symptom);
    }

    /** A queue with one fault, by what is put above or below a sound one. */
    @SuppressWarnings("ImmutableEnumChecker") // The functions hold nothing.
    enum Broken {
        FORGETS_FUA("stable content was lost", UnaryOperator.identity(), device -> new Spoilt(device) {
            @Override
            boolean submit(Channel channel, Request request, RequestList done) {
                Request weaker = request.op() == Op.WRITE
                        ? new Request(ended -> {
                            request.outcome(ended.status());
                            done.add(request);
                        })
                        : request;
                if (weaker != request) {
                    weaker.start(request.op(), request.offset(), request.length(), false);
                    weaker.addPartOf(request, 0, request.length());
                    if (!channel.submit(weaker)) {
                        return false;
                    }
                    request.started();
                    return true;
                }
                return channel.submit(request);
            }
        }),
        FORGETS_FLUSHES("stable content was lost", UnaryOperator.identity(), device -> new Spoilt(device) {
            @Override
            boolean submit(Channel channel, Request request, RequestList done) {
                if (request.op() != Op.FLUSH) {
                    return channel.submit(request);
                }
                request.started();
                request.outcome(IoStatus.OK);
                done.add(request);
                return true;
            }
        }),
        LOSES_A_REQUEST("requests wait for ever", device -> new Spoilt(device) {
            private int count;

            @Override
            boolean submit(Channel channel, Request request, RequestList done) {
                if (++count % 50 != 0) {
                    return channel.submit(request);
                }
                request.started();
                return true;
            }
        }),
        LOSES_A_WRITE("read other than", UnaryOperator.identity(), device -> new Spoilt(device) {
            private int count;

            @Override
            boolean submit(Channel channel, Request request, RequestList done) {
                if (request.op() != Op.WRITE || ++count % 50 != 0) {
                    return channel.submit(request);
                }
                request.started();
                request.outcome(IoStatus.OK);
                done.add(request);
                return true;
            }
        }),
        DOES_NOT_CUT("too long", UnaryOperator.identity(), device -> new Spoilt(device) {
            @Override
            public DeviceLimits limits() {
                return new Cuts(super.limits(), 0).offered();
            }
        });

        final String symptom;
        final UnaryOperator<BlockDevice> above;
        final UnaryOperator<BlockDevice> below;

        Broken(String symptom, UnaryOperator<BlockDevice> above) {
            this(symptom, above, UnaryOperator.identity());
        }

        Broken(String symptom, UnaryOperator<BlockDevice> above, UnaryOperator<BlockDevice> below) {
            this.symptom = symptom;
            this.above = above;
            this.below = below;
        }
    }

    /** A device that passes on what it is given, but for what a subclass does with it. */
    private abstract static class Spoilt implements BlockDevice {
        private final BlockDevice below;

        Spoilt(BlockDevice below) {
            this.below = below;
        }

        boolean submit(Channel channel, Request request, RequestList done) {
            return channel.submit(request);
        }

        @Override
        public String name() {
            return below.name();
        }

        @Override
        public long sizeBytes() {
            return below.sizeBytes();
        }

        @Override
        public DeviceLimits limits() {
            return below.limits();
        }

        @Override
        public Channel open(Shard shard) {
            Channel channel = below.open(shard);
            RequestList done = new RequestList();
            return new Channel() {
                @Override
                public boolean submit(Request request) {
                    boolean taken = Spoilt.this.submit(channel, request, done);
                    if (!done.isEmpty()) {
                        shard.wake();
                    }
                    return taken;
                }

                @Override
                public void commit() {
                    channel.commit();
                }

                @Override
                public int poll(int max) {
                    int moved = channel.poll(max);
                    while (!done.isEmpty()) {
                        done.poll().complete();
                        moved++;
                    }
                    return moved;
                }

                @Override
                public void close() {
                    channel.close();
                }
            };
        }

        @Override
        public void close() {
            below.close();
        }
    }
}
