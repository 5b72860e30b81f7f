package io.tenfold.block;

/**
 * A channel whose requests are done when they are submitted and only wait to be delivered: memory, null, plain files.
 */
abstract class SynchronousChannel implements Channel {
    private final RequestList done = new RequestList();

    /** Does the request, whose range lies within the device. */
    abstract IoStatus execute(Request request);

    @Override
    public final boolean submit(Request request) {
        request.started();
        request.outcome(execute(request));
        done.add(request);
        return true;
    }

    @Override
    public final void commit() {
        // Nothing waits: submit does the work.
    }

    @Override
    public final int poll(int max) {
        // Only what is done now: a completion that submits again must not keep its caller here for ever.
        int count = Math.min(max, done.size());
        for (int i = 0; i < count; i++) {
            done.poll().complete();
        }
        return count;
    }

    @Override
    public void close() {
        assert done.isEmpty() : "closed with undelivered completions: " + done.size();
    }
}
