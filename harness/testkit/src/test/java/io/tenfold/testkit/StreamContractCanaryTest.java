package io.tenfold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tenfold.base.Clock;
import io.tenfold.base.NioReactor;
import io.tenfold.base.Reactor;
import io.tenfold.testkit.BrokenReactor.Fault;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contract notices each kind of broken reactor. */
class StreamContractCanaryTest {
    @ParameterizedTest
    @CsvSource({
        "LOSES_WAKES, wakeBeforeParkEndsThatPark",
        "NEVER_SLEEPS, idleReactorWithAListenerTakesNoCpu",
        "RUNS_TASKS_AT_ONCE, executedTaskRunsOnTheReactorsThreadInPoll",
        "SWAPS_PARTS, partsAreSentInTheirOrderToTheLastByte",
        "FORGETS_THE_LAST_PART, largeSendReachesASlowReader",
        "IGNORES_THE_OFFSET, receiveKeepsToItsMemory",
        "CALLS_A_RESET_AN_END, peerThatResetsIsBroken",
        "CALLS_A_BROKEN_SEND_GOOD, sendToAPeerThatIsGoneIsBroken",
        "TELLS_CLOSED_TWICE, closeIsToldOnce",
        "TELLS_CLOSED_WITHIN_CLOSE, nothingIsToldFromWithinReceiveSendOrClose",
        "REPLACES_LIVE_SOCKETS, liveUnixSocketIsRefusedByName",
        "KEEPS_THE_SOCKET_FILE, unixSocketIsRemovedOnClose",
        "KEEPS_CONNECTIONS_ON_CLOSE, closedReactorEndsItsConnections",
    })
    void faultIsNoticedByTheTestOfThatName(Fault fault, String test) {
        assertThat(Canary.fails(() -> contract(Fault.NONE), test)).isFalse();
        assertThat(Canary.fails(() -> contract(fault), test)).isTrue();
    }

    private static StreamContract contract(Fault fault) {
        return new StreamContract() {
            @Override
            protected Reactor makeReactor(int index) throws IOException {
                return new BrokenReactor(new NioReactor(index, Clock.system()), fault);
            }

            @Override
            protected long patienceNanos() {
                return fault == Fault.NONE ? super.patienceNanos() : 300_000_000;
            }
        };
    }
}
