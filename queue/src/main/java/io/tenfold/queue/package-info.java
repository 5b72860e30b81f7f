/**
 * Keeps a fixed number of commands in flight, and decides who waits and who is woken.
 *
 * <p>Read in this order: {@link Tags} (who may be in flight: small integers handed out without waiting),
 * {@link BitmapTags} (the default design; the others stand beside it), {@link TagSet} (waiting, waking, reserved tags,
 * a depth that changes while in use), {@link WakePolicy} (the rules of waking, each a flag), {@link TagClaim} (what a
 * waiter holds).
 *
 * <p>Threads: tags are taken and given back from any thread.
 */
package io.tenfold.queue;
