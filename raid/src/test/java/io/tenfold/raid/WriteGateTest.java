package io.tenfold.raid;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WriteGateTest {
    private final WriteGate gate = new WriteGate();
    private final Stripe one = new Stripe();
    private final Stripe two = new Stripe();

    private Stripe[] stripes() {
        return new Stripe[] {one, two};
    }

    @Test
    void closedGateLetsNobodyInAndRemembersNobody() {
        assertThat(gate.enter(one)).isFalse();
        gate.open();
        assertThat(gate.close(this::stripes)).as("nobody is inside").isTrue();
        gate.open();
        assertThat(gate.enter(one)).isTrue();
        assertThat(gate.close(this::stripes)).as("one is inside").isFalse();
    }

    @Test
    void gateClosesOnceAllHaveLeft() {
        gate.open();
        gate.enter(one);
        gate.enter(two);
        gate.leave(one);
        assertThat(gate.close(this::stripes)).as("two is inside").isFalse();
        assertThat(gate.isOpen()).isTrue();
        assertThat(gate.enter(one)).as("and it stayed open").isTrue();
        gate.leave(one);
        gate.leave(two);
        assertThat(gate.close(this::stripes)).isTrue();
        assertThat(gate.enter(one)).isFalse();
    }
}
