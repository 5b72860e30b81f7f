package io.tenfold.block;

/** What a request's owner does when it has ended. Called within {@link Channel#poll}, on the channel's thread. */
@FunctionalInterface
public interface Completion {
    /** The request has ended with its {@link Request#status()} and is the owner's again. Must not throw. */
    void completed(Request request);
}
