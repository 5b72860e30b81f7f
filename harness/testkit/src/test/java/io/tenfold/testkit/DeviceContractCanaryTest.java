package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.block.BlockDevice;
import io.tenfold.block.Channel;
import io.tenfold.block.NullDevice;
import io.tenfold.block.Op;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The contract notices each kind of broken device, and nothing in a sound one. */
class DeviceContractCanaryTest {
    @Test
    void soundDevicePasses() {
        assertThat(failuresOf(UnaryOperator.identity())).isEmpty();
    }

    @Test
    void forgottenWritesAreNoticed() {
        assertThat(failuresOf(below -> BrokenDevice.forgets(below, Op.WRITE))).contains("whatWasWrittenReadsBack");
    }

    @Test
    void forgottenZeroesAreNoticed() {
        assertThat(failuresOf(below -> BrokenDevice.forgets(below, Op.WRITE_ZEROES)))
                .contains("zeroedRangeReadsAsZeroesAndNothingElseDoes");
    }

    @Test
    void completionOutsidePollIsNoticed() {
        assertThat(failuresOf(BrokenDevice::completesInCommit)).contains("everyRequestCompletesOnceAndOnlyWithinPoll");
    }

    @Test
    void wrongPieceOfMemoryIsNoticed() {
        assertThat(failuresOf(BrokenDevice::takesOneSegment)).contains("piecesOfMemoryAreTakenInTheirOrder");
    }

    @Test
    void nullDeviceIsNoticed() {
        assertThat(Canary.failures(() -> new DeviceContract() {
                    @Override
                    protected BlockDevice makeDevice() {
                        return new NullDevice(2 << 20);
                    }
                }))
                .contains("whatWasWrittenReadsBack", "randomOperationsAgreeWithAnArray");
    }

    private static List<String> failuresOf(UnaryOperator<Channel> spoil) {
        return Canary.failures(() -> new DeviceContract() {
            @Override
            protected BlockDevice makeDevice() {
                return new BrokenDevice(spoil);
            }
        });
    }
}
