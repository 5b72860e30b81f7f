package io.tenfold.raid;

/** Something was not done, and nothing was written. */
public final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Refusal refusal;

    RefusedException(Refusal refusal) {
        super(refusal.message());
        this.refusal = refusal;
    }

    /** Why, in words for the user. */
    public Refusal refusal() {
        return refusal;
    }
}
