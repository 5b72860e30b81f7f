package io.tenfold.block;

/**
 * One thread's way to a device. All methods belong to the thread that opened it.
 *
 * <p>The life of a request: {@link #submit}, {@link #commit} once for a batch, {@link #poll} until it completes.
 * Requests may complete in any order. Two requests in flight that touch the same block, one of them a write, give an
 * undefined order: whoever needs one waits in between.
 */
public interface Channel extends AutoCloseable {
    /**
     * Starts a request. Never blocks on the device's account longer than one synchronous transfer, never calls a
     * {@link Completion}, neither allocates nor throws for a device's failure.
     *
     * @param request filled in by the caller within the device's {@link DeviceLimits} and size, and left alone by him
     *     until it completes
     * @return false if the channel has no room; nothing was started: {@link #poll}, then try again
     */
    boolean submit(Request request);

    /** Hands all that was submitted to the device. A request need not make progress before this. */
    void commit();

    /**
     * Delivers completions: for each, sets the request's status and calls its {@link Completion}, which may submit to
     * this or another channel of the same thread.
     *
     * @param max most completions to deliver, above 0
     * @return how many were delivered or moved on; 0 if nothing happened, so that the shard may park
     */
    int poll(int max);

    /**
     * Asks to end a request in flight early, since it takes too long. It completes as ever, done or failed, and may take as
     * long as without this; its memory is the channel's until then. A channel that cannot ask does nothing.
     *
     * @param request submitted here and not completed yet
     */
    default void cancel(Request request) {
        // Most devices cannot be asked.
    }

    /** Ends the channel. Nothing may be in flight. Idempotent. */
    @Override
    void close();
}
