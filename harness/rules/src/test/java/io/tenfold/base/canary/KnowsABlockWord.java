package io.tenfold.base.canary;

import io.tenfold.block.Op;

/** Breaks the levels on purpose. */
public final class KnowsABlockWord {
    /** A block word in base. */
    public Op op = Op.READ;
}
