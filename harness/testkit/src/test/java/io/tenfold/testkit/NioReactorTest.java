package io.tenfold.testkit;

import io.tenfold.base.Clock;
import io.tenfold.base.NioReactor;
import io.tenfold.base.Reactor;
import java.io.IOException;

class NioReactorTest extends StreamContract {
    @Override
    protected Reactor makeReactor(int index) throws IOException {
        return new NioReactor(index, Clock.system());
    }
}
