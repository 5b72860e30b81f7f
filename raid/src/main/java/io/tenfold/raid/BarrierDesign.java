package io.tenfold.raid;

/** The designs of {@link IoBarrier}, as a configuration names them. */
public enum BarrierDesign {
    /** {@link WindowedBarrier}, the default: windows, counts by stripe. */
    WINDOWED,
    /** {@link SpinlockBarrier}: one lock for everything (kernel, before 2016). */
    SPINLOCK,
    /** {@link AtomicPendingBarrier}: leaving needs no lock (kernel, 2016). */
    ATOMIC_PENDING,
    /** {@link SequenceBarrier}: entering needs none either (kernel, 2022). */
    SEQUENCE_LOCK;

    /**
     * A barrier of this design with nobody inside and nothing raised.
     *
     * @param stripes how many stripes will be named, above 0
     */
    public IoBarrier create(int stripes) {
        if (stripes < 1) {
            throw new IllegalArgumentException("stripes must be above 0: stripes=" + stripes);
        }
        return switch (this) {
            case WINDOWED -> new WindowedBarrier(stripes);
            case SPINLOCK -> new SpinlockBarrier(stripes);
            case ATOMIC_PENDING -> new AtomicPendingBarrier(stripes);
            case SEQUENCE_LOCK -> new SequenceBarrier(stripes);
        };
    }
}
